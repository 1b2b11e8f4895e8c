"""The rooms of this node: find one, wake it by replaying its log, let it sleep when nobody needs it."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import structlog

from stampede.server.hall.live_room import LiveRoom, lost_seats, room_stream
from stampede.server.log.port import Entry, Log, StorageError
from stampede.server.race import facts
from stampede.server.race.room import fold, opened
from stampede.server.race.state import RoomState

_ID_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH: Final = 8
_LINGER_S: Final = 5.0
"""How long a room that nobody needs stays awake, in case someone comes right back."""
_AT_ONCE: Final = 2000
"""Entries folded before other work gets its turn."""

_logger = structlog.get_logger()


def new_room_id() -> str:
    """A fresh id: eight symbols that are easy to read out, some 40 bits of chance."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(_ID_LENGTH))


class Rooms:
    """All live rooms of this node, by id."""

    def __init__(
        self,
        log: Log,
        mark: Callable[[LiveRoom], None],
        is_alive: Callable[[str], bool],
        look_around: Callable[[], Awaitable[None]],
    ) -> None:
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._mark = mark
        self._look_around = look_around
        """Finds out which nodes are there right now."""
        self._is_alive = is_alive
        """Whether a connection (its id) may still be there, here or on another node."""
        self._awake: dict[str, LiveRoom] = {}
        self._waking: dict[str, asyncio.Task[LiveRoom | None]] = {}

    def awake(self) -> list[LiveRoom]:
        """The rooms that are awake here."""
        return list(self._awake.values())

    def awake_here(self, room: str) -> LiveRoom | None:
        """The room with this id, if it is awake here; costs nothing."""
        return self._awake.get(room)

    async def find(self, room: str) -> LiveRoom | None:
        """The room with this id, woken if need be; None if there is no such room. Raises `StorageError`."""
        live = self._awake.get(room)
        if live is not None:
            return live
        waking = self._waking.get(room)
        if waking is None:
            waking = self._waking[room] = self._loop.create_task(self._wake(room))
            waking.add_done_callback(lambda _: self._waking.pop(room, None))
        return await asyncio.shield(waking)

    def open(self, room: str, fact: facts.Opened, entry: Entry) -> LiveRoom:
        """The room whose log begins with `entry`, awake."""
        return self._awake.get(room) or self._awaken(opened(room, fact, entry.time_ms), entry.id)

    def release(self, live: LiveRoom) -> None:
        """Someone does not need this room any more; it goes to sleep in a while if nobody does."""
        if live.idle:
            self._loop.call_later(_LINGER_S, self._sleep_if_idle, live)

    async def history(self, room: str) -> list[Entry]:
        """All entries of a room's log."""
        return await self._log.read(room_stream(room))

    def sweep_lost(self) -> None:
        """Record as away everyone whose node, or connection, is not there any more."""
        for live in self._awake.values():
            self._record_lost(live)

    def close(self) -> None:
        """All of them to sleep."""
        for live in self._awake.values():
            live.sleep()
        self._awake.clear()

    async def _wake(self, room: str) -> LiveRoom | None:
        entries = await self.history(room)
        live = self._awake.get(room)
        if live is not None:
            return live
        try:
            state = await _folded(room, entries)
        except msgspec.DecodeError:
            _logger.error("room_of_another_version", entries=len(entries))
            return None
        if state is None:
            return None
        live = self._awaken(state, entries[-1].id)
        try:
            if lost_seats(live.state, self._is_alive):
                await self._look_around()  # a node that is not known yet may just have come
            self._record_lost(live)
        finally:
            self.release(live)
        return live

    def _awaken(self, state: RoomState, last: int) -> LiveRoom:
        live = self._awake[state.id] = LiveRoom(self._log, state, last, self._mark)
        live.follow(self._lost)
        return live

    def _record_lost(self, live: LiveRoom) -> None:
        if live.state.phase == "cancelled":
            return
        for seat in lost_seats(live.state, self._is_alive):
            if seat.connection is not None:
                live.note(facts.Broke(seat.player, seat.connection))

    def _sleep_if_idle(self, live: LiveRoom) -> None:
        if live.idle and self._awake.get(live.state.id) is live:
            del self._awake[live.state.id]
            live.sleep()

    def _lost(self, live: LiveRoom) -> None:
        """The log holds less than was folded: start again from what is there."""
        live.sleep()
        self._awake.pop(live.state.id, None)
        guests = list(live.present.values())
        task = self._loop.create_task(self._again(live.state.id))

        def found(done: asyncio.Task[LiveRoom | None]) -> None:
            fresh = None if done.cancelled() or done.exception() else done.result()
            for guest in guests:
                guest.room_replaced(live, fresh)

        task.add_done_callback(found)

    async def _again(self, room: str) -> LiveRoom | None:
        while True:
            try:
                return await self.find(room)
            except StorageError:
                await asyncio.sleep(1)


async def _folded(room: str, entries: list[Entry]) -> RoomState | None:
    """The state that a room's entries come to; lets other work go on in between."""
    state: RoomState | None = None
    for at, entry in enumerate(entries):
        fact = facts.decode(entry.fact)
        if state is None:
            if not isinstance(fact, facts.Opened):
                _logger.error("log_without_beginning", entries=len(entries))
                return None
            state = opened(room, fact, entry.time_ms)
        else:
            state = fold(state, fact, entry.time_ms).state
        if at % _AT_ONCE == _AT_ONCE - 1:
            await asyncio.sleep(0)
    return state
