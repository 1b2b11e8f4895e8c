"""The house: everything that runs on this node, and what its visitors share."""

import asyncio
import itertools
import secrets
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from stampede.protocol.events import ReplayAnswer
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.directory import Directory
from stampede.server.hall.limits import Limits
from stampede.server.hall.players import Players
from stampede.server.hall.rooms import Rooms
from stampede.server.hall.tally import Tally
from stampede.server.hall.ticker import Ticker
from stampede.server.log.port import Log, StorageError
from stampede.server.race import facts
from stampede.server.race.replay import replay

if TYPE_CHECKING:
    from stampede.server.hall.visitor import Visitor

_BEAT_S: Final = 3.0
"""How often this node tells the others that it is there, and looks who is not any more."""

_DOUBT_S: Final = 12.0
"""After the log was away, so long nobody is taken for dead: it may have been away from the other nodes, too."""

_logger = structlog.get_logger()


class House:
    """One node. To be made on the running event loop; `start` before the first visitor."""

    def __init__(self, log: Log, limits: Limits, server: str, dealer: Dealer | None = None) -> None:
        self.log = log
        self.limits = limits
        self.server = server
        self.node = secrets.token_hex(4)
        self.tally = Tally()
        self.ticker = Ticker(self.tally)
        self.rooms = Rooms(log, self.ticker.mark, self._is_alive, self._look_around)
        self.players = Players(log, self.rooms)
        self.directory = Directory(log, self.rooms)
        self.dealer = dealer or Dealer()
        self.draining = False
        self._replaying = asyncio.Lock()
        self._visitors: dict[str, Visitor] = {}
        self._connections: set[str] = set()
        self._numbers = itertools.count(1)
        self._nodes = frozenset({self.node})
        self._beating: asyncio.Task[None] | None = None

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    @property
    def nodes(self) -> int:
        """How many nodes were heard of lately, this one among them."""
        return len(self._nodes)

    async def start(self) -> None:
        """Take up work; raises `StorageError` if the log cannot be read."""
        await self._beat()
        await self.directory.start()
        self._beating = asyncio.get_running_loop().create_task(self._keep_beating())

    async def close(self) -> None:
        """Let everything go; the log stays open."""
        if self._beating is not None:
            self._beating.cancel()
        self.directory.close()
        self.rooms.close()

    def connect(self) -> str:
        """The id of a new connection: this node's, and a number."""
        connection = f"{self.node}.{next(self._numbers)}"
        self._connections.add(connection)
        return connection

    def disconnect(self, connection: str) -> None:
        """A connection is gone."""
        self._connections.discard(connection)

    def arrive(self, visitor: "Visitor") -> None:
        """A player said hello; an older connection of theirs on this node is taken over."""
        older = self._visitors.get(visitor.player)
        self._visitors[visitor.player] = visitor
        if older is not None:
            older.taken_over()

    def depart(self, visitor: "Visitor") -> None:
        """A player's connection is gone."""
        if self._visitors.get(visitor.player) is visitor:
            del self._visitors[visitor.player]
        self.directory.unfollow(visitor)

    async def replay(self, room: str, player: str | None = None) -> ReplayAnswer | None:
        """The replay of a finished race, or None; worked out beside the event loop. Raises `StorageError`.

        One at a time: however many are asked for, those who race are kept waiting by no more than one.
        """
        live = self.rooms.awake_here(room)
        if live is not None and live.now().phase != "over":
            return None
        async with self._replaying:
            entries = await self.rooms.history(room)
            log = ((entry.time_ms, facts.decode(entry.fact)) for entry in entries)
            try:
                return await asyncio.to_thread(replay, room, log, player, self.log.time_ms())
            except msgspec.DecodeError:
                _logger.error("room_of_another_version", entries=len(entries))
                return None

    def _is_alive(self, connection: str) -> bool:
        node = connection.partition(".")[0]
        return connection in self._connections if node == self.node else node in self._nodes

    async def _beat(self) -> None:
        await self.log.beat(self.node)
        await self._look_around()

    async def _look_around(self) -> None:
        self._nodes = await self.log.nodes() | {self.node}

    async def _keep_beating(self) -> None:
        loop = asyncio.get_running_loop()
        beat_at = doubts_until = loop.time()
        while True:
            await asyncio.sleep(_BEAT_S)
            try:
                await self._beat()
            except StorageError as error:
                _logger.warning("log_away", error=str(error))
                continue
            last_at, beat_at = beat_at, loop.time()
            if beat_at - last_at > 2 * _BEAT_S:
                doubts_until = beat_at + _DOUBT_S
            if beat_at >= doubts_until:
                self.rooms.sweep_lost()
