"""Memory: what a player knows of a deal by having watched the table, and nothing else.

A face-down card stays where it was dealt until it is turned up, and the talon (waste and stock) keeps its order all
through a game. So what has once been seen there can be told again after an undo or a turn of the waste.
"""

import random
from collections.abc import Iterator

from stampede.client_cli.bots.mind import visible_table
from stampede.patience.cards import DECK, HIDDEN, RANKS, SUITS, Card
from stampede.patience.table import Table
from stampede.protocol.events import Board


class Memory:
    """One player's, in one race."""

    def __init__(self) -> None:
        self._buried: dict[tuple[int, int], Card] = {}
        """Cards that were dealt face down and have been seen since, by column and height."""
        self._talon: list[Card | None] = []
        """The talon as it was dealt; None for what has not been seen."""
        self._here: Table | None = None

    def see(self, board: Board) -> Table:
        """Take in a board; returns it as a table in which what nobody has shown is `--`."""
        table = visible_table(board)
        before = self._here
        for at, (column, down) in enumerate(zip(table.columns, table.down, strict=True)):
            if down or (column and before is not None and before.down[at] == 1):
                # The lowest card that is face up lies there since it was dealt: had it left, the next would be turned.
                self._buried[at, down] = column[down]
        self._see_talon(table)
        self._here = table
        return table

    def unseen(self, table: Table) -> list[Card]:
        """The cards of which it is not known where they lie, in the deck's order."""
        seen = set(_visible(table)) | set(self._buried.values()) | set(self._talon)
        return [card for card in DECK if card not in seen]

    def imagine(self, table: Table, chance: random.Random) -> Table:
        """A table that agrees with all that was ever seen, with the rest as chance will have it."""
        unseen = self.unseen(table)
        chance.shuffle(unseen)
        columns = tuple(
            tuple(
                self._buried.get((at, height)) or unseen.pop() if card == HIDDEN else card
                for height, card in enumerate(column)
            )
            for at, column in enumerate(table.columns)
        )
        stock = tuple(card or unseen.pop() for card in self._left(table)[len(table.waste) :])
        return table._replace(columns=columns, stock=stock)

    def _see_talon(self, table: Table) -> None:
        gone = _laid_out(table)
        left = [at for at, card in enumerate(self._talon) if card is None or card not in gone]
        if len(left) != len(table.waste) + len(table.stock):  # the first look, or one after a time away
            self._talon = [*table.waste, *(None for _ in table.stock)]
            return
        for at, card in zip(left, table.waste, strict=False):
            self._talon[at] = card

    def _left(self, table: Table) -> list[Card | None]:
        """What is left of the talon, waste first."""
        gone = _laid_out(table)
        return [card for card in self._talon if card is None or card not in gone]


def _laid_out(table: Table) -> set[Card]:
    """The cards that lie face up in columns or are home."""
    laid = {card for column in table.columns for card in column if card != HIDDEN}
    return laid | {rank + suit for suit, count in zip(SUITS, table.home, strict=True) for rank in RANKS[:count]}


def _visible(table: Table) -> Iterator[Card]:
    yield from _laid_out(table)
    yield from table.waste
