"""The sweeper: forgets rooms that have been over for long enough. Live ones it never touches.

Any number of nodes may sweep at once: whatever one has swept away, the others find gone.
"""

import asyncio
import random
from typing import Final

import msgspec
import structlog

from stampede.server.hall.live_room import room_stream
from stampede.server.hall.players import Seated, decode_seated
from stampede.server.hall.rooms import Rooms
from stampede.server.log.port import Entry, Log, StorageError, time_of
from stampede.server.race import facts
from stampede.server.race.phases import advance
from stampede.server.race.room import fold, opened
from stampede.server.race.state import RoomState

_DAY_MS: Final = 24 * 60 * 60 * 1000
_FIRST_S: Final = 60.0
_EVERY_S: Final = 60 * 60.0

_logger = structlog.get_logger()


class Sweeper:
    """Sweeps an hour after it swept last, for as long as the server runs."""

    def __init__(self, log: Log, rooms: Rooms, retention_days: int) -> None:
        self._log = log
        self._rooms = rooms
        self._retention_ms = retention_days * _DAY_MS
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in a while."""
        self._task = asyncio.get_running_loop().create_task(self._keep_sweeping())

    def stop(self) -> None:
        """Sweep no more."""
        if self._task is not None:
            self._task.cancel()

    async def sweep(self) -> int:
        """Forget what is over for long enough; returns how many rooms those were. Raises `StorageError`."""
        prefix = room_stream("")
        horizon_ms = self._log.time_ms() - self._retention_ms
        there, swept = set(), 0
        for stream, last in await self._log.streams(prefix):
            room = stream.removeprefix(prefix)
            if time_of(last) < horizon_ms and await self._sweep_room(room):
                swept += 1
            else:
                there.add(room)
        for stream, last in await self._log.streams("player:"):
            if time_of(last) < horizon_ms:
                await self._sweep_player(stream, there)
        return swept

    async def _sweep_room(self, room: str) -> bool:
        """Forget a room of which nothing was heard for long, if it is over and nobody is in it."""
        live = self._rooms.awake_here(room)
        if live is not None:
            return False  # someone looks at it, or has just done so
        stream = room_stream(room)
        try:
            state = _outline(room, await self._log.read(stream))
        except msgspec.DecodeError:
            _logger.warning("room_of_another_version", room=room)
            return False
        if state is not None and not advance(state, self._log.time_ms()).ended:
            # A lobby: whoever was left in it by a node that died is recorded as away when it wakes, and out soon after.
            await self._rooms.find(room)
            return False
        if self._rooms.awake_here(room) is not None:
            return False
        await self._log.delete(stream)
        return True

    async def _sweep_player(self, stream: str, there: set[str]) -> None:
        """Forget a player's seats if all those rooms are gone."""
        entries = await self._log.read(stream)
        seats: list[Seated] = [decode_seated(entry.fact) for entry in entries]
        if not any(seated.room in there for seated in seats) and not await self._log.read(stream, entries[-1].id):
            await self._log.delete(stream)

    async def _keep_sweeping(self) -> None:
        # Nodes that started together need not sweep together.
        await asyncio.sleep(_FIRST_S * (1 + random.random()))
        while True:
            try:
                swept = await self.sweep()
            except StorageError as error:
                _logger.warning("not_swept", error=str(error))
            except Exception:
                _logger.exception("not_swept")
            else:
                _logger.info("swept", rooms=swept)
            await asyncio.sleep(_EVERY_S)


def _outline(room: str, entries: list[Entry]) -> RoomState | None:
    """What a room's log comes to without what was played: enough to tell whether it is over by now."""
    state: RoomState | None = None
    for entry in entries:
        fact = facts.decode(entry.fact)
        if isinstance(fact, facts.Opened) and state is None:
            state = opened(room, fact, entry.time_ms)
        elif state is not None and not isinstance(fact, facts.Acted):
            state = fold(state, fact, entry.time_ms).state
    return state
