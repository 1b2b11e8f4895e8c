"""The log in memory, `memory:`: for tests and demonstrations. It is gone with its process."""
# ruff: noqa: D102 (the port says what these methods promise)

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence

from stampede.server.log.followers import Follower, Followers
from stampede.server.log.port import Entry, Log, StorageError
from stampede.server.log.stamp import Stamp, wall_clock


class InMemoryLog(Log):
    """A `Log` in this process's memory. Appends that wait at the same moment are delivered together."""

    def __init__(self, clock: Callable[[], int] | None = None) -> None:
        self._stamp = Stamp(clock or wall_clock())
        self._streams: dict[str, list[Entry]] = {}
        self._waiting: list[tuple[str, list[Entry], asyncio.Future[list[Entry]] | None]] = []
        self._followers = Followers()
        self._nodes: set[str] = set()
        self._closed = False

    def time_ms(self) -> int:
        return self._stamp.time_ms()

    def append(self, stream: str, facts: Sequence[bytes]) -> asyncio.Future[list[Entry]]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Entry]] = loop.create_future()
        if self._closed:
            future.set_exception(StorageError("The log is closed."))
            return future
        if not facts:
            future.set_result([])
            return future
        entries = list(map(Entry, self._stamp.ids(len(facts)), facts))
        self._wait(stream, entries, future)
        return future

    def submit(self, stream: str, fact: bytes, failed: Callable[[bytes, StorageError], None]) -> None:
        if self._closed:
            asyncio.get_running_loop().call_soon(failed, fact, StorageError("The log is closed."))
        else:
            self._wait(stream, [Entry(self._stamp.next_id(), fact)], None)

    async def read(self, stream: str, after: int = 0) -> list[Entry]:
        return self._after(stream, after)

    def follow(self, stream: str, after: int, deliver: Callable[[Entry], None], reset: Callable[[], None]) -> Follower:
        follower = self._followers.add(stream, after, deliver, reset)
        asyncio.get_running_loop().call_soon(self._bring_up, follower)
        return follower

    async def streams(self, prefix: str) -> list[tuple[str, int]]:
        return [
            (name, entries[-1].id) for name, entries in self._streams.items() if entries and name.startswith(prefix)
        ]

    async def trim(self, stream: str, through: int) -> None:
        if stream in self._streams:
            self._streams[stream] = self._after(stream, through)

    async def delete(self, stream: str) -> None:
        if self._streams.pop(stream, None) is not None:
            self._followers.reset(stream)

    async def beat(self, node: str) -> None:
        self._nodes.add(node)

    async def nodes(self) -> frozenset[str]:
        return frozenset(self._nodes)

    async def check(self) -> None:
        if self._closed:
            raise StorageError("The log is closed.")

    async def close(self) -> None:
        self._closed = True
        self._flush()

    def _wait(self, stream: str, entries: list[Entry], future: asyncio.Future[list[Entry]] | None) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append((stream, entries, future))

    def _after(self, stream: str, after: int) -> list[Entry]:
        entries = self._streams.get(stream, [])
        return entries[bisect_right(entries, after, key=lambda entry: entry.id) :]

    def _bring_up(self, follower: Follower) -> None:
        follower.behind = False
        follower.give(self._after(follower.stream, follower.cursor))

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for stream, entries, _ in waiting:
            self._streams.setdefault(stream, []).extend(entries)
        for stream, entries, future in waiting:
            for follower in self._followers.of(stream):
                if follower.behind:
                    self._bring_up(follower)
                else:
                    follower.give(entries)
            if future is not None and not future.done():
                future.set_result(entries)
