"""Choices: what may be played on a table as its player sees it."""

from collections.abc import Iterator
from typing import NamedTuple

from stampede.patience import referee
from stampede.patience.cards import HIDDEN, RANKS, SUITS, Card
from stampede.patience.errors import Refusal
from stampede.patience.game import Draw, Move
from stampede.patience.referee import HOME, PLACES
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table


class Choice(NamedTuple):
    """One action that the referee allows, and the table after it: a card that it turns up or draws is `--` there."""

    action: Move | Draw
    after: Table

    def turns(self, before: Table) -> bool:
        """Whether it turns a card up."""
        return self.after.down != before.down

    def goes_home(self) -> bool:
        """Whether it brings a card home."""
        return isinstance(self.action, Move) and self.action.to == HOME


def choices(rules: Ruleset, table: Table) -> Iterator[Choice]:
    """Every action that the referee allows, cards taken back from home included; undo is not among them.

    On a table where a turned card is still `--` there is no saying; such a table is not to be asked about.
    """
    for card in _movable(table):
        for to in PLACES:
            verdict = referee.judge_move(rules, table, card, to)
            if not isinstance(verdict, Refusal):
                yield Choice(Move(card, to), verdict[0])
    drawn = referee.judge_draw(rules, table)
    if not isinstance(drawn, Refusal):
        yield Choice(Draw(), drawn[0])


def is_known(table: Table) -> bool:
    """Whether every card that lies face up on a table has a name."""
    columns = zip(table.columns, table.down, strict=True)
    return HIDDEN not in table.waste and all(HIDDEN not in column[down:] for column, down in columns)


def aimless(table: Table, choice: Choice) -> bool:
    """Whether a choice only takes a king from the bottom of one column to the bottom of another."""
    if not isinstance(choice.action, Move) or choice.action.to == HOME:
        return False
    emptied = any(column and not after for column, after in zip(table.columns, choice.after.columns, strict=True))
    return emptied and any(
        after and not column for column, after in zip(table.columns, choice.after.columns, strict=True)
    )


def comes_back(table: Table, choice: Choice) -> bool:
    """Whether a choice takes a card back from home."""
    return choice.after.cards_home < table.cards_home


def _movable(table: Table) -> Iterator[Card]:
    """The cards that can be taken, in an order that is always the same."""
    for column, down in zip(table.columns, table.down, strict=True):
        yield from column[down:]
    yield from table.waste[-1:]
    yield from (RANKS[count - 1] + suit for suit, count in zip(SUITS, table.home, strict=True) if count)
