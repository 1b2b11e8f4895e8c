"""A TCP proxy that a test can have cut the line, at any byte, or fall silent."""

import asyncio
import ssl
from contextlib import suppress
from typing import Self


class Proxy:
    """Forwards connections on `port` to another port here."""

    def __init__(self, target: int, tls: ssl.SSLContext | None = None) -> None:
        """With `tls`, whoever connects has to speak TLS; the target hears the plain text."""
        self._tls = tls
        self.port = 0
        self.cuts = 0
        self._target = target
        self._left: int | None = None
        self._open = asyncio.Event()
        self._open.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def cut(self) -> None:
        """Cut all connections that there are."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    def cut_after(self, length: int) -> None:
        """Cut all connections once so many more bytes went through, in either direction."""
        self._left = length

    def fall_silent(self) -> None:
        """Keep connections, and take new ones, but forward nothing."""
        self._open.clear()

    def speak_again(self) -> None:
        """Forward again."""
        self._open.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(task := asyncio.current_task())  # type: ignore[arg-type]
        self._writers.add(writer)
        there = None
        try:
            with suppress(OSError):
                from_there, there = await asyncio.open_connection("127.0.0.1", self._target)
                self._writers.add(there)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._forward(reader, there))
                    group.create_task(self._forward(from_there, writer))
        finally:
            self._tasks.discard(task)  # type: ignore[arg-type]
            for end in (writer, there):
                if end is not None:
                    self._writers.discard(end)
                    end.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._open.wait()
                if self._left is not None:
                    data, self._left = data[: self._left], max(0, self._left - len(data))
                writer.write(data)
                await writer.drain()
                if self._left == 0:
                    self._left = None
                    self.cuts += 1
                    self.cut()
        writer.transport.abort()
        reader.feed_eof()
