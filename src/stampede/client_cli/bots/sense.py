"""Simple sense: turn cards, go home, never come back to a table that was there before."""

from collections.abc import Collection, Iterator
from typing import Final

from stampede.client_cli.bots.mind import visible_table
from stampede.patience import referee
from stampede.patience.cards import HIDDEN, KING, RANK, SUIT, Card
from stampede.patience.game import Action, Draw, Move
from stampede.patience.referee import HOME, Outcome
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.protocol.events import Board

# What a happening is worth to this mind; only their order matters.
_SAFE_HOME: Final = 100
_TURNS: Final = 60
_HOME: Final = 40
_OPENS_THE_WAY_HOME: Final = 30
_EMPTIES_A_COLUMN: Final = 20
_FROM_WASTE: Final = 15
_KING_TO_EMPTY: Final = 10
_DRAWS: Final = 5
_ANY: Final = 1


class Sense:
    """Plays the most promising action that leads to a table it has not seen yet."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._been: set[Table] = set()
        self._recycled = 0

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The action that looks best; None once all of them lead back."""
        table = visible_table(board)._replace(recycled=self._recycled)
        self._been.add(_place(table))
        best: Action | None = None
        worth = 0
        for action, after in self._allowed(table):
            value = self._worth(table, action, after)
            if value > worth and action not in barred and _place(after) not in self._been:
                best, worth = action, value
        if isinstance(best, Draw) and not table.stock:
            self._recycled += 1
        return best

    def _allowed(self, table: Table) -> Iterator[tuple[Action, Table]]:
        for card in _in_sight(table):
            for to in referee.targets(self._rules, table, card):
                verdict = referee.judge_move(self._rules, table, card, to)
                if isinstance(verdict, Outcome):
                    yield Move(card, to), verdict.table
        drawn = referee.judge_draw(self._rules, table)
        if isinstance(drawn, Outcome):
            yield Draw(), drawn.table

    def _worth(self, table: Table, action: Action, after: Table) -> int:
        if not isinstance(action, Move):
            return _DRAWS
        card = action.card
        if action.to == HOME:
            return _SAFE_HOME if RANK[card] <= min(table.home) + 1 else _HOME
        if after.down != table.down:
            # The shorter the pile that it lies on, the sooner a column is empty.
            return _TURNS - max(table.down[at] for at in range(7) if after.down[at] != table.down[at])
        if table.waste and table.waste[-1] == card:
            return _FROM_WASTE
        source = next(at for at, column in enumerate(table.columns) if card in column)
        under = after.columns[source]
        if not under:
            # A king that moves from one empty column to the other has done nothing.
            return 0 if RANK[card] == KING else _EMPTIES_A_COLUMN
        if RANK[under[-1]] == table.home[SUIT[under[-1]]]:
            return _OPENS_THE_WAY_HOME
        return _KING_TO_EMPTY if RANK[card] == KING else _ANY


def _in_sight(table: Table) -> Iterator[Card]:
    """The cards that might move; not those at home, which are there for good as far as this mind goes."""
    for column in table.columns:
        yield from (card for card in column if card != HIDDEN)
    yield from table.waste[-1:]


def _place(table: Table) -> Table:
    """A table as far as having been there goes: a further turn of the same waste is nothing new."""
    return table._replace(recycled=0)
