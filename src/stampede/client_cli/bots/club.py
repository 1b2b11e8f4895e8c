"""The club player: weighs what it sees, two actions ahead."""

import random
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from stampede.client_cli.bots.choices import Choice, aimless, choices, comes_back, is_known
from stampede.client_cli.bots.mind import visible_table
from stampede.client_cli.bots.stamina import Stamina
from stampede.patience.cards import HIDDEN, KING, RANK, SUIT, Card
from stampede.patience.game import Action, Draw, Move
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.protocol.events import Board

# What an action is good for, best first; only their order matters. Bringing home whatever can go there was measured to
# win fewer games than what leads to turning another card.
_SAFE_HOME: Final = 8
"""It brings home a card of the lowest rank still out, or one above: hardly anything will want to lie on it."""
_TURNS: Final = 7
_TURNS_NEXT: Final = 6
"""It makes way for an action that turns a card."""
FROM_WASTE: Final = 5
_HOME_NEXT: Final = 4
_HOME: Final = 3
_DRAWS: Final = 2
_NOTHING: Final = 1
_APART: Final = 1
"""Taken off for taking apart what fits together."""

# What decides between actions that are good for the same: how the table looks after them.
_TURNED: Final = 20
_FITS: Final = 2
"""For a card that lies on one it fits on: the two can stay together."""
_OVER: Final = 3
"""Against a card that lies above a lower one of its suit."""
_EMPTY: Final = 9
_KING_DOWN: Final = 3
"""For a column that has its king at the bottom."""
_BURIES: Final = 1
"""Against each card that lies on one that could go home next."""
_IN_TALON: Final = 3
_WHIM: Final = 1.5
"""How much it likes one thing better than another on no account."""


class Liked(NamedTuple):
    """An action and what this player thinks of it; the greater the better."""

    good_for: int
    looks: float
    action: Action


class Club:
    """Plays to turn cards, to free those that go home next, and to make room for kings; never to a table it has had."""

    def __init__(self, rules: Ruleset, chance: random.Random) -> None:
        self._rules = rules
        self._chance = chance
        self._stamina = Stamina()
        self._been: set[Table] = set()

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The action that promises most, the next one considered; None once that leads nowhere."""
        table = visible_table(board)
        liked = self.likes(table, barred)
        return liked.action if liked is not None and self._stamina.lasts(table) else None

    def likes(self, table: Table, barred: Collection[Action]) -> Liked | None:
        """What it would do, and how much it thinks of that."""
        self._been.add(table)
        return max(
            (
                Liked(self._good_for(table, choice), self._looks(choice.after) + self._whim(), choice.action)
                for choice in self._new(table, table)
                if choice.action not in barred
            ),
            key=lambda liked: liked[:2],
            default=None,
        )

    def _good_for(self, table: Table, choice: Choice) -> int:
        action = choice.action
        if isinstance(action, Draw):
            return _DRAWS
        if choice.goes_home() and RANK[action.card] <= min(table.home) + 1:
            return _SAFE_HOME
        if choice.turns(table):
            return _TURNS
        if choice.goes_home():
            return _HOME
        good_for = self._leads_to(table, choice.after) - _APART * _takes_apart(self._rules, table, action)
        return max(good_for, FROM_WASTE) if action.card in table.waste else good_for

    def _leads_to(self, before: Table, table: Table) -> int:
        """The best that the next action could be good for."""
        if not is_known(table):
            return _NOTHING
        best = _NOTHING
        for choice in self._new(table, before):
            if choice.turns(table):
                return _TURNS_NEXT
            if choice.goes_home():
                best = _HOME_NEXT
        return best

    def _whim(self) -> float:
        return self._chance.random() * _WHIM

    def _new(self, table: Table, root: Table) -> Iterator[Choice]:
        """What may be done and leads to a table that this player has not had."""
        for choice in choices(self._rules, table):
            new = choice.after not in self._been and choice.after != root
            if new and not aimless(table, choice) and not comes_back(table, choice):
                yield choice

    def _looks(self, table: Table) -> float:
        worth = float(-_TURNED * sum(table.down) - _IN_TALON * len(table.stock + table.waste))
        lies_on = self._rules.lies_on
        for column, down in zip(table.columns, table.down, strict=True):
            if not column:
                worth += _EMPTY
                continue
            bottom = column[0]
            if not down and bottom != HIDDEN and RANK[bottom] == KING:
                worth += _KING_DOWN
            worth += _FITS * sum(
                card != HIDDEN and under in lies_on[card]
                for under, card in zip(column[down:], column[down + 1 :], strict=False)
            )
            worth -= self._trouble(table, [card for card in column[down:] if card != HIDDEN])
        return worth

    def _trouble(self, table: Table, cards: list[Card]) -> int:
        """How much lies on what is wanted first, in one column's cards that are face up."""
        trouble = 0
        lowest: dict[int, int] = {}
        for at, card in enumerate(cards):
            suit, rank = SUIT[card], RANK[card]
            if lowest.setdefault(suit, rank) < rank:
                trouble += _OVER
            lowest[suit] = min(lowest[suit], rank)
            if rank == table.home[suit]:
                trouble += _BURIES * (len(cards) - 1 - at)
        return trouble


def _takes_apart(rules: Ruleset, table: Table, move: Move) -> bool:
    """Whether a move takes a card from one that it fits on."""
    for column, down in zip(table.columns, table.down, strict=True):
        if move.card in column[down + 1 :]:
            return column[column.index(move.card) - 1] in rules.lies_on[move.card]
    return False
