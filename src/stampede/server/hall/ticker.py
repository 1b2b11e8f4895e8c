"""The ticker: in every room progress goes out so far apart, and a change waits for that, no longer.

100 ms where not much goes on. When all rooms together would send more than it is worth, the distance grows, up to half
a second: nobody misses a number for longer than that, and answers to moves stay quick. Worth it are two messages for
each action that was answered here, within bounds: so servers on one Redis do not each send as much as one would.
"""

import asyncio
import math
from typing import Final

from stampede.server.hall.live_room import LiveRoom
from stampede.server.hall.tally import Tally

TICK_S: Final = 0.1
"""How far apart the progress of one room is, at least."""
_SLOWEST_S: Final = 0.5
_FRAMES_PER_ACTION: Final = 2
_FRAMES_PER_S: Final = (500, 1000)
"""Progress messages, counted by reader, that are worth sending at least, and at most; beyond, ticks are drawn out."""
_REVIEW_S: Final = 1.0
_GRAIN_S: Final = 0.01
"""Rooms take their turns in grains of time, a few in each, so that no burst of progress delays anyone's answer."""


class Ticker:
    """One timer for the progress of all rooms; it stands still while nobody plays."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._loop = asyncio.get_running_loop()
        self._due: dict[int, list[LiveRoom]] = {}
        """Rooms whose racers have moved, by the grain in which it is told."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_grain = 0
        self._interval = TICK_S
        self._frames = 0
        self._accepted = tally.accepted
        self._reviewed = self._loop.time()

    def mark(self, room: LiveRoom) -> None:
        """A racer of this room has moved, the first since its progress was told."""
        now, due = self._loop.time(), room.told_at + self._interval
        grain = math.floor((due if due > now else now) / _GRAIN_S) + (due > now)
        self._due.setdefault(grain, []).append(room)
        if self._timer is None or grain < self._timer_grain:
            self._wind(grain)

    def _wind(self, grain: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_grain = grain
        self._timer = self._loop.call_at(grain * _GRAIN_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        now = self._loop.time()
        for grain in sorted(grain for grain in self._due if grain * _GRAIN_S <= now or grain <= self._timer_grain):
            for room in self._due.pop(grain):
                room.told_at = now
                self._frames += room.tell_progress()
        if now - self._reviewed >= _REVIEW_S:
            self._review(now)
        if self._due:
            self._wind(min(self._due))

    def _review(self, now: float) -> None:
        """Draw the ticks out, or closer together, so that about as much is sent as is worth it."""
        passed_s, accepted = now - self._reviewed, self._tally.accepted
        least, most = _FRAMES_PER_S
        worth = min(most, max(least, _FRAMES_PER_ACTION * (accepted - self._accepted) / passed_s))
        self._interval = max(TICK_S, min(_SLOWEST_S, self._interval * self._frames / passed_s / worth))
        self._frames, self._accepted, self._reviewed = 0, accepted, now
