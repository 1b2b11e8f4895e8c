"""The club player: weighs what it sees, two actions ahead."""

import random
from collections.abc import Collection, Iterator
from typing import Final

from stampede.client_cli.bots.choices import Choice, aimless, choices, comes_back, is_known
from stampede.client_cli.bots.mind import visible_table
from stampede.client_cli.bots.stamina import Stamina
from stampede.patience.cards import HIDDEN, KING, RANK, SUIT, Card
from stampede.patience.game import Action
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.protocol.events import Board

# What this player makes of a table; only their proportions matter.
_HOME: Final = 3
"""For a card at home, but only in games with a talon. Without one it counts for nothing by itself: bringing home
whatever can go there was measured to win fewer games."""
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
_LATER: Final = 1
"""Against what takes two actions instead of one."""
_WHIM: Final = 1.5
"""How much it likes one thing better than another on no account."""


class Club:
    """Plays to turn cards, to free those that go home next, and to make room for kings; never to a table it has had."""

    def __init__(self, rules: Ruleset, chance: random.Random) -> None:
        self._rules = rules
        self._chance = chance
        self._stamina = Stamina()
        self._been: set[Table] = set()

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The first of the two actions that promise most; None once that leads nowhere."""
        table = visible_table(board)
        self._been.add(table)
        if not self._stamina.lasts(table):
            return None
        best: Action | None = None
        worth = 0.0
        for choice in self._new(table, table):
            if choice.action in barred:
                continue
            value = self._worth(table, choice) + self._chance.random() * _WHIM
            if best is None or value > worth:
                best, worth = choice.action, value
        return best

    def _worth(self, before: Table, choice: Choice) -> float:
        """What an action comes to, with the best that may follow if that can be seen."""
        worth = self._looks(choice.after)
        if is_known(choice.after):
            following = (self._looks(then.after) - _LATER for then in self._new(choice.after, before))
            worth = max(worth, max(following, default=worth))
        return worth

    def _new(self, table: Table, root: Table) -> Iterator[Choice]:
        """What may be done and leads to a table that this player has not had."""
        for choice in choices(self._rules, table):
            new = choice.after not in self._been and choice.after != root
            if new and not aimless(table, choice) and not comes_back(table, choice):
                yield choice

    def _looks(self, table: Table) -> float:
        worth = float(-_TURNED * sum(table.down) - _IN_TALON * len(table.stock + table.waste))
        if self._rules.draws:
            worth += _HOME * table.cards_home
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
