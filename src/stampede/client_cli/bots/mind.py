"""A mind: what decides on a bot's next action."""

from collections.abc import Collection
from typing import Protocol

from stampede.patience.cards import HIDDEN, SUITS
from stampede.patience.game import Action
from stampede.patience.table import Table
from stampede.protocol.events import Board


class Mind(Protocol):
    """Decides from what a player sees. A mind belongs to one race, and may remember what it has seen there."""

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The next action, or None if it sees none that is worth playing.

        `barred` are those that were refused on this very board.
        """


def visible_table(board: Board) -> Table:
    """A board as a table for the referee, in which every hidden card is `--`.

    Judging a move of a visible card on it comes out as on the true table. How often the waste has been turned over
    is not on a board, so `recycled` is 0.
    """
    return Table(
        columns=tuple(tuple(column) for column in board.columns),
        down=tuple(sum(card == HIDDEN for card in column) for column in board.columns),
        home=tuple(board.home[suit] for suit in SUITS),
        stock=(HIDDEN,) * board.stock,
        waste=tuple(board.waste),
    )
