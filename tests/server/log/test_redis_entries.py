"""Entries and names as Redis has them."""

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stampede.server.log.port import Entry, entry_id
from stampede.server.log.redis_entries import from_news, from_places, from_rows, last_told, to_id, to_text
from stampede.server.log.redis_keys import Keys

ids = st.builds(entry_id, st.integers(0, 2**43), st.integers(0, 2**20 - 1))


@given(ids)
def test_ids_go_both_ways(identity: int) -> None:
    assert to_id(to_text(identity)) == identity


def test_an_id_is_milliseconds_and_a_number() -> None:
    assert to_text(entry_id(1_700_000_000_000, 3)) == b"1700000000000-3"
    assert to_id(b"0-0") == 0


entries = st.lists(st.builds(Entry, ids, st.binary(max_size=30)), max_size=4)


def places(predecessor: int, entries: list[Entry]) -> bytes:
    """As Redis writes them."""
    items = [(predecessor, len(entries)), *((entry.id, len(entry.fact)) for entry in entries)]
    return b"".join(pack(">QII", identity >> 20, identity % 2**20, length) for identity, length in items)


@given(ids, entries)
def test_news_are_taken_apart(predecessor: int, entries: list[Entry]) -> None:
    message = places(predecessor, entries) + b"".join(entry.fact for entry in entries)
    assert from_news(message) == (predecessor, entries)


@given(ids, entries)
def test_the_last_entry_that_news_tells_of_is_seen_without_taking_it_apart(
    predecessor: int, entries: list[Entry]
) -> None:
    message = places(predecessor, entries) + b"".join(entry.fact for entry in entries)
    assert last_told(message) == (entries[-1].id if entries else None)


@given(ids, entries)
def test_places_and_the_facts_that_were_sent_make_entries(predecessor: int, entries: list[Entry]) -> None:
    assert from_places(places(predecessor, entries), [entry.fact for entry in entries]) == (predecessor, entries)


@given(ids, entries, st.data())
def test_news_that_are_cut_or_longer_than_they_say_are_none(
    predecessor: int, entries: list[Entry], data: st.DataObject
) -> None:
    message = places(predecessor, entries) + b"".join(entry.fact for entry in entries)
    cut = data.draw(st.integers(0, len(message) - 1))
    for other in (message[:cut], message + data.draw(st.binary(min_size=1, max_size=40))):
        with pytest.raises(ValueError, match=r"\w"):
            from_news(other)


@pytest.mark.parametrize("message", [b"", b"\n", b"hello", b"0-0\n", b"1-0 2-0 3\nabc", b"\xff" * 40])
def test_what_somebody_else_says_is_no_news(message: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        from_news(message)


def test_of_what_is_too_short_for_news_no_last_entry_is_told() -> None:
    for message in (b"", b"hello", b"\xff" * 40):
        with pytest.raises(ValueError, match=r"\w"):
            last_told(message)


def test_rows_are_entries() -> None:
    assert from_rows([(b"5-1", [b"f", b"a"]), (b"5-2", [b"f", b""])]) == [
        Entry(entry_id(5, 1), b"a"),
        Entry(entry_id(5, 2), b""),
    ]


@given(st.text(max_size=12))
def test_names_go_both_ways(stream: str) -> None:
    keys = Keys("stampede:", 3)
    assert keys.stream_of(keys.log(stream)) == stream
    assert keys.told_on(keys.channel(stream)) == stream


def test_keys_of_a_room_share_a_hash_slot_under_the_prefix() -> None:
    assert Keys("stampede:", 0).log("room:ABC") == b"stampede:{room:ABC}:log"
    assert Keys("stampede:", 2).channel("room:ABC") == b"stampede:2:{room:ABC}:news"
