"""The street door: listens, looks after the connections, and sees everyone out when the server goes down."""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from stampede.protocol.events import Goodbye
from stampede.protocol.problems import Close
from stampede.server.gate.addresses import Addresses
from stampede.server.gate.pace import Pace
from stampede.server.gate.pages import Pages
from stampede.server.gate.wire import SOCKETS_PER_CONNECTION, Wire
from stampede.server.hall.house import House

_SEND_BUFFER: Final = 64 * 1024
"""Of accepted sockets, so that the kernel hides no deaf reader."""
_BACKLOG: Final = 1024
_LARGEST_PORT: Final = 65_535
_ROUND_S: Final = 0.5
"""How often every connection is looked after."""
_RETRY_MS: Final = 1000
_PATIENCE_S: Final = 3.0
"""How long going down waits for answers under way, and again for connections to close."""


class CannotListen(Exception):
    """The address cannot be listened on: one sentence for the operator."""


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
        self._loop = asyncio.get_running_loop()
        self._pace = Pace()

    async def listen(self, host: str, port: int) -> int:
        """Open at `host` (a name or address) and `port` (0: any free one); returns the port. Raises `CannotListen`."""
        if not 0 <= port <= _LARGEST_PORT:
            raise CannotListen(f"A port is a number from 0 to {_LARGEST_PORT}, not {port}. Choose another --port.")
        try:
            found = await self._loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            for family, _, _, _, address in dict.fromkeys(found):
                if port == 0 and self._servers:
                    break
                listening = _listening(family, address)
                self._servers.append(await self._loop.create_server(self._accept, sock=listening, backlog=_BACKLOG))
                port = port or listening.getsockname()[1]
        except OSError as error:
            for server in self._servers:
                server.close()
            reason = error.strerror or str(error)
            raise CannotListen(
                f"Cannot listen on {host} port {port}: {reason}. Choose another --host or --port."
            ) from None
        self._go_round()
        return port

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
        return Wire(self._house, self._pages, self._sockets, self._addresses, self._wires, self._pace.heard)

    def _go_round(self) -> None:
        now = self._loop.time()
        for wire in tuple(self._wires):
            wire.look_after(now)
        self._round = self._loop.call_later(_ROUND_S, self._go_round)

    async def _until(self, done: Callable[[], bool]) -> None:
        end = self._loop.time() + _PATIENCE_S
        # A poll, once in a server's life, rather than a signal kept by every connection.
        while not done() and self._loop.time() < end:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _listening(
    family: int, address: "tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]"
) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        listening.bind(address)
    except OSError:
        listening.close()
        raise
    return listening
