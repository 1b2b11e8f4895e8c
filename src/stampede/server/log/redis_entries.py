"""Entries as Redis has them: ids, rows of a stream, and the news of an append."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from stampede.server.log.port import Entry, entry_id, time_of

_PLACE = struct.Struct(">QII")
"""Milliseconds and number of an entry, and the length of its fact; first those of the predecessor, with the number of
entries instead. Numbers are below 2^20."""
_TWO_PLACES = struct.Struct(">QIIQII")


class Arrival(NamedTuple):
    """Entries, and the id of the one before them in their stream. Redis tells it as a row of places, and the facts."""

    predecessor: int
    entries: list[Entry]


def to_id(text: bytes) -> int:
    """An entry's id from that of Redis."""
    time_ms, _, sequence = text.partition(b"-")
    return entry_id(int(time_ms), int(sequence))


def to_text(identity: int) -> bytes:
    """The id as Redis has it."""
    time_ms = time_of(identity)
    return b"%d-%d" % (time_ms, identity - entry_id(time_ms))


def from_rows(rows: Sequence[tuple[bytes, Sequence[bytes]]]) -> list[Entry]:
    """The entries in an answer to XRANGE."""
    return [Entry(to_id(identity), fields[1]) for identity, fields in rows]


def from_news(message: bytes) -> Arrival:
    """What was published: places, and the facts one after the other. Raises `ValueError` if it is not that."""
    try:
        time_ms, sequence, count = _PLACE.unpack_from(message)
        at = _PLACE.size * (count + 1)
        entries = []
        for item_ms, item_sequence, length in _PLACE.iter_unpack(message[_PLACE.size : at]):
            entries.append(Entry(entry_id(item_ms, item_sequence), message[at : at + length]))
            at += length
    except struct.error as error:
        raise ValueError(str(error)) from None
    if len(entries) != count or at != len(message):
        raise ValueError("not as long as it should be")
    return Arrival(entry_id(time_ms, sequence), entries)


def last_told(message: bytes) -> int | None:
    """The id of the last entry that news tells of, without taking it all apart; None if it tells of none.

    Raises `ValueError` if it is no news.
    """
    try:
        count = _PLACE.unpack_from(message)[2]
        time_ms, sequence, _ = _PLACE.unpack_from(message, _PLACE.size * count)
    except struct.error as error:
        raise ValueError(str(error)) from None
    return entry_id(time_ms, sequence) if count else None


def from_places(places: bytes, facts: Sequence[bytes]) -> Arrival:
    """What was appended, from its places."""
    if len(facts) == 1:  # nearly always
        before_ms, before, _, time_ms, sequence, _ = _TWO_PLACES.unpack(places)
        return Arrival(entry_id(before_ms, before), [Entry(entry_id(time_ms, sequence), facts[0])])
    (time_ms, sequence, _), *items = _PLACE.iter_unpack(places)
    entries = [Entry(entry_id(*item[:2]), fact) for item, fact in zip(items, facts, strict=True)]
    return Arrival(entry_id(time_ms, sequence), entries)
