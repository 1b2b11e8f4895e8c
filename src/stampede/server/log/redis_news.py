"""The news from Redis: the connection on which nodes hear of each other's entries as they are appended.

A piece of news may be lost together with the connection; whoever listens is told when a channel is heard (again),
and has then to read what it may have missed.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import uniform
from typing import Any, Final

from redis.asyncio.connection import Connection
from redis.exceptions import RedisError

from stampede.server.log.fault import tell
from stampede.server.log.redis_address import UNREACHABLE, Address, pack
from stampede.server.log.redis_replies import Replies

_PAUSE_S: Final = 0.03
"""After news, no more is taken for so long: under load it then comes in company. What is appended by this node comes
back with the answer, not as news, and so waits for none of this."""
_TICK_S: Final = 1.0
_SILENCE_S: Final = 3.0
"""A connection on which nothing, not even the answer to a ping, was heard for so long is given up."""
_LONGEST_PAUSE_S: Final = 1.0
_CHANNELS_AT_ONCE: Final = 500


class News:
    """Subscriptions to channels, kept up over lost connections."""

    def __init__(
        self,
        address: Address,
        heard: Callable[[bytes, bytes], None],
        listening: Callable[[bytes], None],
        tick: Callable[[], None],
    ) -> None:
        """`heard` is given a channel and a message, `listening` each channel that is heard from now on.

        `tick` is called about once a second while the connection works.
        """
        self._address = address
        self._heard = heard
        self._listening = listening
        self._tick = tick
        self._wanted: set[bytes] = set()
        self._asked: set[bytes] = set()
        """Asked for on this connection."""
        self._confirmed: set[bytes] = set()
        self._changes: set[bytes] = set()
        """Channels that are wanted but not asked for, or the reverse."""
        self._bell = asyncio.Event()
        self._heard_at = 0.0
        self._task = asyncio.get_running_loop().create_task(self._run(), name="log news")

    def want(self, channel: bytes) -> bool:
        """Listen to a channel; whether it is heard already, so that `listening` will not be called."""
        self._wanted.add(channel)
        self._change(channel)
        return channel in self._asked and channel in self._confirmed

    def unwant(self, channel: bytes) -> None:
        """Listen to a channel no more."""
        self._wanted.discard(channel)
        self._change(channel)

    async def close(self) -> None:
        """Hang up."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _change(self, channel: bytes) -> None:
        if (channel in self._wanted) == (channel in self._asked):
            self._changes.discard(channel)
        else:
            self._changes.add(channel)
            self._bell.set()

    async def _run(self) -> None:
        pause = 0.02
        while True:
            connection: Connection | None = None
            try:
                async with asyncio.timeout(_SILENCE_S):
                    connection = await self._address.connect()
                pause = 0.02
                await self._keep_up(connection)
            except UNREACHABLE:
                pass  # it comes back, or it does not; those who append are told
            except Exception as fault:
                tell(fault)
            finally:
                self._asked.clear()
                self._confirmed.clear()
                if connection is not None:
                    with suppress(*UNREACHABLE):
                        await connection.disconnect(nowait=True)
            await asyncio.sleep(uniform(pause / 2, pause))
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _keep_up(self, connection: Connection) -> None:
        """Ask and listen until the connection breaks; raises one of `UNREACHABLE` then."""
        self._heard_at = asyncio.get_running_loop().time()
        self._changes = set(self._wanted)
        self._bell.set()
        listening = asyncio.create_task(self._listen(connection))
        try:
            await self._ask(connection, listening)
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError, *UNREACHABLE):
                await listening

    async def _ask(self, connection: Connection, listening: "asyncio.Task[None]") -> None:
        loop = asyncio.get_running_loop()
        ticked_at = loop.time()
        while not listening.done():
            with suppress(TimeoutError):
                async with asyncio.timeout_at(ticked_at + _TICK_S):
                    await self._bell.wait()
            self._bell.clear()
            changes, self._changes = self._changes, set()
            due = loop.time() >= ticked_at + _TICK_S
            async with asyncio.timeout(_SILENCE_S):
                await self._send(connection, "SUBSCRIBE", changes & self._wanted)
                await self._send(connection, "UNSUBSCRIBE", changes - self._wanted)
                if due:
                    await connection.send_packed_command([pack("PING")])
            if due:
                ticked_at = loop.time()
                if ticked_at - self._heard_at > _SILENCE_S:
                    raise TimeoutError
                self._tick()

    async def _send(self, connection: Connection, verb: str, channels: set[bytes]) -> None:
        self._asked ^= channels
        self._confirmed -= channels
        for some in _chunks(list(channels)):
            await connection.send_packed_command([pack(verb, *some)])

    async def _listen(self, connection: Connection) -> None:
        replies = Replies(connection)
        try:
            while True:
                for message in await replies.some():
                    self._take(message)
                self._heard_at = asyncio.get_running_loop().time()
                replies.hold()
                await asyncio.sleep(_PAUSE_S)
                replies.go_on()
        finally:
            self._bell.set()

    def _take(self, message: Any) -> None:
        if isinstance(message, RedisError):
            raise message
        if isinstance(message, list) and message[0] == b"message":
            self._heard(message[1], message[2])
        elif isinstance(message, list) and message[0] == b"subscribe" and message[1] in self._asked:
            self._confirmed.add(message[1])
            self._listening(message[1])


def _chunks(channels: list[bytes]) -> Iterable[list[bytes]]:
    return (channels[at : at + _CHANNELS_AT_ONCE] for at in range(0, len(channels), _CHANNELS_AT_ONCE))
