"""The table: an immutable picture of all piles."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from stampede.patience.cards import HIDDEN, RANKS, SUITS, Card
from stampede.patience.ruleset import Ruleset

Column = tuple[Card, ...]

_ALL_HOME = (len(RANKS),) * len(SUITS)
_HIDDEN = [(HIDDEN,) * down for down in range(len(RANKS) * len(SUITS) + 1)]
"""So many face-down cards."""


class Table(NamedTuple):
    """All piles at one moment. A named tuple, because one is made for every move that is judged."""

    columns: tuple[Column, ...]
    """Seven columns, each from its bottom card upwards."""
    down: tuple[int, ...]
    """How many of each column, from the bottom, lie face down."""
    home: tuple[int, ...]
    """How many cards of each suit are home, in the order of `cards.SUITS`."""
    stock: tuple[Card, ...] = ()
    """First to be drawn first."""
    waste: tuple[Card, ...] = ()
    """From bottom to top."""
    recycled: int = 0
    """How often the waste has been turned over."""

    @property
    def cards_home(self) -> int:
        """Cards on the foundations, 0 to 52."""
        return sum(self.home)

    @property
    def won(self) -> bool:
        """Whether all 52 cards are home."""
        return self.home == _ALL_HOME

    def seen(self, column: int) -> Column:
        """Column 0 to 6 as its player sees it: face-down cards are `--`."""
        cards, down = self.columns[column], self.down[column]
        return _HIDDEN[down] + cards[down:] if down else cards


table_of: Final[
    Callable[
        [tuple[tuple[Column, ...], tuple[int, ...], tuple[int, ...], tuple[Card, ...], tuple[Card, ...], int]], Table
    ]
] = partial(tuple.__new__, Table)
"""The table with these fields, all of them: what `Table` does, a third quicker."""


def deal(ruleset: Ruleset, order: Sequence[Card]) -> Table:
    """Lay out the 52 cards of `order`: column 1 first, each from its bottom card upwards, the rest is the stock."""
    columns, at = [], 0
    for down, up in zip(ruleset.face_down, ruleset.face_up, strict=True):
        columns.append(tuple(order[at : at + down + up]))
        at += down + up
    return Table(tuple(columns), ruleset.face_down, (0, 0, 0, 0), tuple(order[at:]))
