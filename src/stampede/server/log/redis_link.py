"""The link to Redis: one connection for commands, on which everything that waits goes out as one pipeline.

Only the link's own task touches the connection. Whoever stops waiting for a reply leaves it to the link, so that a
reply can never be taken for that of another command.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from redis.exceptions import AuthenticationError, NoScriptError, ReadOnlyError, RedisError, ResponseError
from redis.exceptions import ConnectionError as RedisConnectionError

from stampede.server.log.fault import guarded
from stampede.server.log.groups import Groups
from stampede.server.log.port import StorageError
from stampede.server.log.redis_address import UNREACHABLE, Address, Word, pack
from stampede.server.log.redis_replies import Replies
from stampede.server.log.redis_scripts import Script

Heard = Callable[[Any, StorageError | None], None]
"""Takes a reply, or the failure to get one. A command that failed may have been executed."""

PATIENCE_S: Final = 1.8
"""How long a command waits for Redis before it fails, and all others that wait with it."""
_PAUSE_S: Final = (0.02, 0.05, 0.1, 0.2, 0.4)
_LONGEST_PIPELINE: Final = 2000


class _Job(NamedTuple):
    command: tuple[Word, ...]
    heard: Heard
    since: float


class Link:
    """Sends commands in order, one pipeline at a time. Comes back by itself when there is something to send."""

    def __init__(self, address: Address, scripts: Sequence[Script] = ()) -> None:
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._scripts = scripts
        self._replies: Replies | None = None
        """Those of the connection, while there is one."""
        self._waiting: list[_Job] = []
        self._bell = asyncio.Event()
        """Rings when what waits should go out."""
        self._groups = Groups(lambda: len(self._waiting), self._bell.set)
        self._closing = False
        self._task = self._loop.create_task(self._run(), name="log link")

    def send(self, command: tuple[Word, ...], heard: Heard) -> None:
        """Send a command; `heard` is called later with what comes of it, within about `PATIENCE_S`."""
        if self._closing:
            self._loop.call_soon(heard, None, StorageError("The log is closed."))
            return
        self._waiting.append(_Job(command, heard, self._loop.time()))
        self._groups.gather()

    def run(self, script: Script, keys: Sequence[bytes], words: Sequence[Word], heard: Heard) -> None:
        """Send a command that runs a script."""
        self.send((b"EVALSHA", script.name, len(keys), *keys, *words), heard)

    async def call(self, *command: Word) -> Any:
        """Send a command and wait for its reply. Raises `StorageError`."""
        future = self._loop.create_future()

        def heard(reply: Any, failure: StorageError | None) -> None:
            if future.done():
                return
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(reply)

        self.send(command, heard)
        return await future

    async def close(self) -> None:
        """Send what waits, hear its replies, and hang up."""
        self._closing = True
        self._bell.set()
        await asyncio.shield(self._task)

    async def _run(self) -> None:
        while self._waiting or not self._closing:
            await self._bell.wait()
            self._bell.clear()
            if self._waiting:
                jobs, self._waiting = self._waiting[:_LONGEST_PIPELINE], self._waiting[_LONGEST_PIPELINE:]
                await self._exchange(jobs)
            self._groups.done()
        if self._replies is not None:
            with suppress(*UNREACHABLE):
                await self._replies.connection.disconnect()

    async def _exchange(self, jobs: list[_Job]) -> None:
        replies: list[Any] = []
        failure: StorageError | None = None
        try:
            async with asyncio.timeout_at(jobs[0].since + PATIENCE_S):
                incoming = await self._connected()
                await incoming.connection.send_packed_command([b"".join([pack(*job.command) for job in jobs])])
                while len(replies) < len(jobs):
                    replies += await incoming.some()
        except UNREACHABLE as error:
            failure = StorageError(f"Redis at {self._address.text} is away: {_reason(error)}.")
            await self._hang_up()
            jobs += self._waiting  # they have waited as long as those
            self._waiting = []
        again = []
        for job, reply in zip(jobs, replies, strict=False):
            if isinstance(reply, NoScriptError):
                again.append(job)
            elif isinstance(reply, RedisError):
                guarded(job.heard, None, StorageError(f"Redis at {self._address.text} refuses: {_reason(reply)}."))
            else:
                guarded(job.heard, reply, None)
        for job in jobs[len(replies) :]:
            guarded(job.heard, None, failure)
        if again or any(isinstance(reply, ReadOnlyError | RedisConnectionError) for reply in replies):
            # It has forgotten our scripts, is loading, or is not the one to write to any more: begin anew.
            await self._hang_up()
            self._waiting[:0] = again

    async def _connected(self) -> Replies:
        """The replies of the connection, which is made anew if need be and as often as it takes."""
        attempt = 0
        while self._replies is None:
            try:
                self._replies = await self._connect()
            except UNREACHABLE as error:
                await self._hang_up()
                if isinstance(error, ResponseError | AuthenticationError) or attempt == len(_PAUSE_S):
                    raise
                await asyncio.sleep(_PAUSE_S[attempt])
                attempt += 1
        return self._replies

    async def _connect(self) -> Replies:
        connection = await self._address.connect()
        try:
            for script in self._scripts:
                await connection.send_packed_command([pack("SCRIPT", "LOAD", script.text)])
                await connection.read_response()
            return Replies(connection)
        except BaseException:
            await connection.disconnect(nowait=True)
            raise

    async def _hang_up(self) -> None:
        replies, self._replies = self._replies, None
        if replies is not None:
            with suppress(*UNREACHABLE):
                await replies.connection.disconnect(nowait=True)


def _reason(error: BaseException) -> str:
    return (str(error) or "no answer in time").rstrip(".")
