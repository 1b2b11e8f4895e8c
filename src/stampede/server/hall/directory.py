"""The directory: listed rooms that are not over, and who wants to be kept told of them.

A fold over a stream of its own that says which rooms are listed; what a room is, only the room itself knows.
"""

import asyncio
from typing import Final, Protocol

from stampede.protocol.events import RoomsAnswer
from stampede.server.hall.live_room import LiveRoom
from stampede.server.hall.outbox import Letter
from stampede.server.hall.rooms import Rooms
from stampede.server.log.port import Entry, Following, Log, StorageError
from stampede.server.race import views

_STREAM: Final = "rooms"
_NEWS_S: Final = 1.0
"""At most one list a second to those who follow it."""
LONGEST_LIST: Final = 200
"""Rooms in one answer; the newest ones, if there are more."""


class Reader(Protocol):
    """Who follows the list."""

    def deliver(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send the list."""


class Directory:
    """The listed rooms, as far as this node knows."""

    def __init__(self, log: Log, rooms: Rooms) -> None:
        self._log = log
        self._rooms = rooms
        self._loop = asyncio.get_running_loop()
        self._listed: dict[str, int] = {}
        """Room to the id of the entry that listed it, oldest first."""
        self._last = 0
        """The id of the latest entry."""
        self._pinned: dict[str, LiveRoom] = {}
        self._readers: set[Reader] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._following: Following | None = None
        self._telling: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read which rooms are listed, and keep up. Raises `StorageError`."""
        entries = await self._log.read(_STREAM)
        for entry in entries:
            self._take(entry)
        self._following = self._log.follow(_STREAM, entries[-1].id if entries else 0, self._take, self._reset)

    def close(self) -> None:
        """Stop keeping up."""
        if self._following is not None:
            self._following.close()
        if self._timer is not None:
            self._timer.cancel()
        if self._telling is not None:
            self._telling.cancel()

    async def list(self, room: str) -> None:
        """Put a room on the list, on all nodes; it is there when this returns. Raises `StorageError`."""
        await self._log.append(_STREAM, [room.encode()])

    async def answer(self) -> RoomsAnswer:
        """The list; wakes the rooms on it. Raises `StorageError`."""
        # News of what another node has listed may still be on its way; the log has it.
        for entry in await self._log.read(_STREAM, self._last):
            self._take(entry)
        summaries = []
        for room in reversed(tuple(self._listed)):
            # Also a pinned one: what the log has lost meanwhile is not there any more, or is another room now.
            live = await self._rooms.find(room)
            state = live.now() if live is not None else None
            if live is None or state is None or state.ended:
                self._drop(room)
                continue
            self._pin(room, live)
            summaries.append(views.summary(state))
            if len(summaries) == LONGEST_LIST:
                break
        await self._forget_the_ended()
        return RoomsAnswer(rooms=summaries)

    def follow(self, reader: Reader) -> None:
        """Keep someone told."""
        self._readers.add(reader)

    def unfollow(self, reader: Reader) -> None:
        """Do not tell them any more."""
        self._readers.discard(reader)

    def _take(self, entry: Entry) -> None:
        if entry.id > self._last:
            self._last = entry.id
            self._listed[entry.fact.decode()] = entry.id
            self._changed()

    def _reset(self) -> None:
        for room in {*self._listed, *self._pinned}:
            self._drop(room)
        self._last = 0
        self._changed()
        if self._following is not None:
            self._following.close()
        self._following = self._log.follow(_STREAM, 0, self._take, self._reset)

    def _pin(self, room: str, live: LiveRoom) -> None:
        """Keep a listed room awake: whoever follows the list is told what becomes of it."""
        if room in self._listed and self._pinned.get(room) is not live:
            self._pinned[room] = live
            live.watched_by.add(self._room_changed)

    def _drop(self, room: str) -> None:
        self._listed.pop(room, None)
        live = self._pinned.pop(room, None)
        if live is not None:
            live.watched_by.discard(self._room_changed)
            self._rooms.release(live)

    def _room_changed(self, live: LiveRoom) -> None:
        if live.state.ended:
            self._drop(live.state.id)
        self._changed()

    def _changed(self) -> None:
        if self._readers and self._timer is None:
            self._timer = self._loop.call_later(_NEWS_S, self._tell)

    def _tell(self) -> None:
        self._timer = None
        self._telling = self._loop.create_task(self._tell_all())

    async def _tell_all(self) -> None:
        try:
            letter = Letter(await self.answer())
        except StorageError:
            self._changed()
            return
        for reader in tuple(self._readers):
            reader.deliver(letter)

    async def _forget_the_ended(self) -> None:
        """Trim the stream before the oldest room that is still listed, so that nothing grows with what is over."""
        oldest = min(self._listed.values(), default=None)
        if oldest is not None:
            await self._log.trim(_STREAM, oldest - 1)
