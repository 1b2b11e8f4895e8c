"""The search, in pure Python: greedy best first over whole tables.

Every table met is remembered exactly, every legal move is tried (but for a harmless move home, which is as good as
all), and nothing is thrown away but proven dead ends. So an emptied queue proves that the game cannot be won.

Columns are interchangeable, so tables that differ only in their order are the same. Draws are no moves of their own:
a card of the talon is played together with the draws that bring it up.

The compiled search is this one again: same order, same nodes, same line.
"""

from typing import Final, NamedTuple

from stampede.patience.solver.column import Column, Weights
from stampede.patience.solver.dead_end import DeadEnd
from stampede.patience.solver.law import HOME, KINGS, Law, Start
from stampede.patience.solver.talon import reach, same_waste

WON: Final = 1
EXHAUSTED: Final = 0
RUNNING: Final = -1
FULL: Final = -2
"""Out of memory: nothing can be said."""

BUCKETS: Final = 16384


class _Waiting(NamedTuple):
    parent: int
    move: int
    score: int
    depth: int
    columns: tuple[bytes, ...]
    home: tuple[int, ...]
    talon: bytes
    waste: int


class Search:
    """One search after another from the same start."""

    def __init__(self, law: Law, start: Start) -> None:
        self._law = law
        self._dead_end = DeadEnd(law)
        self._start = start
        self.nodes = 0
        """Tables looked at since `begin`."""

    def begin(self, weights: Weights) -> None:
        """Start over, with other weights."""
        law, start = self._law, self._start
        self._weights = weights
        self._columns: dict[bytes, Column] = {}
        self._lines: list[tuple[int, int]] = []
        self._buckets: dict[int, list[_Waiting]] = {}
        self._lowest = BUCKETS
        self.nodes = 0
        self._state = RUNNING
        columns = tuple(
            bytes((down, *cards)) if cards else b"" for down, cards in zip(start.down, start.columns, strict=True)
        )
        talon = bytes(start.talon)
        score = weights.card * (52 - sum(start.home)) + weights.talon * len(talon)
        if law.single_pass:
            score += weights.passed * start.waste
        score += sum(self._column(column).score if column else -weights.empty for column in columns)
        self._known = {(tuple(sorted(columns)), talon, same_waste(law, len(talon), start.waste))}
        self._enqueue(_Waiting(0, 0, score, 0, columns, start.home, talon, start.waste))

    def run(self, nodes: int) -> int:
        """Look at that many more tables: `WON`, `EXHAUSTED` or still `RUNNING`."""
        buckets = self._buckets
        while self._state == RUNNING and nodes:
            while not buckets.get(self._lowest):
                buckets.pop(self._lowest, None)
                if not buckets:
                    self._state = EXHAUSTED
                    return EXHAUSTED
                self._lowest = min(buckets)
            waiting = buckets[self._lowest].pop()
            nodes -= 1
            self.nodes += 1
            self._lines.append((waiting.parent, waiting.move))
            self._state = self._expand(waiting)
        return self._state

    def line(self) -> list[int]:
        """The moves of the won line, as `law.actions` reads them."""
        node, move = self._last
        moves = [move]
        while node:
            node, move = self._lines[node]
            moves.append(move)
        return moves[::-1]

    def _column(self, column: bytes) -> Column:
        known = self._columns.get(column)
        if known is None:
            known = self._columns[column] = Column(column, self._law, self._weights)
        return known

    def _enqueue(self, waiting: _Waiting) -> None:
        place = (waiting.score * 8 + self._weights.depth * waiting.depth) >> 3
        place = min(max(place, 0), BUCKETS - 1)
        bucket = self._buckets.get(place)
        if bucket is None:
            self._buckets[place] = [waiting]
        else:
            bucket.append(waiting)
        if place < self._lowest:
            self._lowest = place

    def _expand(self, here: _Waiting) -> int:
        law, weights, column_of, known = self._law, self._weights, self._column, self._known
        score, columns, home, talon = here.score, here.columns, here.home, here.talon
        depth, node = here.depth + 1, self.nodes - 1
        laid = [column_of(column) if column else None for column in columns]
        full = [column for column in laid if column is not None]
        if self._dead_end.proves(full, home, talon, len(full) < 7):
            return RUNNING
        same_here = same_waste(law, len(talon), here.waste)

        def offer(
            new: list[bytes], newly_home: tuple[int, ...], points: int, rest: bytes, waste: int, same: int, move: int
        ) -> None:
            key = (tuple(sorted(new)), rest, same)
            if key not in known:
                known.add(key)
                self._enqueue(_Waiting(node, move, points, depth, tuple(new), newly_home, rest, waste))

        def cut(j: int, column: Column, at: int) -> tuple[bytes, int]:
            """Column j without its cards from `at` on, and the change of score."""
            rest = columns[j][:at]
            if at == 1:
                return b"", -column.score - weights.empty
            if rest[0] == at - 1:
                rest = bytes((at - 2,)) + rest[1:]
            return rest, column_of(rest).score - column.score

        def grown(k: int, cards: bytes) -> tuple[bytes, int]:
            """Column k with `cards` on it, and the change of score."""
            column = laid[k]
            new = (columns[k] or b"\0") + cards
            return new, column_of(new).score + (weights.empty if column is None else -column.score)

        homes = []
        forced = False
        for j, column in enumerate(laid):
            if column is not None and home[column.top & 3] == column.top >> 2:
                homes.append((j, column))
                if column.top < 4:
                    homes, forced = [(j, column)], True
                    break
        if not forced:
            for j, column in homes:
                if law.harmless(home, column.top):
                    homes, forced = [(j, column)], True
                    break
        for j, column in homes:
            move = column.top | HOME << 6
            if sum(home) == 51:
                return self._won(node, move)
            rest, change = cut(j, column, column.count)
            new = list(columns)
            new[j] = rest
            points = score + change - weights.card
            offer(new, _one_more(home, column.top), points, talon, here.waste, same_here, move)
        if forced:
            return RUNNING

        spots = []
        empty = False
        for k, column in enumerate(laid):
            if column is not None:
                if law.children[column.top]:
                    spots.append((k, law.children[column.top]))
            elif not empty:
                empty = True
                spots.append((k, KINGS))

        reached = reach(law, len(talon), here.waste) if talon else []
        if law.draw == 1 and not law.single_pass:
            for at, draws in reached:
                card = talon[at]
                if home[card & 3] == card >> 2 and law.harmless(home, card):
                    reached, forced = [(at, draws)], True
                    break
        for at, draws in reached:
            card = talon[at]
            rest = talon[:at] + talon[at + 1 :]
            base = score - weights.talon
            if law.single_pass:
                base += weights.passed * (at - here.waste)
            same = same_waste(law, len(rest), at)
            if home[card & 3] == card >> 2:
                move = card | HOME << 6 | draws << 9
                if sum(home) == 51:
                    return self._won(node, move)
                offer(list(columns), _one_more(home, card), base - weights.card, rest, at, same, move)
            if forced:
                return RUNNING
            for k, want in spots:
                if want >> card & 1:
                    taller, change = grown(k, bytes((card,)))
                    new = list(columns)
                    new[k] = taller
                    offer(new, home, base + change, rest, at, same, card | k << 6 | draws << 9)

        tops = 0
        if not law.home_is_final:
            for suit in range(4):
                if home[suit]:
                    tops |= 1 << (home[suit] - 1) * 4 + suit
        for k, want in spots:
            to_empty = laid[k] is None
            for j, column in enumerate(laid):
                if column is None or j == k:
                    continue
                found = want & column.up
                while found:
                    bit = found & -found
                    found ^= bit
                    card = bit.bit_length() - 1
                    at = column.at[card]
                    if to_empty and at == 1:
                        continue  # a king from bottom to bottom gains nothing
                    rest, change = cut(j, column, at)
                    taller, more = grown(k, columns[j][at:])
                    new = list(columns)
                    new[j] = rest
                    new[k] = taller
                    offer(new, home, score + change + more, talon, here.waste, same_here, card | k << 6)
            found = want & tops
            while found:
                bit = found & -found
                found ^= bit
                card = bit.bit_length() - 1
                taller, more = grown(k, bytes((card,)))
                new = list(columns)
                new[k] = taller
                points = score + more + weights.card
                offer(new, _one_less(home, card), points, talon, here.waste, same_here, card | k << 6)
        return RUNNING

    def _won(self, node: int, move: int) -> int:
        self._last = node, move
        return WON


def _one_more(home: tuple[int, ...], card: int) -> tuple[int, ...]:
    suit = card & 3
    return (*home[:suit], home[suit] + 1, *home[suit + 1 :])


def _one_less(home: tuple[int, ...], card: int) -> tuple[int, ...]:
    suit = card & 3
    return (*home[:suit], home[suit] - 1, *home[suit + 1 :])
