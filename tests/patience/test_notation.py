"""Actions as text: there and back again."""

import pytest

from stampede.patience.cards import DECK
from stampede.patience.game import Draw, Move, Undo
from stampede.patience.notation import read, write
from stampede.patience.referee import PLACES


def test_every_action_is_read_back_as_it_was_written() -> None:
    for action in (*(Move(card, to) for card in DECK for to in PLACES), Draw(), Undo()):
        assert read(write(action)) == action


def test_actions_are_written_as_the_vectors_have_them() -> None:
    assert [write(action) for action in (Move("TD", "5"), Move("AS", "home"), Draw(), Undo())] == [
        "TD 5",
        "AS home",
        "draw",
        "undo",
    ]


@pytest.mark.parametrize(
    "text", ["", "TD", "TD ", "TD 0", "TD 8", "TD  5", "td 5", "10D 5", "TD HOME", "TD 5 ", "-- 5", "Draw", "undo 2"]
)
def test_anything_else_is_a_fault_that_says_what_an_action_looks_like(text: str) -> None:
    with pytest.raises(ValueError, match=r"'TD 5' or 'AS home'"):
        read(text)


def test_a_long_text_is_not_repeated_in_full() -> None:
    with pytest.raises(ValueError, match="An action is") as fault:
        read("x" * 5000)
    assert len(str(fault.value)) < 200
