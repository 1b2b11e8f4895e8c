"""Refusals: a closed list in order of precedence, each with one sentence and the facts in it."""

from typing import Any

import pytest

from stampede.patience import errors
from stampede.patience.cards import DECK, spoken
from stampede.patience.errors import Reason, Refusal

ONE_OF_EACH = (
    errors.game_over(),
    errors.ace_first("TD", "5", "AS"),
    errors.not_available("TD", "5"),
    errors.same_place("TD", "5"),
    errors.home_is_final("AS", "5"),
    errors.covered("TD", "home", 3),
    errors.not_next_home("TD", "home", 4),
    errors.group_too_large("TD", "5", 21, 20),
    errors.kings_only("7H", "5"),
    errors.does_not_fit("TD", "5", "QS"),
    errors.no_stock("Yukon"),
    errors.nothing_left(),
    errors.one_pass(1),
    errors.undo_nothing(100),
)


def test_the_codes_stand_in_the_order_of_the_rules() -> None:
    assert [reason.value for reason in Reason] == [
        "game.over",
        "move.ace_first",
        "move.not_available",
        "move.same_place",
        "move.home_is_final",
        "move.covered",
        "move.not_next_home",
        "move.group_too_large",
        "move.kings_only",
        "move.does_not_fit",
        "draw.no_stock",
        "draw.nothing_left",
        "draw.one_pass",
        "undo.nothing",
    ]


def test_every_reason_has_its_sentence() -> None:
    assert [refusal.reason for refusal in ONE_OF_EACH] == list(Reason)
    assert len({refusal.text for refusal in ONE_OF_EACH}) == len(Reason)


@pytest.mark.parametrize("refusal", ONE_OF_EACH, ids=lambda refusal: refusal.reason.value)
def test_a_refusal_is_one_sentence_about_its_facts(refusal: Refusal) -> None:
    assert refusal.text.endswith(".")
    named = {card for card in DECK if spoken(card) in refusal.text}
    assert named <= set(refusal.facts.values())
    if refusal.reason.value.startswith("move."):
        assert {"card", "to"} <= set(refusal.facts)


@pytest.mark.parametrize(
    ("refusal", "text", "facts"),
    [
        (
            errors.kings_only("7H", "5"),
            "Only a king can go to an empty column; 7♥ cannot.",
            {"card": "7H", "to": "5"},
        ),
        (errors.covered("7H", "home", 1), "7♥ cannot go home while 1 card lies on it.", {"covering": 1}),
        (errors.covered("7H", "home", 2), "7♥ cannot go home while 2 cards lie on it.", {"covering": 2}),
        (errors.same_place("7H", "3"), "7♥ is in column 3 already.", {"to": "3"}),
        (errors.same_place("7H", "home"), "7♥ is home already.", {"to": "home"}),
        (errors.does_not_fit("TD", "5", "QS"), "10♦ does not fit on Q♠.", {"card": "TD", "on": "QS"}),
        (errors.not_next_home("7H", "home", 0), "7♥ cannot go home yet: the ace of its suit comes first.", {}),
        (errors.not_next_home("KH", "home", 10), "K♥ cannot go home yet: the jack of its suit comes first.", {}),
        (errors.not_next_home("7H", "home", 4), "7♥ cannot go home yet: the 5 of its suit comes first.", {}),
        (errors.one_pass(1), "The stock is used up, and may be gone through only once.", {"limit": 1}),
        (errors.one_pass(3), "The stock is used up, and may be gone through only 3 times.", {"limit": 3}),
        (errors.undo_nothing(0), "This game allows no undo.", {"limit": 0}),
    ],
)
def test_sentences_read_well(refusal: Refusal, text: str, facts: dict[str, Any]) -> None:
    assert refusal.text == text
    assert facts.items() <= refusal.facts.items()


def test_the_rank_that_a_foundation_needs_is_told_without_naming_its_card() -> None:
    refusal = errors.not_next_home("7H", "home", 0)
    assert refusal.facts == {"card": "7H", "to": "home", "needs": "A"}
    assert "AH" not in repr(refusal)
    assert spoken("AH") not in refusal.text
