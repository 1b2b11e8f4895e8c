"""Lock sets: the quick proof that a deal cannot be won.

A lock set is a set of cards that can never leave the card they lie on (or their column, at its bottom). This finds
the greatest one, by throwing out of all cards those that might leave until none is left to throw out;
`lock_check` checks it without sharing a line with this.
"""

from itertools import pairwise

from stampede.patience.cards import KING, RANK, RANKS, Card
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver.answer import LockSet
from stampede.patience.table import Table


def locked_table(rules: Ruleset, table: Table) -> LockSet | None:
    """The greatest lock set of a table, face-down cards known; None if there is none."""
    place: dict[Card, tuple[int, int]] = {}
    above: dict[Card, Card] = {}
    for number, column in enumerate(table.columns):
        for at, card in enumerate(column):
            place[card] = number, at
        above.update(pairwise(column))
    locked = set(place)
    changed = True
    while changed:
        changed = False
        # A king moves once there is an empty column, and that takes a column whose bottom card can leave.
        king_may_move = not all(column and column[0] in locked for column in table.columns)
        for card in sorted(locked):
            number, at = place[card]
            # In the suit's order, every card up to this one has to be bare once before it is home.
            may_leave = not any(above.get(rank + card[1]) in locked for rank in RANKS[: RANK[card] + 1])
            if not may_leave and not (at < table.down[number] and above.get(card) in locked):
                if RANK[card] == KING:
                    may_leave = king_may_move
                else:
                    may_leave = any(
                        above.get(other) not in locked and not _rides(table, place, locked, card, other)
                        for other in rules.lies_on[card]
                    )
            if may_leave:
                locked.discard(card)
                changed = True
    return LockSet(frozenset(locked)) if locked else None


def _rides(table: Table, place: dict[Card, tuple[int, int]], locked: set[Card], card: Card, other: Card) -> bool:
    """Whether `other` lies above `card` in its column with none but locked cards from there on: it never gets off."""
    if other not in place:
        return False
    (number, at), (where, height) = place[card], place[other]
    return where == number and height > at and all(x in locked for x in table.columns[number][at + 1 : height + 1])
