"""Rulesets: a further variant is one more record, and nothing else changes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stampede.patience.cards import DECK
from stampede.patience.codes import Code, dealing_order, parse
from stampede.patience.errors import Reason, Refusal
from stampede.patience.game import Draw, Game, Move, play, replay, start
from stampede.patience.ruleset import Scoring
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE, VARIANTS

RUSSIAN = replace(CATALOGUE["YU1-C"], variant="S", title="Russian", builds_on={"S": "S", "H": "H", "D": "D", "C": "C"})
THREE_PASSES = replace(CATALOGUE["KL1-D3N"], variant="D3P", title="Klondike, three passes", passes=3)


def test_russian_yukon_lays_a_card_on_its_own_suit_only(laid: Callable[..., Table]) -> None:
    game = start(RUSSIAN, DECK)._replace(table=laid("7H", "8H", "8S", "8D"))
    assert isinstance(play(game, Move("7H", "2")), Game)
    for column in "34":
        refused = play(game, Move("7H", column))
        assert isinstance(refused, Refusal)
        assert refused.reason is Reason.DOES_NOT_FIT


def test_russian_yukon_is_dealt_by_code_and_played_to_the_win(easy: Callable[..., Any]) -> None:
    code = parse("yu1-s-aaaaaab", {"YU1": (*VARIANTS["YU1"], "S")})
    classic = Code("YU1", "C", "AAAAAAB")
    assert start(RUSSIAN, dealing_order(code)).table == start(CATALOGUE["YU1-C"], dealing_order(classic)).table

    order, actions = easy(RUSSIAN)
    game = replay(start(RUSSIAN, order), actions)
    assert isinstance(game, Game)
    assert (game.won, game.score) == (True, 625)


def test_three_pass_klondike_turns_the_waste_over_twice(easy: Callable[..., Any]) -> None:
    order, actions = easy(THREE_PASSES)
    game = start(THREE_PASSES, order)
    once_through = [Draw()] * 8
    third_pass = replay(game, [*once_through, Draw(), *once_through, Draw()])
    assert isinstance(third_pass, Game)
    assert third_pass.table.stock == game.table.stock

    refused = replay(third_pass, [*once_through, Draw()])
    assert isinstance(refused, Refusal)
    assert (refused.reason, refused.facts) == (Reason.ONE_PASS, {"limit": 3})

    won = replay(third_pass, actions)
    assert isinstance(won, Game)
    assert (won.won, won.score) == (True, 625)


def test_a_ruleset_is_named_by_game_and_variant() -> None:
    assert (RUSSIAN.name, THREE_PASSES.name) == ("YU1-S", "KL1-D3P")


def test_nothing_lies_on_an_ace_and_a_king_lies_on_nothing() -> None:
    for rules in (*CATALOGUE.values(), RUSSIAN):
        assert all("A" not in {under[0] for under in rules.lies_on[card]} for card in DECK)
        assert all(not rules.lies_on[card] for card in ("KS", "KH", "KD", "KC"))


@pytest.mark.parametrize(
    ("score", "points", "after"), [(0, -100, 0), (30, -100, 0), (100, -100, 0), (130, -100, 30), (0, 10, 10)]
)
def test_a_floor_softens_a_penalty(score: int, points: int, after: int) -> None:
    assert CATALOGUE["KL1-D1N"].scoring.added(score, points) == after


def test_without_a_floor_a_score_may_be_negative() -> None:
    assert CATALOGUE["KL1-D1V"].scoring.added(-52, 5) == -47
    assert CATALOGUE["KL1-D1V"].scoring.added(-52, -5) == -57


@pytest.mark.parametrize(("score", "shown"), [(208, "+$208"), (0, "$0"), (-52, "-$52")])
def test_vegas_scores_are_shown_in_dollars(score: int, shown: str) -> None:
    assert CATALOGUE["KL1-D3V"].scoring.shown(score) == shown


def test_other_scores_are_shown_plain() -> None:
    points: Scoring = CATALOGUE["YU1-C"].scoring
    assert (points.shown(625), points.shown(0)) == ("625", "0")
