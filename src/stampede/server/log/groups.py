"""Groups: what waits for the log goes to it together, one group at a time, and under load after a breath.

Where entries come quickly, a commit waits for company (`linger` says how long). The event loop sleeps meanwhile, and
then takes all commands at once that have come, instead of being woken for each. Actions are answered no later for it,
since their answers wait for that commit anyway; whatever else the loop has to do waits for those few milliseconds.
"""

import asyncio
import time
from collections.abc import Callable, Iterator

from stampede.server.log.linger import Linger


class Groups:
    """Of one log, on its event loop. While a group is under way, others are gathered, and none is begun."""

    def __init__(
        self,
        waiting: Callable[[], int],
        begin: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        breathe: Callable[[float], None] = time.sleep,
    ) -> None:
        """`waiting` says how many wait; `begin` is called when they should go, and `done` has to be once they have."""
        self._loop = asyncio.get_running_loop()
        self._waiting = waiting
        self._begin = begin
        self._clock = clock
        self._breathe = breathe
        self._linger = Linger()
        self._pauses: Iterator[float] = iter(())
        self._called = False
        """Whether a group is being gathered."""
        self._under_way = False

    def call(self) -> None:
        """Something waits. Costs next to nothing."""
        if not (self._called or self._under_way):
            self._called = True
            # Not at once: those whose commands have come at the same moment join in.
            self._loop.call_soon(self._gather)

    def done(self) -> None:
        """The group under way is through."""
        self._under_way = False
        if self._waiting():
            self.call()

    def _gather(self) -> None:
        self._pauses = self._linger.pauses_s(self._waiting, self._clock)
        self._go_on()

    def _go_on(self) -> None:
        """Take the next breath, and have the loop look once who has come meanwhile; or begin."""
        for pause_s in self._pauses:
            self._breathe(pause_s)
            self._loop.call_soon(self._go_on)
            return
        self._called = False
        if entries := self._waiting():
            self._linger.began(self._clock(), entries)
            self._under_way = True
            self._begin()
