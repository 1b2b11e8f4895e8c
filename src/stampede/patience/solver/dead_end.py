"""The dead-end test: a game in which whatever was once exposed stays exposed.

In that game a card's place never gets worse, so it is played out by a fixpoint and never by a search. Every real
game can be followed in it move by move; if some card still never gets home in it, the real position is lost.

- A card is *exposed* once it has been the end of a column, and has *left* once it has gone from the card under it.
- It leaves for home when its suit has come that far, or (face up, or turned up by being exposed) for any exposed
  card that takes it; but for one that lies above it in its own column only once some card between them has left.
- A king leaves for an empty column, if it is not at the bottom already.
- Cards of the talon are at hand at any time, and so are cards that are home, where they may come back.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from stampede.patience.solver.law import Law


class Laid(Protocol):
    """What the test asks of one column."""

    top: int
    down: int
    under: dict[int, int]
    over: dict[int, int]


class DeadEnd:
    """The test, for one law."""

    def __init__(self, law: Law) -> None:
        self.home_is_final = law.home_is_final
        self.children = [tuple(x for x in range(52) if law.children[p] >> x & 1) for p in range(52)]
        self.parents = [tuple(p for p in range(52) if law.children[p] >> x & 1) for x in range(52)]

    def proves(self, columns: Sequence[Laid], home: Sequence[int], talon: Iterable[int], empty: bool) -> bool:
        """Whether some card can never get home. `columns` are those with cards; `empty`: there are others."""
        under: dict[int, int] = {}
        over: dict[int, int] = {}
        down = 0
        stack = []
        for column in columns:
            under.update(column.under)
            over.update(column.over)
            down |= column.down
            stack.append(column.top)
        need = len(under)
        if not need:
            return False
        outside = 0
        ahead = list(home)
        for x in talon:
            outside |= 1 << x
        if outside:
            for suit in range(4):
                while ahead[suit] < 13 and outside >> ahead[suit] * 4 + suit & 1:
                    ahead[suit] += 1
        at_hand = outside
        if not self.home_is_final:
            for suit in range(4):
                for rank in range(home[suit]):
                    outside |= 1 << rank * 4 + suit
        exposed = left = 0
        leaving: list[int] = []
        later: list[tuple[int, int]] = []
        children, parents = self.children, self.parents
        kings_to_free = empty
        while True:
            while True:
                if kings_to_free:
                    kings_to_free = False
                    for x in (48, 49, 50, 51):
                        if x not in under:
                            if outside >> x & 1:
                                stack.append(x)
                        elif under[x] >= 0 and not (down & ~exposed) >> x & 1:
                            leaving.append(x)
                if leaving:
                    x = leaving.pop()
                    if left >> x & 1:
                        continue
                    left |= 1 << x
                    if under[x] >= 0:
                        stack.append(under[x])
                    elif not empty:
                        empty = kings_to_free = True
                    continue
                if not stack:
                    break
                p = stack.pop()
                if exposed >> p & 1:
                    continue
                exposed |= 1 << p
                if p in under:
                    need -= 1
                    if not need:
                        return False
                    suit = p & 3
                    if ahead[suit] == p >> 2:  # and perhaps a chain of its suit behind it
                        q = p
                        while q < 52:
                            if q in under:
                                if not exposed >> q & 1:
                                    break
                                leaving.append(q)
                            elif not at_hand >> q & 1:
                                break
                            ahead[suit] += 1
                            q += 4
                    if (down & ~left) >> p & 1:
                        if p >= 48:
                            if empty and under[p] >= 0:
                                leaving.append(p)
                        else:
                            later += [(p, q) for q in parents[p] if exposed >> q & 1]
                for x in children[p]:
                    if left >> x & 1:
                        continue
                    above = over.get(x)
                    if above is None:
                        if outside >> x & 1:
                            stack.append(x)
                    elif (down & ~exposed) >> x & 1:
                        continue
                    elif above >> p & 1:
                        later.append((x, p))
                    else:
                        leaving.append(x)
            waiting = []
            for x, p in later:
                if left >> x & 1:
                    continue
                above = over[x]
                if not above >> p & 1 or above & ~over[p] & left:
                    leaving.append(x)
                else:
                    waiting.append((x, p))
            later = waiting
            if not leaving:
                return True
