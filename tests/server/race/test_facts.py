"""Facts: they come back from the log as they went in, and what is not known is refused."""

from typing import Any

import msgspec
import pytest

from stampede.patience import notation
from stampede.patience.cards import DECK
from stampede.patience.referee import PLACES
from stampede.protocol.commands import Settings
from stampede.server.race import facts

EVERY_FACT = [
    facts.Opened("ann", "c1", "Ann", "human", "racer", "YU1-C-AAAAAAB", Settings(undo=3, title="Évening"), "salt:hash"),
    facts.Entered("bob", "c2", "Bøb", "bot", "watcher"),
    facts.Left("bob", "c2"),
    facts.Broke("bob", "c2"),
    facts.Readied("bob", "c2", True),
    facts.Started("ann", "c1"),
    facts.Acted("bob", "c2", 7, "TD 5"),
    facts.Forfeited("bob", "c2"),
    facts.Said("bob", "c2", "hello"),
    facts.Rematched("bob", "c2", "abcdefgh"),
    facts.TimePassed(),
]


def test_every_kind_of_fact_is_among_these() -> None:
    assert {type(fact) for fact in EVERY_FACT} == set(facts.RoomFact.__args__)


@pytest.mark.parametrize("fact", EVERY_FACT, ids=lambda fact: type(fact).__name__)
def test_a_fact_comes_back_as_it_was(fact: facts.RoomFact) -> None:
    assert facts.decode(facts.encode(fact)) == fact


def test_facts_are_arrays_that_begin_with_their_kind() -> None:
    assert msgspec.msgpack.decode(facts.encode(facts.Left("bob", "c2"))) == ["left", "bob", "c2"]


@pytest.mark.parametrize(
    "stored",
    [["flew", "bob", "c2"], ["acted", "bob", "c2", "seven", "TD 5"], ["left", "bob"], [], {"fact": "left"}, None],
    ids=str,
)
def test_what_is_no_fact_of_this_version_is_refused(stored: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        facts.decode(msgspec.msgpack.encode(stored))


def test_bytes_that_are_no_entry_are_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        facts.decode(b"\xc1")


def test_a_later_versions_new_field_at_the_end_does_no_harm() -> None:
    assert facts.decode(msgspec.msgpack.encode(["left", "bob", "c2", "in a hurry"])) == facts.Left("bob", "c2")


def test_an_earlier_versions_opening_without_a_passphrase_is_read() -> None:
    stored = msgspec.msgpack.decode(facts.encode(EVERY_FACT[0]))[:-1]
    fact = facts.decode(msgspec.msgpack.encode(stored))
    assert isinstance(fact, facts.Opened)
    assert fact.passphrase_hash == ""


def test_every_action_has_its_notation() -> None:
    assert len(facts.ACTIONS) == len(DECK) * len(PLACES) + 2
    assert all(notation.read(text) == action for text, action in facts.ACTIONS.items())
