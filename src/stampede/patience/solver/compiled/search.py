"""The compiled search behind the same few methods as the pure one."""

from typing import Any

from stampede.patience.solver.column import Weights
from stampede.patience.solver.law import Law, Start

_LONGEST = 8192


class CompiledSearch:
    """One search after another from the same start; `engine` is what `compiled.load` gave."""

    def __init__(self, engine: Any, law: Law, start: Start) -> None:
        self._lib, self._ffi = engine.lib, engine.ffi
        cards = bytes(card for column in start.columns for card in column)
        opened = self._lib.engine_open(
            [*law.takes, law.home_is_final, law.aces_first, law.group_limit, law.draw, law.single_pass],
            cards,
            bytes(map(len, start.columns)),
            bytes(start.down),
            bytes(start.home),
            bytes(start.talon),
            len(start.talon),
            start.waste,
        )
        if opened == self._ffi.NULL:
            raise MemoryError
        self._engine = self._ffi.gc(opened, self._lib.engine_close)

    @property
    def nodes(self) -> int:
        """Tables looked at since `begin`."""
        return int(self._lib.engine_nodes(self._engine))

    def begin(self, weights: Weights) -> None:
        """Start over, with other weights."""
        if self._lib.engine_begin(self._engine, list(weights)):
            raise MemoryError

    def run(self, nodes: int) -> int:
        """Look at that many more tables; other threads may run meanwhile."""
        return int(self._lib.engine_run(self._engine, nodes))

    def line(self) -> list[int]:
        """The moves of the won line, as `law.actions` reads them."""
        room = self._ffi.new("unsigned short[]", _LONGEST)
        length = self._lib.engine_line(self._engine, room, _LONGEST)
        if length < 0:
            raise MemoryError
        return list(room[0:length])

    def blind_wins(self, games: int, likings: tuple[int, ...]) -> int:
        """How many of so many blind games are won; see `playout`."""
        return int(self._lib.engine_playouts(self._engine, games, list(likings)))
