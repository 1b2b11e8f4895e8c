"""The dead-end test never speaks on the way to a win."""

from itertools import islice

import pytest

from patience.solver.vectors import winnable
from stampede.patience.game import Game, play, start_code
from stampede.patience.notation import read
from stampede.patience.solver.column import Column, Weights
from stampede.patience.solver.dead_end import DeadEnd
from stampede.patience.solver.law import Law, law_of, number, start_of
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE

NONE = Weights(*(0,) * 9)


def dead(law: Law, table: Table) -> bool:
    start = start_of(table)
    columns = [
        Column(bytes((down, *cards)), law, NONE) for down, cards in zip(start.down, start.columns, strict=True) if cards
    ]
    return DeadEnd(law).proves(columns, start.home, start.talon, len(columns) < 7)


@pytest.mark.parametrize("name", [name for name in CATALOGUE if not name.endswith("V")])
def test_no_table_on_the_way_to_a_win_is_a_dead_end(name: str) -> None:
    law = law_of(CATALOGUE[name])
    for code, line in islice(((code, line) for code, line in winnable() if code.ruleset_name == name), 12):
        game = start_code(code, undo_limit=0)
        for at, action in enumerate(line):
            if at % 3 == 0:
                assert not dead(law, game.table)
            after = play(game, read(action))
            assert isinstance(after, Game)
            game = after


def test_two_cards_that_wait_for_each_other_are_a_dead_end() -> None:
    # The ace lies under its two, and no place will ever take the two: both threes it fits on lie under it.
    law = law_of(CATALOGUE["YU1-C"])
    columns = (("AS", "3H", "3D", "2S"), *((king,) for king in ("KS", "KH", "KD", "KC")), ("QS",), ("QC",))
    table = Table(columns, (3, 0, 0, 0, 0, 0, 0), (0, 2, 2, 12))
    assert dead(law, table)
    assert not dead(law, table._replace(down=(0,) * 7, columns=(("3H", "3D", "2S", "AS"), *columns[1:])))


def test_cards_have_the_numbers_that_their_order_says() -> None:
    assert [number(card) for card in ("AS", "AH", "AD", "AC", "2S", "KC")] == [0, 1, 2, 3, 4, 51]
