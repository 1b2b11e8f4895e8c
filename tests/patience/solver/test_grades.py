"""Grades, and the blind player they are made by."""

import pytest

from stampede.patience.codes import OPEN_LENGTH, Code, dealing_order, payload
from stampede.patience.game import Draw, Game, Move, play, start
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import Grade, blind_wins, graded
from stampede.patience.solver import playout as playouts
from stampede.patience.solver.law import HOME, law_of, name, start_of
from stampede.patience.table import deal
from stampede.patience.variants import CATALOGUE

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        (200, "easy"),
        (80, "easy"),
        (79, "medium"),
        (30, "medium"),
        (29, "hard"),
        (6, "hard"),
        (5, "expert"),
        (0, "expert"),
    ],
)
def test_the_share_of_blind_games_won_is_the_grade(wins: int, expected: str) -> None:
    assert graded(wins, 200) == Grade(expected)


def test_grades_are_the_four_words_of_the_protocol() -> None:
    assert [grade.value for grade in Grade] == ["easy", "medium", "hard", "expert"]


def test_the_same_deal_is_always_won_as_often() -> None:
    order = dealing_order(Code("YU1", "R", "AAAAAAB"))
    counts = [blind_wins(CATALOGUE["YU1-R"], order, 5, pure=True) for _ in range(2)]
    assert counts[0] == counts[1]


@every_variant
def test_the_blind_player_keeps_to_the_rules_and_sees_no_move_that_is_not_there(
    rules: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tables are followed by the referee's, move by move, and each of its choices asked of the referee."""
    order = dealing_order(Code(rules.game, rules.variant, payload(7, OPEN_LENGTH)))
    law, table = law_of(rules), deal(rules, order)
    mine, game = playouts._Table(law, start_of(table)), start(rules, order, undo_limit=0)
    for step in range(60):
        choices = sorted(playouts._choices(mine))
        for move, liking in choices:
            assert liking > 0
            assert isinstance(play(game, action(move)), Game)
        if not choices:
            break
        move = choices[step * 7 % len(choices)][0]
        mine.act(move)
        after = play(game, action(move))
        assert isinstance(after, Game)
        game = after
        now = start_of(game.table)
        assert [tuple(column) for column in mine.columns] == list(now.columns)
        assert (tuple(mine.down), tuple(mine.home)) == (now.down, now.home)
        assert (tuple(mine.talon), mine.waste) == (now.talon, now.waste)


def action(move: int) -> Move | Draw:
    if move == playouts.DRAW:
        return Draw()
    place = move >> 6
    return Move(name(move & 63), "home" if place == HOME else str(place + 1))


@every_variant
def test_the_blind_player_never_looks_under_a_face_down_card(rules: Ruleset) -> None:
    """Hidden cards changed for others: the same choices, with the same likings."""
    order = list(dealing_order(Code(rules.game, rules.variant, payload(7, OPEN_LENGTH))))
    table = deal(rules, order)
    hidden = [card for column, down in zip(table.columns, table.down, strict=True) for card in column[:down]]
    swapped = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
    other = deal(rules, [swapped.get(card, card) for card in order])
    law = law_of(rules)
    seen, same = (list(playouts._choices(playouts._Table(law, start_of(each)))) for each in (table, other))
    assert seen == same
