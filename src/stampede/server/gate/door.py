"""The street door: listens, looks after the connections, and sees everyone out when the server goes down."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Final

from stampede.protocol.events import Goodbye
from stampede.protocol.problems import Close
from stampede.server.gate.addresses import Addresses
from stampede.server.gate.pages import Pages
from stampede.server.gate.sockets import CannotListen
from stampede.server.gate.wire import SOCKETS_PER_CONNECTION, Wire
from stampede.server.hall.house import House

_BACKLOG: Final = 1024
_ROUND_S: Final = 0.5
"""How often every connection is looked after."""
_TURNS: Final = 10
"""Where there are many, in so many goes: no answer has to wait for a look at all of them."""
_MANY: Final = 100
_RETRY_MS: Final = 1000
_PATIENCE_S: Final = 3.0
"""How long going down waits for answers under way, and again for connections to close."""


class Door:
    """All connections of this node."""

    def __init__(self, house: House, pages: Pages) -> None:
        self._house = house
        self._pages = pages
        limit = house.limits.connections_per_address
        self._addresses = Addresses(limit)
        self._sockets = Addresses(limit * SOCKETS_PER_CONNECTION)
        self._wires: set[Wire] = set()
        self._servers: list[asyncio.Server] = []
        self._round: asyncio.TimerHandle | None = None
        self._unseen: list[Wire] = []
        """Those whose turn is still to come in this round."""
        self._turns = self._share = 1
        self._loop = asyncio.get_running_loop()

    async def listen(self, sockets: Sequence[socket.socket]) -> int:
        """Open; returns the port. Raises `CannotListen` if another program has come first after all."""
        for bound in sockets:
            host, port = bound.getsockname()[:2]
            try:
                self._servers.append(await self._loop.create_server(self._accept, sock=bound, backlog=_BACKLOG))
            except OSError as error:
                raise CannotListen(host, port, error) from None
        self._go_round()
        return int(port)

    async def see_out(self) -> None:
        """Tell everyone goodbye, let what is under way be answered, and close all connections with 1012.

        Until that is done the port stays open: a balancer that asks is told to send people elsewhere (503).
        """
        self._house.draining = True
        for wire in self._wires:
            if wire.session is not None:
                wire.session.send(Goodbye(reason="the server restarts", retry_ms=_RETRY_MS))
        await self._until(lambda: not any(wire.session and wire.session.visitor.busy for wire in self._wires))
        for wire in tuple(self._wires):
            wire.leave(Close.RESTART, "the server restarts")
        await self._until(lambda: not self._wires)
        for server in self._servers:
            server.close()
        if self._round is not None:
            self._round.cancel()
        for wire in tuple(self._wires):
            wire.abort()

    def _accept(self) -> Wire:
        return Wire(self._house, self._pages, self._sockets, self._addresses, self._wires)

    def _go_round(self) -> None:
        """Look after the next connections; all have had their turn when a round is over."""
        if not self._unseen:
            self._unseen = list(self._wires)
            self._turns = _TURNS if len(self._unseen) > _MANY else 1
            self._share = len(self._unseen) // self._turns + 1
        now = self._loop.time()
        share, self._unseen = self._unseen[: self._share], self._unseen[self._share :]
        for wire in share:
            if wire in self._wires:
                wire.look_after(now)
        self._round = self._loop.call_later(_ROUND_S / self._turns, self._go_round)

    async def _until(self, done: Callable[[], bool]) -> None:
        end = self._loop.time() + _PATIENCE_S
        # A poll, once in a server's life, rather than a signal kept by every connection.
        while not done() and self._loop.time() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
