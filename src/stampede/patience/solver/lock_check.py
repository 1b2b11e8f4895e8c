"""The checker of lock sets: naive, every step spelled out, sharing nothing with the finder.

The argument: suppose locked cards do leave, and look at the first one, at the moment it leaves. By then no locked
card has left, so whatever lies under a locked card still does, was never bare, and never moved by itself. The
checker goes through the three ways to leave (home, onto another card, into an empty column) and
asks whether each was barred at that moment. If all are, for all locked cards, none is ever the first, so none leaves,
and with a card that never leaves the deal is never won.
"""

from collections.abc import Sequence

from stampede.patience.ruleset import Ruleset

ORDER = list("A23456789TJQK")


def lock_fault(
    rules: Ruleset, columns: Sequence[Sequence[str]], down: Sequence[int], locked: frozenset[str]
) -> str | None:
    """What is wrong with a lock set for these columns; None if it holds.

    Cards in no column (stock, waste, foundations) count as free at any time.
    """
    if not locked:
        return "an empty set proves nothing"
    column_of: dict[str, int] = {}
    height_of: dict[str, int] = {}
    for number, column in enumerate(columns):
        for height, card in enumerate(column):
            column_of[card] = number
            height_of[card] = height
    for card in sorted(locked):
        if card not in column_of:
            return f"{card} lies in no column"

    def never_bare(card: str) -> bool:
        if card not in column_of:
            return False
        column, height = columns[column_of[card]], height_of[card]
        return height + 1 < len(column) and column[height + 1] in locked

    for card in sorted(locked):
        column, height = columns[column_of[card]], height_of[card]
        upto = ORDER[: ORDER.index(card[0]) + 1]
        if not any(never_bare(rank + card[1]) for rank in upto):
            return f"{card} may go home"
        if height < down[column_of[card]] and never_bare(card):
            continue  # face down for ever, and such a card heads no group
        if card[0] == "K":
            for number, other in enumerate(columns):
                if not other or other[0] not in locked:
                    return f"{card} may go to column {number + 1}, once that is empty"
            continue
        above_it = ORDER[ORDER.index(card[0]) + 1]
        for suit in rules.builds_on[card[1]]:
            target = above_it + suit
            if never_bare(target):
                continue
            if target in column[height + 1 :]:
                between = column[height + 1 : column.index(target) + 1]
                if all(other in locked for other in between):
                    continue  # it rides on this very card and never gets off before it
            return f"{card} may go on {target}"
    return None
