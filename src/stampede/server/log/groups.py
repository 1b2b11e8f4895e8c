"""Groups: what waits for the log goes to it together, one group at a time, and under load after a breath.

Where entries come quickly, a commit waits for company (`linger` says how long). The event loop sleeps meanwhile, and
then takes all commands at once that have come, instead of being woken for each. Accepted actions are hardly answered
later for it, since their answers wait for that commit anyway; all else that the loop has to do waits for those few
milliseconds. uvloop looks at its sockets before it calls back, as `_go_on` expects; a loop that does not would only
let those who came during a breath join the next group.
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
        self._gathering = False
        self._under_way = False

    def gather(self) -> None:
        """Something waits. Costs next to nothing."""
        if not (self._gathering or self._under_way):
            self._gathering = True
            # Not at once: those whose commands have come at the same moment join in.
            self._loop.call_soon(self._begin_gathering)

    def done(self) -> None:
        """The group under way is through."""
        self._under_way = False
        if self._waiting():
            self.gather()

    def _begin_gathering(self) -> None:
        self._pauses = self._linger.pauses_s(self._waiting, self._clock)
        self._go_on()

    def _go_on(self) -> None:
        """Take the next breath, and have the loop look once who has come meanwhile; or begin."""
        pause_s = next(self._pauses, None)
        if pause_s is not None:
            self._breathe(pause_s)
            self._loop.call_soon(self._go_on)
            return
        self._gathering = False
        if entries := self._waiting():
            self._linger.began(self._clock(), entries)
            self._under_way = True
            self._begin()
