"""Entries as Redis has them: ids, rows of a stream, and the news of an append."""

from collections.abc import Sequence
from typing import NamedTuple

from stampede.server.log.port import Entry, entry_id, time_of


class Arrival(NamedTuple):
    """Entries, and the id of the one before them in their stream."""

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
    """What was published: the predecessor's id, id and length of each fact, and the facts themselves."""
    header, _, facts = message.partition(b"\n")
    predecessor, *words = header.split(b" ")
    entries = []
    at = 0
    for identity, length in zip(words[::2], words[1::2], strict=True):
        entries.append(Entry(to_id(identity), facts[at : at + int(length)]))
        at += int(length)
    return Arrival(to_id(predecessor), entries)
