"""The replies on a connection to Redis, all that have come at a time.

redis-py gives one reply a call, each through several awaits of its own. Connecting, authentication and sending are its
business; reading goes past it, to the stream below and to the same parser (hiredis).
"""

from typing import Any, Final, cast

from hiredis import Reader
from redis.asyncio.connection import Connection
from redis.exceptions import InvalidResponse

_READ_BYTES: Final = 1 << 20
"""More than the stream below ever holds: what is left behind would have to wait for the next pause to end."""
_NOT_YET: Final = object()


class Replies:
    """Reads a connection that is ready to use, and that nobody else reads any more."""

    def __init__(self, connection: Connection) -> None:
        # redis-py has no public way to any of these.
        stream, writer, parser = connection._reader, connection._writer, cast(Any, connection._parser)
        if stream is None or writer is None:
            raise ConnectionError("not connected")
        self.connection = connection
        self._stream = stream
        self._transport = cast(Any, writer.transport)
        self._parser = Reader(protocolError=InvalidResponse, replyError=parser.parse_error, notEnoughData=_NOT_YET)

    async def some(self) -> list[Any]:
        """One reply or more, in order; error replies are among them: `RedisError`s, and not all `ResponseError`s.

        Raises `ConnectionError` when the server has hung up, redis-py's `InvalidResponse` if it is no Redis server.
        """
        found: list[Any] = []
        while not found:
            data = await self._stream.read(_READ_BYTES)
            if not data:
                raise ConnectionError("the server has hung up")
            self._parser.feed(data)
            try:
                while (reply := self._parser.gets()) is not _NOT_YET:
                    found.append(reply)
            except (TypeError, ValueError) as error:  # of redis-py, where it takes an error reply apart
                raise InvalidResponse(str(error)) from error
        return found

    def hold(self) -> None:
        """Leave what comes to the kernel for now, so that nobody is woken by it."""
        self._transport.pause_reading()

    def go_on(self) -> None:
        """Take what comes again."""
        if not self._transport.is_closing():
            self._transport.resume_reading()
