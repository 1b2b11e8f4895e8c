"""The expert: undoes what led nowhere, and wins what can be won."""

import random

from stampede.client_cli.bots.expert import Effort, Expert
from stampede.patience.cards import SUITS
from stampede.patience.game import Undo
from stampede.protocol.events import Board

from .play import deal, played, rules_of


def board(columns: list[list[str]], home: dict[str, int]) -> Board:
    return Board(
        n=9,
        columns=columns,
        home=home,
        stock=0,
        waste=[],
        score=0,
        moves=9,
        elapsed_ms=0,
        undo_left=0,
    )


def test_it_wins_deals_that_can_be_won() -> None:
    for number in (900_001, 900_004):
        expert = Expert(rules_of("YU1-R"), random.Random(number), Effort(4, 400))
        assert played(deal("YU1-R", number), expert, 600)[1].won


def test_it_goes_back_from_where_nothing_is_won_and_then_another_way() -> None:
    for number in range(20):
        expert = Expert(rules_of("YU1-C"), random.Random(1), Effort(3, 300))
        done, _ = played(deal("YU1-C", number), expert, 60)
        later = [action for action in done[done.index(Undo()) :] if action != Undo()] if Undo() in done else []
        if later:
            assert later[0] != done[done.index(Undo()) - 1]
            break
    else:
        raise AssertionError("it never went back and on")


def test_without_undo_it_plays_on_for_as_many_cards_as_it_can() -> None:
    expert = Expert(rules_of("YU1-C"), random.Random(1), Effort(1, 20))
    done, end = played(deal("YU1-C", 2, undo=0), expert, 400)
    assert len(done) > 20
    assert end.table.cards_home or end.won


def test_what_is_all_known_is_played_to_the_win() -> None:
    columns = [["KS"], ["KH"], ["KD"], ["KC", "QC"], [], [], []]
    home = dict(zip(SUITS, (12, 12, 12, 11), strict=True))
    assert Expert(rules_of("YU1-C"), random.Random(1)).choose(board(columns, home), ()) is not None
