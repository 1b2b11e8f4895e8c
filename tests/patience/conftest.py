"""What the tests of the ground floor share: tables laid by hand, an easy deal, and a walk through a game."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from stampede.patience import game as games
from stampede.patience.cards import DECK, RANK, RANKS, SUITS, Card
from stampede.patience.errors import Refusal
from stampede.patience.game import Action, Draw, Game, Move, Undo, play
from stampede.patience.referee import PLACES
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table

ANYTHING: tuple[Action, ...] = (*(Move(card, to) for card in DECK for to in PLACES), Draw(), Undo())


@pytest.fixture(scope="session")
def anything() -> tuple[Action, ...]:
    """Every action there is, sensible or not."""
    return ANYTHING


@pytest.fixture(scope="session")
def laid() -> Callable[..., Table]:
    """Lays a table, face-down cards in brackets: `laid("(KD 5H) QS", "9C", home="3S AH", stock="2D", waste="7C")`."""

    def lay(*columns: str, home: str = "", stock: str = "", waste: str = "") -> Table:
        columns += ("",) * (7 - len(columns))
        hidden = [column[: column.find(")") + 1].strip("()").split() for column in columns]
        tops = {card[1]: RANKS.index(card[0]) + 1 for card in home.split()}
        return Table(
            tuple(tuple(column.replace("(", "").replace(")", "").split()) for column in columns),
            tuple(len(cards) for cards in hidden),
            tuple(tops.get(suit, 0) for suit in SUITS),
            tuple(stock.split()),
            tuple(waste.split()),
        )

    return lay


@pytest.fixture(scope="session")
def easy() -> Callable[[Ruleset], tuple[tuple[Card, ...], tuple[Action, ...]]]:
    """An order to deal from, and the actions that win it: every card is in reach when its turn to go home comes."""

    def order_and_actions(rules: Ruleset) -> tuple[tuple[Card, ...], tuple[Action, ...]]:
        by_rank = sorted(DECK, key=RANK.__getitem__)
        in_stock = 52 - sum(rules.face_down) - sum(rules.face_up)
        stock: list[Card] = []
        actions: list[Action] = []
        while len(stock) < in_stock:
            drawn = by_rank[len(stock) : len(stock) + rules.draws]
            stock += reversed(drawn)
            actions += [Draw(), *(Move(card, "home") for card in drawn)]
        actions += [Move(card, "home") for card in by_rank[in_stock:]]
        return (*reversed(by_rank[in_stock:]), *stock), tuple(actions)

    return order_and_actions


Walk = Iterator[tuple[Game, Action, Game | Refusal]]


@pytest.fixture(scope="session")
def walk() -> Callable[..., Walk]:
    """Walks through a game by chance: yields each game, the action tried on it, and what came of that.

    Half of the actions are allowed moves, the rest is anything. `undo` and `back` say whether undos, and moves of
    cards that are home, are among them. The same seed walks the same way.
    """

    def steps(game: Game, seed: int, length: int, *, undo: bool = True, back: bool = True) -> Walk:
        chance = Random(seed)
        for _ in range(length):
            action = some_action(game, chance)
            if (action == Undo() and not undo) or (is_back(game, action) and not back):
                continue
            after = play(game, action)
            yield game, action, after
            if isinstance(after, Game):
                game = after

    return steps


def some_action(game: Game, chance: Random) -> Action:
    dice = chance.random()
    if dice < 0.15:
        return Draw()
    if dice < 0.25:
        return Undo()
    if dice < 0.5:
        return chance.choice(ANYTHING)
    for card in chance.sample(DECK, 52):
        places, best = games.targets(game, card)
        if best is not None:
            return Move(card, best if chance.random() < 0.5 else chance.choice(places))
    return Draw()


def is_back(game: Game, action: Action) -> bool:
    return isinstance(action, Move) and game.table.home[SUITS.index(action.card[1])] > RANK[action.card]
