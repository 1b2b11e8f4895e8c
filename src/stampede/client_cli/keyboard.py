"""The keyboard: lines from standard input, without touching the terminal's mode."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Final

_LONGEST: Final = 4096
"""Bytes of a line that are looked at."""


def is_person() -> bool:
    """Whether someone sits at standard input."""
    return sys.stdin is not None and sys.stdin.isatty()


async def typed_lines() -> AsyncIterator[str]:
    """Each line as it is typed, until the end of input.

    A thread waits for them: making a terminal non-blocking for the event loop would leave it so for the shell too.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def tell(line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(queue.put_nowait, line)
        except RuntimeError:
            return  # the loop is closed: no one is listening any more

    # A daemon, because nothing can wake a thread from reading. It reads with `os.read`, as a daemon that holds the
    # lock of `sys.stdin` would keep the interpreter from shutting down.
    threading.Thread(target=_read, args=(tell,), daemon=True, name="keyboard").start()
    while (line := await queue.get()) is not None:
        yield line


def _read(tell: Callable[[str | None], None]) -> None:
    rest = b""
    try:
        descriptor = sys.stdin.fileno()
        while data := os.read(descriptor, _LONGEST):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                tell(_text(line))
            rest = rest[:_LONGEST]
    except (OSError, ValueError, AttributeError):
        pass  # no standard input, or it is closed: the same as its end
    if rest:
        tell(_text(rest))
    tell(None)


def _text(line: bytes) -> str:
    return line[:_LONGEST].decode("utf-8", errors="replace").rstrip("\r")
