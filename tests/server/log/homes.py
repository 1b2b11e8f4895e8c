"""Homes of logs for the tests: where each kind lives, how it is opened again, and a clock that a test can move."""

import itertools
import time
from pathlib import Path
from typing import ClassVar

from server.log.redis_server import RedisServer
from stampede.server.log.in_memory import InMemoryLog
from stampede.server.log.port import Entry, Log
from stampede.server.log.redis_streams import RedisLog
from stampede.server.log.sqlite import SqliteLog


class Home:
    """Opens logs on the same memory, each closed at the end of the test."""

    durable: ClassVar[bool] = True
    """Whether what was appended is there again after closing and opening."""
    own_clock: ClassVar[bool] = True
    """Whether `jump_ms` moves the clock of the log."""

    def __init__(self) -> None:
        self.jump_ms = 0
        self._opened: list[Log] = []

    def clock(self) -> int:
        """Wall time, moved by the test."""
        return time.time_ns() // 1_000_000 + self.jump_ms

    async def open(self) -> Log:
        """One more log on this memory."""
        log = await self._open()
        self._opened.append(log)
        return log

    async def close(self) -> None:
        for log in self._opened:
            await log.close()

    async def _open(self) -> Log:
        raise NotImplementedError


class InMemoryHome(Home):
    durable = False

    async def _open(self) -> Log:
        return InMemoryLog(self.clock)


class SqliteHome(Home):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    async def _open(self) -> Log:
        return await SqliteLog.open(str(self.path), clock=self.clock)


class RedisHome(Home):
    own_clock = False
    _number = itertools.count()

    def __init__(self, server: RedisServer) -> None:
        super().__init__()
        self.server = server
        self.prefix = f"home{next(self._number)}:"

    async def _open(self) -> Log:
        return await RedisLog.open(self.server.url, prefix=self.prefix)


class Heard:
    """What a follower was told."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.resets = 0

    @property
    def facts(self) -> list[bytes]:
        return [entry.fact for entry in self.entries]

    def deliver(self, entry: Entry) -> None:
        self.entries.append(entry)

    def reset(self) -> None:
        self.resets += 1
