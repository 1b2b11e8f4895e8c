"""The processes of the show: a server and its bots.

Laws of this file:
- The server is a process like any other: it is started, spoken to over the wire, and stopped.
- Whatever happens, no process is left behind.
"""

import asyncio
import contextlib
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from stampede.client_cli.failure import Failure

_LISTENING: Final = re.compile(r"ws://[^\s\"']+/ws")


@contextlib.asynccontextmanager
async def server(directory: Path) -> AsyncIterator[str]:
    """A server process on a free port, with its log in `directory`; its address."""
    log = f"sqlite:{directory / 'race.db'}"
    command = ("-m", "stampede.server", "--host", "127.0.0.1", "--port", "0", "--log", log)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    reading: asyncio.Task[None] | None = None
    try:
        url, said = await _address(process)
        if url is None:
            raise Failure(f"The server did not start: {said}")
        reading = asyncio.create_task(_read_on(process))
        yield url
    finally:
        await _stop(process)
        if reading is not None:
            await reading


async def _address(process: Process) -> tuple[str | None, str]:
    """Read until the server says where it listens; the last that it said instead if it does not."""
    said = "it said nothing"
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while line := (await process.stdout.readline()).decode("utf-8", errors="replace"):
        said = line.strip() or said
        if found := _LISTENING.search(line):
            return found[0], said
    return None, said


async def _read_on(process: Process) -> None:
    """Read what the server says, so that it never has to wait for a reader."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while await process.stdout.read(65_536):
        pass


@contextlib.asynccontextmanager
async def bot(url: str, room: str, *options: str) -> AsyncIterator[None]:
    """A bot process in a room, with more `options` of `stampede bot`."""
    command = ("-m", "stampede.client_cli", "bot", room, "--url", url, *options)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdin=DEVNULL, stdout=DEVNULL)
    try:
        yield
    finally:
        await _stop(process)


async def _stop(process: Process) -> None:
    """End a process: it is asked to, and after five seconds made to."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(5):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
