"""Columns, and what a table's place in the queue is made of."""

from typing import NamedTuple

from stampede.patience.solver.law import Law


class Weights(NamedTuple):
    """What a table's place in the queue is made of; less is better."""

    card: int
    """For a card not yet home."""
    down: int
    """For a face-down card."""
    gap: int
    """For a card on one that it does not fit."""
    over: int
    """For a card in the same column as a lower one of its suit under it."""
    empty: int
    """Taken off for an empty column."""
    base: int
    """For a column that has no king at its bottom."""
    depth: int
    """Eighths, for a move made."""
    talon: int = 0
    """For a card in the talon."""
    passed: int = 0
    """For a card on the waste, where it will not come round again."""


class Column:
    """All that is asked about one column; made once for each column met.

    A column is bytes: how many lie face down, then its cards from the bottom.
    """

    __slots__ = ("at", "count", "down", "over", "score", "top", "under", "up")

    def __init__(self, column: bytes, law: Law, weights: Weights) -> None:
        down, count = column[0], len(column) - 1
        self.top = column[-1]
        self.count = count
        self.up = 0  # cards that may head a group
        self.down = 0
        self.at: dict[int, int] = {}
        self.under: dict[int, int] = {}
        self.over: dict[int, int] = {}  # for each card the set of those above it
        score = weights.down * down
        if column[1] >> 2 != 12:
            score += weights.base
        lowest = [99] * 4
        below = -1
        limit = law.group_limit or 52
        for at in range(1, count + 1):
            card = column[at]
            if at <= down:
                self.down |= 1 << card
            elif count - at < limit:
                self.up |= 1 << card
            self.at[card] = at
            self.under[card] = below
            if below >= 0 and not law.children[below] >> card & 1:
                score += weights.gap
            rank = card >> 2
            if lowest[card & 3] < rank:
                score += weights.over
            else:
                lowest[card & 3] = rank
            below = card
        above = 0
        for at in range(count, 0, -1):
            self.over[column[at]] = above
            above |= 1 << column[at]
        self.score = score
