"""The ticker: progress goes out in ticks at least 100 ms apart; a change waits for the next one, no longer."""

import asyncio
from typing import Final

from stampede.server.hall.live_room import LiveRoom

TICK_S: Final = 0.1


class Ticker:
    """One timer for the progress of all rooms; it stands still while nobody plays."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due: set[LiveRoom] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0

    def mark(self, room: LiveRoom) -> None:
        """A racer of this room has moved."""
        self._due.add(room)
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._next, self._loop.time()), self._tick)

    def _tick(self) -> None:
        self._timer = None
        rooms, self._due = self._due, set()
        for room in rooms:
            room.tell_progress()
        self._next = self._loop.time() + TICK_S
