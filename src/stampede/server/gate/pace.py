"""The pace: under load the event loop takes a short breath after each round, so that commands come in company.

To wake up costs a server several times what a move costs. Left alone, it wakes up for every single command up to the
load at which it can hardly keep up, and only then takes many at a time. With breaths it does so much earlier: about a
third of the cost of a move in the middle of the scale, for a millisecond that no player can feel. Who plays alone, or
in a few rooms, is answered at once; so is everyone once the server has enough to do in each round.
"""

import asyncio
import time
from typing import Final

_COMPANY: Final = 3.0
"""So many commands should come together."""
_LONGEST_S: Final = 0.00125
"""A breath is no longer than this."""
_BUSY_PER_S: Final = 250.0
"""From so many commands a second on, breaths are taken."""
_CROWD: Final = 16
"""After a round with so many commands none is needed."""
_WINDOW_S: Final = 0.1
"""Over such a time commands are counted."""


class Pace:
    """Of one event loop. A breath blocks the loop, and so the process but for its log's thread: that is the idea."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._round = 0
        self._under_way = False
        self._counted = 0
        self._since = time.monotonic()
        self._breath_s = 0.0

    def heard(self) -> None:
        """A command has come in."""
        self._round += 1
        if not self._under_way:
            self._under_way = True
            self._loop.call_soon(self._handled)

    def _handled(self) -> None:
        """All that came in this round has been handled; what that led to (an append, answers) goes out now."""
        self._loop.call_soon(self._breathe)

    def _breathe(self) -> None:
        self._under_way = False
        heard, self._round = self._round, 0
        self._counted += heard
        now = time.monotonic()
        if now - self._since > _WINDOW_S:
            per_s = self._counted / (now - self._since)
            self._breath_s = min(_LONGEST_S, _COMPANY / per_s) if per_s >= _BUSY_PER_S else 0.0
            self._counted, self._since = 0, now
        if self._breath_s and heard < _CROWD:
            time.sleep(self._breath_s)
