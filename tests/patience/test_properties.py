"""What holds in every game of every variant, whatever is played."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stampede.patience import notation
from stampede.patience.cards import DECK, RANK, RANKS, SUITS, Card
from stampede.patience.codes import Code, dealing_order, payload
from stampede.patience.errors import Reason, Refusal
from stampede.patience.game import Action, Draw, Game, Move, Undo, play, replay, start, start_code, targets
from stampede.patience.referee import PLACES, find_a_place
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE, parse_code

WINNABLE = Path(__file__).parents[1] / "vectors" / "winnable.jsonl"

Walk = Callable[..., Any]

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
# A deal and a walk through it are two numbers; the walk's own chance comes from the second.
some_deals_and_walks = given(number=st.integers(0, 32**7 - 1), seed=st.integers(0, 2**32))
few = settings(max_examples=7)


def dealt(rules: Ruleset, number: int, undo_limit: int = 100) -> Game:
    return start(rules, dealing_order(Code(rules.game, rules.variant, payload(number, 7))), undo_limit)


def all_cards(table: Table) -> list[Card]:
    home = [RANKS[rank] + suit for suit, count in zip(SUITS, table.home, strict=True) for rank in range(count)]
    return [*sum(table.columns, ()), *table.stock, *table.waste, *home]


@every_variant
@few
@some_deals_and_walks
def test_there_are_52_distinct_cards_after_any_sequence(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    for game, _, _ in walk(dealt(rules, number), seed, 120):
        assert sorted(all_cards(game.table)) == sorted(DECK)
        # ... and a column with cards in it always has its last one face up.
        assert all(
            down < len(column) or not column for down, column in zip(game.table.down, game.table.columns, strict=True)
        )


@every_variant
@few
@some_deals_and_walks
def test_a_refused_action_changes_nothing_at_all(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    accepted: list[Action] = []
    first = game = dealt(rules, number)
    for before, action, after in walk(first, seed, 120):
        if isinstance(after, Refusal):
            assert play(before, action) == after
        else:
            accepted.append(action)
            game = after
    assert replay(first, accepted) == game


@every_variant
def test_a_win_is_not_disturbed_by_1000_illegal_actions_on_the_way(
    rules: Ruleset, easy: Callable[..., Any], anything: tuple[Action, ...]
) -> None:
    order, actions = easy(rules)
    chance, refused = Random(1000), 0
    game = undisturbed = start(rules, order)
    for action in actions:
        for tried in chance.sample(anything, 40):
            refused += isinstance(play(game, tried), Refusal)
        after, undisturbed_after = play(game, action), play(undisturbed, action)
        assert isinstance(after, Game)
        assert isinstance(undisturbed_after, Game)
        assert after == undisturbed_after
        game, undisturbed = after, undisturbed_after
    assert game.won
    assert refused > 1000


@every_variant
@few
@some_deals_and_walks
def test_undo_to_the_beginning_restores_the_deal_exactly(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    first = game = dealt(rules, number)
    states = [first]
    for _, _, after in walk(first, seed, 100, undo=False):
        if isinstance(after, Game):
            game = after
            states.append(after)
    for state in reversed(states[:-1]):
        undone = play(game, Undo())
        assert isinstance(undone, Game)
        game = undone
        assert (game.table, game.score, game.undo_left) == (state.table, state.score, state.undo_left)
        assert game.moves == len(states) - 1
    assert isinstance(play(game, Undo()), Refusal)


@every_variant
@few
@given(number=st.integers(0, 32**7 - 1), seed=st.integers(0, 2**32), limit=st.integers(0, 10))
def test_as_many_actions_can_be_undone_as_the_limit_keeps(
    rules: Ruleset, number: int, seed: int, limit: int, walk: Walk
) -> None:
    kept = 0
    for game, action, after in walk(dealt(rules, number, limit), seed, 60):
        assert game.undo_left == kept
        if action == Undo():
            assert isinstance(after, Game) == (kept > 0)
            kept -= isinstance(after, Game)
        elif isinstance(after, Game):
            kept = min(kept + 1, limit)


@every_variant
@few
@some_deals_and_walks
def test_moves_count_every_accepted_action_but_undo(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    count = 0
    for game, action, after in walk(dealt(rules, number), seed, 120):
        assert game.moves == count
        count += isinstance(after, Game) and action != Undo()


@every_variant
@few
@some_deals_and_walks
def test_the_score_is_the_sum_of_what_has_happened(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    vegas = rules.variant in ("D1V", "D3V")
    game = dealt(rules, number)
    from_waste = penalties = 0
    for before, action, after in walk(game, seed, 150, undo=False, back=False):
        if isinstance(after, Refusal):
            continue
        if isinstance(action, Move) and action.to != "home" and action.card in before.table.waste:
            from_waste += 1
        if action == Draw() and not before.table.stock:
            assert after.score == max(before.score - 100, 0)
            penalties += before.score - after.score
        home, turned = after.table.cards_home, 21 - sum(after.table.down)
        if vegas:
            assert after.score == -52 + 5 * home
        else:
            assert after.score == 10 * home + 5 * turned + 5 * from_waste - penalties


@every_variant
@few
@some_deals_and_walks
def test_the_score_never_falls_below_its_floor(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    floor = -52 if rules.scoring.floor is None else rules.scoring.floor
    for game, _, _ in walk(dealt(rules, number), seed, 150):
        assert game.score >= floor


@every_variant
@few
@some_deals_and_walks
def test_the_reason_given_is_the_first_that_applies(rules: Ruleset, number: int, seed: int, walk: Walk) -> None:
    for game, action, after in walk(dealt(rules, number), seed, 100):
        if isinstance(action, Move):
            expected = next(iter(reasons(game, action)), None)
            assert (after.reason if isinstance(after, Refusal) else None) is expected


@every_variant
@settings(max_examples=5)
@some_deals_and_walks
def test_help_offers_all_that_the_judge_allows_and_nothing_else(
    rules: Ruleset, number: int, seed: int, walk: Walk
) -> None:
    for step, (game, _, _) in enumerate(walk(dealt(rules, number), seed, 60)):
        if step % 6:
            continue
        for card in DECK:
            places, best = targets(game, card)
            assert places == tuple(to for to in PLACES if isinstance(play(game, Move(card, to)), Game))
            assert best == find_a_place(rules, game.table, card)
            assert best in places if places else best is None


@every_variant
def test_and_so_it_is_late_in_a_game(rules: Ruleset) -> None:
    won = [json.loads(line) for line in WINNABLE.read_text("ascii").splitlines()]
    for game_won in [line for line in won if line["code"].startswith(rules.name)][:10]:
        game = start_code(parse_code(game_won["code"]))
        for step, text in enumerate(game_won["actions"]):
            if step % 20 == 19:
                for move in (Move(card, to) for card in DECK for to in PLACES):
                    after = play(game, move)
                    expected = next(iter(reasons(game, move)), None)
                    assert (after.reason if isinstance(after, Refusal) else None) is expected
            after = play(game, notation.read(text))
            assert isinstance(after, Game)
            game = after


def reasons(game: Game, move: Move) -> list[Reason]:
    """Every reason against a move, in order of precedence, each by its own words in the rules."""
    rules, table, card, to = game.rules, game.table, move.card, move.to
    rank, suit = RANK[card], SUITS.index(card[1])
    column = next((column for column in table.columns if card in column), ())
    number = next((str(index + 1) for index, column in enumerate(table.columns) if card in column), None)
    is_home = rank < table.home[suit]
    hidden = number is not None and column.index(card) < table.down[int(number) - 1]
    on_it = len(column) - 1 - column.index(card) if number else 0
    aces = {column[-1] for column in table.columns if column and column[-1][0] == "A"}
    last = table.columns[int(to) - 1][-1:] if to != "home" else ()
    colours_differ = bool(last) and (last[0][1] in "HD") != (card[1] in "HD")
    fits = bool(last) and RANK[last[0]] == rank + 1 and (colours_differ or rules.variant == "R")
    against = {
        Reason.GAME_OVER: sum(table.home) == 52,
        Reason.ACE_FIRST: rules.variant == "T" and bool(aces) and not (card in aces and to == "home"),
        Reason.NOT_AVAILABLE: (
            hidden or card in table.stock or card in table.waste[:-1] or (is_home and rank + 1 != table.home[suit])
        ),
        Reason.SAME_PLACE: to == number or (to == "home" and is_home),
        Reason.HOME_IS_FINAL: rules.variant == "T" and is_home and to != "home",
        Reason.COVERED: to == "home" and on_it > 0,
        Reason.NOT_NEXT_HOME: to == "home" and rank != table.home[suit],
        Reason.GROUP_TOO_LARGE: rules.game == "YU1" and to != "home" and on_it + 1 > 20,
        Reason.KINGS_ONLY: to != "home" and not last and card[0] != "K",
        Reason.DOES_NOT_FIT: bool(last) and not fits,
    }
    return [reason for reason, applies in against.items() if applies]
