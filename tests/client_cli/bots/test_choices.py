"""The choices on a table are those that the referee allows, no more and no fewer."""

import random

import pytest

from stampede.client_cli.bots.choices import aimless, choices, comes_back
from stampede.client_cli.bots.mind import visible_table
from stampede.client_cli.film import board_of
from stampede.patience import game
from stampede.patience.cards import DECK
from stampede.patience.game import Draw, Game, Move
from stampede.patience.referee import PLACES
from stampede.patience.variants import CATALOGUE

from .play import deal


@pytest.mark.parametrize("variant", CATALOGUE)
def test_they_are_what_a_game_accepts(variant: str) -> None:
    chance, now = random.Random(3), deal(variant, 11)
    for _ in range(60):
        every = [Move(card, to) for card in DECK for to in PLACES] + [Draw()]
        accepted = {str(action) for action in every if isinstance(game.play(now, action), Game)}
        seen = list(choices(now.rules, visible_table(board_of(now, 0, 0))))
        assert {str(choice.action) for choice in seen} == accepted
        if not seen:
            break
        after = game.play(now, chance.choice(seen).action)
        assert isinstance(after, Game)
        now = after


def test_a_king_that_changes_one_empty_column_for_another_is_aimless() -> None:
    table = visible_table(board_of(deal("YU1-C", 1), 0, 0))
    columns = (("KS",), (), ("KH", "QS"), *(() for _ in range(4)))
    table = table._replace(columns=columns, down=(0,) * 7, home=(11, 12, 13, 13))
    found = {str(choice.action): choice for choice in choices(CATALOGUE["YU1-C"], table)}
    assert aimless(table, found["KS 2"])
    assert aimless(table, found["KH 2"])
    assert not aimless(table, found["QS home"])
    assert comes_back(table, found["KD 2"])
    assert not comes_back(table, found["QS home"])
