"""Secrecy: two deals that agree on all that a player has seen look the same to that player, in every word."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stampede.patience.cards import DECK, HIDDEN, RANKS, SUITS, Card, spoken
from stampede.patience.codes import Code, dealing_order, payload
from stampede.patience.errors import Refusal
from stampede.patience.game import Action, Game, Move, play, start, targets
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)


def in_sight(table: Table) -> set[Card]:
    columns = {card for column in range(7) for card in table.seen(column)} - {HIDDEN}
    home = {RANKS[rank] + suit for suit, count in zip(SUITS, table.home, strict=True) for rank in range(count)}
    return columns | set(table.waste) | home


def view(game: Game) -> tuple[object, ...]:
    """All that a player is shown, or may ask for."""
    table = game.table
    return (
        [table.seen(column) for column in range(7)],
        table.home,
        len(table.stock),
        table.waste,
        (game.score, game.moves, game.undo_left, game.won),
        table.recycled,
        [targets(game, card) for card in DECK],
    )


def answers(game: Game, actions: list[Action]) -> list[object]:
    """What a player is told, action for action; refusals whole."""
    told: list[object] = [view(game)]
    for action in actions:
        after = play(game, action)
        if isinstance(after, Refusal):
            told.append(after)
        else:
            game = after
            told.append(view(game))
    return told


@every_variant
@settings(max_examples=8)
@given(number=st.integers(0, 32**7 - 1), seed=st.integers(0, 2**32), length=st.integers(1, 60))
def test_hidden_cards_make_no_difference_to_anything_a_player_is_told(
    rules: Ruleset, number: int, seed: int, length: int, walk: Callable[..., Any]
) -> None:
    order = dealing_order(Code(rules.game, rules.variant, payload(number, 7)))
    steps = list(walk(start(rules, order), seed, length))
    actions = [action for _, action, _ in steps]
    seen: set[Card] = set()
    for game, _, after in steps:
        seen |= in_sight(game.table) | (in_sight(after.table) if isinstance(after, Game) else set())

    unseen = [card for card in order if card not in seen]
    shuffled = iter(Random(seed).sample(unseen, len(unseen)))
    other = tuple(card if card in seen else next(shuffled) for card in order)
    assert answers(start(rules, order), actions) == answers(start(rules, other), actions)


@every_variant
@settings(max_examples=8)
@given(number=st.integers(0, 32**7 - 1), seed=st.integers(0, 2**32))
def test_no_refusal_names_a_card_out_of_sight_but_the_one_the_player_named(
    rules: Ruleset, number: int, seed: int, walk: Callable[..., Any]
) -> None:
    order = dealing_order(Code(rules.game, rules.variant, payload(number, 7)))
    for game, action, after in walk(start(rules, order), seed, 100):
        if isinstance(after, Refusal):
            may_be_named = in_sight(game.table) | ({action.card} if isinstance(action, Move) else set())
            for card in set(DECK) - may_be_named:
                assert card not in after.facts.values()
                assert spoken(card) not in after.text
