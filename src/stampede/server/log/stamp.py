"""The stamp of the embedded logs: ids for entries, from a clock that never runs backwards."""

import time
from collections.abc import Callable

from stampede.server.log.port import entry_id, time_of


def wall_clock() -> Callable[[], int]:
    """A clock of Unix milliseconds that is set by the wall once and then runs by itself.

    Setting the wall clock later does not move it.
    """
    offset = time.time_ns() - time.monotonic_ns()
    return lambda: (offset + time.monotonic_ns()) // 1_000_000


class Stamp:
    """Gives out ids that only ever grow, beginning after `last_id`.

    Where the clock turns out to be behind what was given out already (a restart after the wall clock was set
    back), its time goes on from there at the usual pace: durations stay right, and nothing stands still.
    """

    __slots__ = ("_clock", "_last_id", "_latest_ms", "_shift_ms")

    def __init__(self, clock: Callable[[], int], last_id: int = 0) -> None:
        self._clock = clock
        self._shift_ms = 0
        self._last_id = last_id
        self._latest_ms = time_of(last_id)

    def time_ms(self) -> int:
        """Unix milliseconds, never less than before."""
        now = self._clock() + self._shift_ms
        if now < self._latest_ms:
            self._shift_ms += self._latest_ms - now
            return self._latest_ms
        self._latest_ms = now
        return now

    def next_id(self) -> int:
        """The next id, of now."""
        first = entry_id(self.time_ms())
        if first <= self._last_id:
            first = self._last_id + 1
        self._last_id = first
        return first

    def ids(self, count: int) -> range:
        """The next `count` ids, of now."""
        first = self.next_id()
        self._last_id = first + count - 1
        return range(first, first + count)
