"""The blind player: knows only what lies face up, likes some moves better, never returns to a table it has had.

It picks by chance among the legal moves, in proportion to its likings. The chance is this module's own small
generator, started from the game's number, so that game 7 of a deal goes the same way everywhere.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from stampede.patience.solver.law import HOME, Law, Start


class Likings(NamedTuple):
    """How much the player likes each kind of move."""

    turn: int = 240
    """That turns a card up."""
    home: int = 160
    apart: int = 3
    """That takes apart what fits together."""
    plain: int = 20
    waste: int = 40
    """From the waste to a column."""
    draw: int = 20


LIKINGS: Final = Likings()
MOST_ACTIONS: Final = 1000
TRIES: Final = 8
DRAW: Final = 0xFFFF
_MASK: Final = (1 << 64) - 1
_STEP: Final = 0x9E3779B97F4A7C15


def mixed(z: int) -> int:
    """The 64 bits of SplitMix64 for a state."""
    z = (z + _STEP) & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def won_blind(law: Law, start: Start, game: int) -> bool:
    """Whether the blind player wins its game of this number."""
    state = mixed(game)
    table = _Table(law, start)
    met = {table.key()}
    for _ in range(MOST_ACTIONS):
        choices = list(_choices(table))
        total = sum(liking for _, liking in choices)
        if not choices:
            return False
        for _ in range(TRIES):
            state = (state + _STEP) & _MASK
            pick = (mixed(state) >> 32) * total >> 32
            for move, liking in choices:  # noqa: B007 - the one it ends at
                if pick < liking:
                    break
                pick -= liking
            trial = table.copy()
            trial.act(move)
            key = trial.key()
            if key not in met:
                met.add(key)
                table = trial
                break
        else:
            return False
        if sum(table.home) == 52:
            return True
    return False


class _Table:
    """A table that is played on in place."""

    __slots__ = ("columns", "down", "home", "law", "talon", "waste")

    columns: list[list[int]]
    down: list[int]
    home: list[int]
    talon: list[int]
    waste: int

    def __init__(self, law: Law, start: "Start | _Table") -> None:
        self.law = law
        self.columns = [list(column) for column in start.columns]
        self.down = list(start.down)
        self.home = list(start.home)
        self.talon = list(start.talon)
        self.waste = start.waste

    def copy(self) -> "_Table":
        return _Table(self.law, self)

    def key(self) -> tuple[object, ...]:
        columns = sorted((down, *column) for down, column in zip(self.down, self.columns, strict=True))
        return (*columns, *self.talon, self.waste)

    def act(self, move: int) -> None:
        if move == DRAW:
            talon = len(self.talon)
            self.waste = 0 if self.waste == talon else min(self.waste + self.law.draw, talon)
            return
        card, place = move & 63, move >> 6
        for j, column in enumerate(self.columns):
            if card in column:
                at = column.index(card)
                group = column[at:]
                del column[at:]
                if at and self.down[j] == at:
                    self.down[j] -= 1
                break
        else:
            group = [card]
            self.waste = self.talon.index(card)
            del self.talon[self.waste]
        if place == HOME:
            self.home[card & 3] += 1
        else:
            self.columns[place] += group


def _choices(table: _Table) -> Iterator[tuple[int, int]]:
    """Every legal move, `card + 64 * place`, with its liking. A card that is home stays there."""
    law, columns, home = table.law, table.columns, table.home
    children = law.children
    empty = next((k for k, column in enumerate(columns) if not column), None)
    aces = law.aces_first and any(column and column[-1] < 4 for column in columns)
    takes = [(k, children[column[-1]]) for k, column in enumerate(columns) if column and children[column[-1]]]
    for j, column in enumerate(columns):
        if not column:
            continue
        count, down, top = len(column), table.down[j], column[-1]
        if home[top & 3] == top >> 2 and (not aces or top < 4):
            yield top | HOME << 6, LIKINGS.turn if down and down == count - 1 else LIKINGS.home
        if aces:
            continue
        for at in range(max(down, count - law.group_limit) if law.group_limit else down, count):
            card = column[at]
            if down and at == down:
                liking = LIKINGS.turn
            elif at and children[column[at - 1]] >> card & 1:
                liking = LIKINGS.apart
            else:
                liking = LIKINGS.plain
            if card >= 48:
                if empty is not None and at:
                    yield card | empty << 6, liking
                continue
            for k, fitting in takes:
                if k != j and fitting >> card & 1:
                    yield card | k << 6, liking
    if not law.draw or aces:
        return
    if table.waste:
        card = table.talon[table.waste - 1]
        if home[card & 3] == card >> 2:
            yield card | HOME << 6, LIKINGS.home
        if card >= 48:
            if empty is not None:
                yield card | empty << 6, LIKINGS.waste
        else:
            for k, fitting in takes:
                if fitting >> card & 1:
                    yield card | k << 6, LIKINGS.waste
    if table.waste < len(table.talon) or (table.waste and not law.single_pass):
        yield DRAW, LIKINGS.draw
