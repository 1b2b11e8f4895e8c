"""The solver against brute force, over two thousand small endgames."""

from collections import Counter
from math import inf
from random import Random

import pytest

from patience.solver.endgames import can_be_won, endgame, legal
from stampede.patience.cards import DECK
from stampede.patience.game import Draw, Game, Move, play, replay
from stampede.patience.notation import read
from stampede.patience.referee import PLACES
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import LockSet, compiled, lock_fault, solve_table
from stampede.patience.variants import CATALOGUE

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)


@every_variant
def test_what_is_called_unwinnable_is_won_by_no_way_to_play(rules: Ruleset) -> None:
    chance = Random(rules.name)
    answers: Counter[tuple[str, bool | None]] = Counter()
    for _ in range(290):
        table = endgame(rules, chance)
        answer = solve_table(rules, table, budget_s=inf, budget_nodes=150, pure=True)
        exact = None
        if answer.answer == "unwinnable":
            exact = can_be_won(rules, table, most=1000)
            assert exact is not True
            if isinstance(answer.certificate, LockSet):
                assert lock_fault(rules, table.columns, table.down, answer.certificate.cards) is None
        if answer.answer == "winnable":
            end = replay(Game(rules, table, 0), map(read, answer.line))
            assert isinstance(end, Game)
            assert end.won
        answers[answer.answer, exact] += 1
    assert answers["winnable", None] > 100
    if rules.variant != "R":  # hardly a relaxed one is lost
        assert answers["unwinnable", False] >= 3, "brute force has to have had the last word on some"


@every_variant
def test_both_searches_say_the_same_of_an_endgame_node_for_node(rules: Ruleset) -> None:
    if compiled.load() is None:
        pytest.skip("the compiled search is not built")
    chance = Random(rules.name)
    for _ in range(100):
        table = endgame(rules, chance)
        pure = solve_table(rules, table, budget_s=inf, budget_nodes=150, pure=True)
        fast = solve_table(rules, table, budget_s=inf, budget_nodes=150)
        assert (pure.answer, pure.line, pure.certificate, pure.nodes) == (
            fast.answer,
            fast.line,
            fast.certificate,
            fast.nodes,
        )


@every_variant
def test_brute_force_plays_by_the_referee(rules: Ruleset) -> None:
    chance = Random(rules.name)
    everything = [*(Move(card, to) for card in DECK for to in PLACES), Draw()]
    for _ in range(12):
        game = Game(rules, endgame(rules, chance), 0)
        for _ in range(3):
            allowed = {
                str(action): after.table._replace(recycled=0)
                for action in everything
                if isinstance(after := play(game, action), Game)
            }
            assert dict(legal(rules, game.table)) == allowed
            if allowed:
                game = game._replace(table=allowed[chance.choice(sorted(allowed))])
