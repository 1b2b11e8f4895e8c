"""The log in one SQLite file, `sqlite:PATH`: the default, with no server to install.

One thread owns the one connection and does everything with it, in the order in which it was asked. It takes all appends
that wait, commits them together, and tells the event loop of all of them at once: the busier the server, the larger
the groups (see `groups`). The loop never waits for the disk.
"""
# ruff: noqa: D102 (the port says what these methods promise)

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, Self, TypeVar, cast

from msgspec import Struct

from stampede.server.log.fault import guarded
from stampede.server.log.followers import Follower, Followers
from stampede.server.log.groups import Groups
from stampede.server.log.port import Entry, Log, StorageError
from stampede.server.log.sqlite_file import ClaimedFile, Synchronous
from stampede.server.log.sqlite_tables import Tables
from stampede.server.log.stamp import Stamp, wall_clock

_Result = TypeVar("_Result")

_RETRY_S = 1.0
"""How long a follower waits after a read that failed."""


class _Append(Struct, frozen=True, gc=False):
    """Entries on their way into a stream, and who waits for that."""

    stream: str
    entries: list[Entry]
    future: "asyncio.Future[list[Entry]] | None" = None
    failed: Callable[[bytes, StorageError], None] | None = None

    def taken(self) -> None:
        """Let the caller go on."""
        if self.future is not None and not self.future.done():
            self.future.set_result(self.entries)

    def refused(self, failure: StorageError) -> None:
        """Tell the caller."""
        error = StorageError(*failure.args)
        if self.failed is not None:
            guarded(self.failed, self.entries[0].fact, error)
        elif self.future is not None and not self.future.done():
            self.future.set_exception(error)


class _Task(NamedTuple):
    """Something for the thread to do, after it has committed what waits; its outcome is told on the loop, in order."""

    work: Callable[[], Any]
    done: Callable[[Any, StorageError | None], None]


class SqliteLog(Log):
    """A `Log` in one file."""

    def __init__(self, file: ClaimedFile, clock: Callable[[], int], last_id: int) -> None:
        """Use `open`."""
        self._loop = asyncio.get_running_loop()
        self._file = file
        self._tables = Tables(file.connection)
        self._stamp = Stamp(clock, last_id)
        self._followers = Followers()
        self._held: dict[Follower, list[_Append]] = {}
        self._nodes: set[str] = set()
        self._waiting: list[_Append] = []
        """The loop adds at its end, the thread takes from its beginning."""
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        """What the thread has to do, whatever waits before all else; None ends it."""
        self._groups = Groups(self._waiting.__len__, partial(self._queue.put, _Task(_nothing, self._committed)))
        self._closed: asyncio.Future[None] | None = None
        self._thread = threading.Thread(target=self._work, name="log", daemon=True)
        self._thread.start()

    @classmethod
    async def open(
        cls, path: str, *, synchronous: Synchronous = "FULL", clock: Callable[[], int] | None = None
    ) -> Self:
        """Open the file, or make it. Raises `LogUnusable`.

        With `synchronous` FULL an entry survives a power cut once it is appended, with NORMAL only the
        death of the process; the last entries may then be gone.
        """

        def claim() -> tuple[ClaimedFile, int]:
            file = ClaimedFile(path, synchronous)
            return file, Tables(file.connection).last_id()

        file, last_id = await asyncio.to_thread(claim)
        return cls(file, clock or wall_clock(), last_id)

    def time_ms(self) -> int:
        return self._stamp.time_ms()

    def append(self, stream: str, facts: Sequence[bytes]) -> asyncio.Future[list[Entry]]:
        future: asyncio.Future[list[Entry]] = self._loop.create_future()
        if self._closed is not None:
            future.set_exception(StorageError("The log is closed."))
        elif facts:
            self._wait(_Append(stream, list(map(Entry, self._stamp.ids(len(facts)), facts)), future))
        else:
            future.set_result([])
        return future

    def submit(self, stream: str, fact: bytes, failed: Callable[[bytes, StorageError], None]) -> None:
        if self._closed is not None:
            self._loop.call_soon(failed, fact, StorageError("The log is closed."))
        else:
            self._wait(_Append(stream, [Entry(self._stamp.next_id(), fact)], None, failed))

    async def read(self, stream: str, after: int = 0) -> list[Entry]:
        return await self._do(partial(self._tables.read, stream, after))

    def follow(self, stream: str, after: int, deliver: Callable[[Entry], None], reset: Callable[[], None]) -> Follower:
        follower = self._followers.add(stream, after, deliver, reset)
        self._catch_up(follower)
        return follower

    async def streams(self, prefix: str) -> list[tuple[str, int]]:
        return await self._do(partial(self._tables.streams, prefix))

    async def trim(self, stream: str, through: int) -> None:
        await self._do(partial(self._tables.trim, stream, through))

    async def delete(self, stream: str) -> None:
        def deleted(was_there: bool) -> None:
            if was_there:
                self._followers.reset(stream)

        await self._do(partial(self._tables.delete, stream), deleted)

    async def beat(self, node: str) -> None:
        self._nodes.add(node)

    async def nodes(self) -> frozenset[str]:
        return frozenset(self._nodes)

    async def check(self) -> None:
        await self._do(self._tables.probe)

    async def close(self) -> None:
        if self._closed is None:
            self._closed = self._loop.create_future()
            self._queue.put(None)
        await asyncio.shield(self._closed)
        self._thread.join()

    async def _do(self, work: Callable[[], _Result], heard: Callable[[_Result], None] | None = None) -> _Result:
        """Have the thread do something, and wait for it; whoever stops waiting disturbs nobody.

        `heard` is given the result in the order of the work, whether or not anyone still waits.
        """
        if self._closed is not None:
            raise StorageError("The log is closed.")
        future: asyncio.Future[_Result] = self._loop.create_future()

        def done(result: _Result | None, failure: StorageError | None) -> None:
            if heard is not None and failure is None:
                heard(cast(_Result, result))
            if future.done():
                return
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(cast(_Result, result))

        self._queue.put(_Task(work, done))
        return await future

    def _catch_up(self, follower: Follower) -> None:
        """Read on from a follower's cursor. Until that is told, entries of its stream are held back from it."""

        def done(entries: list[Entry] | None, failure: StorageError | None) -> None:
            if entries is not None:
                follower.behind = False
                follower.give(entries)
            elif follower.is_open:
                self._loop.call_later(_RETRY_S, self._catch_up, follower)
            for append in self._held.pop(follower, ()):
                self._settle(append, failure)

        self._queue.put(_Task(partial(self._tables.read, follower.stream, follower.cursor), done))

    def _settle(self, append: _Append, failure: StorageError | None) -> None:
        """Let followers hear of an append, then its caller."""
        if failure is not None:
            append.refused(failure)
            return
        behind = None
        for follower in self._followers.of(append.stream):
            if follower.behind:
                behind = follower
            else:
                follower.give(append.entries)
        if behind is not None:
            self._held.setdefault(behind, []).append(append)
        else:
            append.taken()

    def _wait(self, append: _Append) -> None:
        self._waiting.append(append)
        self._groups.gather()

    def _committed(self, result: None, failure: StorageError | None) -> None:
        self._groups.done()

    def _settle_all(self, appends: list[_Append], failure: StorageError | None) -> None:
        for append in appends:
            self._settle(append, failure)

    # From here on: the thread.

    def _work(self) -> None:
        while (task := self._queue.get()) is not None:
            self._commit()
            self._tell(task.done, *_attempt(task.work))
        self._commit()
        _attempt(self._tables.note)
        _attempt(self._file.close)
        if self._closed is not None:
            self._tell(self._closed.set_result, None)

    def _commit(self) -> None:
        """Commit what waits."""
        appends = self._waiting[:]
        if not appends:
            return
        del self._waiting[: len(appends)]
        rows = [(append.stream, append.entries) for append in appends]
        _, failure = _attempt(partial(self._tables.append, rows))
        self._tell(self._settle_all, appends, failure)
        if self._tables.note_due:
            _attempt(self._tables.note)

    def _tell(self, hear: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is gone: nobody is left to be told
            self._loop.call_soon_threadsafe(hear, *arguments)


def _nothing() -> None:
    """Commit what waits, and nothing else."""


def _attempt(work: Callable[[], _Result]) -> tuple[_Result | None, StorageError | None]:
    """Do it; whatever goes wrong, the thread goes on."""
    try:
        return work(), None
    except Exception as error:
        return None, StorageError(f"The log's file: {error}.")
