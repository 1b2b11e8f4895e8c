"""A link: one connection to a server, from the handshake until it breaks.

What can go wrong between a client and its server, by what the client's user can do about it:

    ClientError
    ├── Unreachable   there is no race server to talk to, or it does not talk to us
    ├── Refused       the server answered with an error
    ├── Unanswered    the line broke first: the command may have been done or not
    └── Ended         the client has hung up, or was told not to come back
"""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidProxy, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from stampede.protocol.codec import Encoding
from stampede.protocol.commands import AnyCommand
from stampede.protocol.events import AnyEvent, Error

EVENT_BYTES: Final = 32 * 1024 * 1024
"""The longest message taken from a server: a replay of a hundred racers fits in easily."""
ANSWER_S: Final = 10.0
"""How long a handshake may take."""


class ClientError(Exception):
    """Anything that a client cannot put right by itself; its text is a sentence for people."""


class Unreachable(ClientError):
    """There is no race server to talk to, or it does not talk to us."""


class Refused(ClientError):
    """The server answered with an error."""

    def __init__(self, problem: Error) -> None:
        super().__init__(problem.text)
        self.problem = problem
        """Its `code` is one of `problems`, or one that a newer server has added."""

    @property
    def code(self) -> str:
        """Which error it is: `room.unknown`."""
        return self.problem.code

    @property
    def retry_s(self) -> float | None:
        """After how many seconds the server suggests to try again, if it does."""
        return None if self.problem.retry_ms is msgspec.UNSET else self.problem.retry_ms / 1000


class Unanswered(ClientError):
    """The line broke before the answer came: the command may have been done or not."""


class Ended(ClientError):
    """The client has hung up, or was told not to come back."""


class Link:
    """A connection that speaks commands and events; raises websockets' `ConnectionClosed` once it is broken."""

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self._socket = socket
        self._encoding = encoding

    async def send(self, command: AnyCommand) -> None:
        """Say something."""
        await self._socket.send(self._encoding.encode(command), text=self._encoding.text)

    async def hear(self) -> AnyEvent:
        """The next event, those of unknown type skipped; raises `codec.Undecodable` at one that cannot be read."""
        while True:
            event = self._encoding.decode_event(await self._socket.recv(decode=False))
            if event is not None:
                return event

    async def close(self) -> None:
        """Hang up."""
        await self._socket.close()


async def open_link(url: str, encoding: Encoding, client: str) -> Link:
    """Connect to `ws://HOST:PORT/ws`; raises `Unreachable`, or `ValueError` if `url` is no such address."""
    try:
        socket = await connect(
            url,
            subprotocols=[Subprotocol(encoding.subprotocol)],
            compression=None,
            user_agent_header=client,
            proxy=None if _is_here(url) else True,
            open_timeout=ANSWER_S,
            close_timeout=2,
            max_size=EVENT_BYTES,
        )
    except (InvalidURI, InvalidProxy) as error:
        raise ValueError(f"{url!r} is no address of a race server; one looks like ws://127.0.0.1:7117/ws.") from error
    except InvalidStatus as error:
        raise Unreachable(_declined(url, error.response.status_code)) from error
    except InvalidHandshake as error:
        raise Unreachable(f"What answers at {url} is no race server: {error}.") from error
    except TimeoutError as error:
        raise Unreachable(f"{url} does not answer.") from error
    except OSError as error:
        raise Unreachable(f"Cannot reach {url}: {_reason(error)}.") from error
    if socket.subprotocol is None:
        await socket.close()
        raise Unreachable(f"What answers at {url} does not speak {encoding.subprotocol}.")
    return Link(socket, encoding)


def _is_here(url: str) -> bool:
    """Whether the server is on this machine, where no proxy should be asked."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _declined(url: str, status: int) -> str:
    if status == 429:
        return f"{url} has too many connections from this address already."
    if status == 503:
        return f"The server at {url} takes no one in just now."
    return f"There is no race server at {url} (HTTP status {status})."


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "nothing is listening there"
    return (error.strerror or str(error) or type(error).__name__).rstrip(".")
