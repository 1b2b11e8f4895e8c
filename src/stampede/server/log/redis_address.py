"""The address of a Redis or Valkey server: from a URL to a connection that is ready to use."""

from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from hiredis import pack_command
from redis.asyncio.connection import Connection, parse_url
from redis.exceptions import RedisError

from stampede.server.log.port import LogUnusable

UNREACHABLE = (RedisError, OSError, TimeoutError)
"""What a connection that does not work raises."""

Word = bytes | str | int
"""A part of a command."""

_SCHEMES = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss"}


@dataclass(frozen=True)
class Address:
    """Where the server is and who we are to it. Its text never shows a password."""

    text: str
    database: int
    kind: type[Connection] = field(repr=False)
    arguments: dict[str, Any] = field(repr=False)

    @classmethod
    def parse(cls, url: str, password: str | None = None) -> Self:
        """Read `SCHEME://USER:PASSWORD@HOST:PORT/DATABASE`; `password` goes before the one in it.

        Raises `LogUnusable` if it is something else.
        """
        scheme, _, rest = url.partition(":")
        try:
            parts = urlsplit(url)
            host = parts.hostname
            text = f"{scheme}://{host}:{parts.port or 6379}{parts.path}"
            if not host or not (parts.path.strip("/") or "0").isdecimal():
                raise ValueError
            arguments: dict[str, Any] = dict(parse_url(f"{_SCHEMES[scheme.lower()]}:{rest}"))
        except (KeyError, ValueError):
            raise LogUnusable(
                "A Redis log is named redis://USER:PASSWORD@HOST:PORT/DATABASE (or rediss://, valkey://, valkeys://), "
                "and only the host is needed; the address given is not like that."
            ) from None
        if password is not None:
            arguments["password"] = password
        arguments |= {"socket_timeout": None, "retry": None, "protocol": 2, "decode_responses": False}
        arguments["health_check_interval"] = 0  # we read past redis-py, so it must not ask for answers of its own
        kind = arguments.pop("connection_class", Connection)
        return cls(text, arguments.get("db", 0), kind, arguments)

    async def connect(self) -> Connection:
        """A new connection, authenticated and in its database. Raises one of `UNREACHABLE`."""
        connection = self.kind(**self.arguments)
        try:
            await connection.connect()  # type: ignore[no-untyped-call] # redis-py left it without types
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection


def pack(*words: Word) -> bytes:
    """A command as it goes over the line."""
    packed: bytes = pack_command(words)  # type: ignore[arg-type] # its stub knows commands of one word only
    return packed
