"""The sockets the door listens on: bound before anything else is opened, so that who cannot listen leaves no trace."""

import asyncio
import socket
from typing import Final

_SEND_BUFFER: Final = 64 * 1024
"""Of accepted sockets, so that the kernel hides no deaf reader."""
_LARGEST_PORT: Final = 65_535


class CannotListen(Exception):
    """The address cannot be listened on: one sentence for the operator."""

    def __init__(self, host: str, port: int, error: OSError) -> None:
        reason = error.strerror or str(error)
        super().__init__(f"Cannot listen on {host} port {port}: {reason}. Choose another --host or --port.")


async def bound(host: str, port: int) -> list[socket.socket]:
    """Sockets that own `host` (a name or address) and `port` (0: any free one), and do not listen yet.

    Raises `CannotListen`.
    """
    sockets: list[socket.socket] = []
    try:
        if not 0 <= port <= _LARGEST_PORT:
            raise OSError(f"a port is a number from 0 to {_LARGEST_PORT}")
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            sockets.append(_bound(family, address))
            if port == 0:
                break  # another address would get another port
    except OSError as error:
        for opened in sockets:
            opened.close()
        raise CannotListen(host, port, error) from None
    return sockets


def _bound(family: int, address: "tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]") -> socket.socket:
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        opened.bind(address)
    except OSError:
        opened.close()
        raise
    return opened
