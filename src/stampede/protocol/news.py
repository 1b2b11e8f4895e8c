"""News: what a client tells its user without having been asked, the breaks and returns of its line included."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from stampede.protocol.events import AnyEvent, Error


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The line broke; the client is on its way back."""

    why: str


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The line is back, and so is the seat in the room."""


@dataclass(frozen=True, slots=True)
class SeatLost:
    """The line is back, but the room could not be entered again."""

    problem: Error


@dataclass(frozen=True, slots=True)
class HungUp:
    """The line is closed for good; nothing follows."""

    why: str
    code: int | None = None
    """The close code, if it was the server who closed it and that was the reason."""


News = AnyEvent | Disconnected | Reconnected | SeatLost | HungUp


class Readers:
    """All who read the news."""

    def __init__(self) -> None:
        self._queues: list[asyncio.Queue[News]] = []

    def tell(self, news: News) -> None:
        """Something new, for all of them."""
        for queue in self._queues:
            queue.put_nowait(news)

    def read(self, first: News | None = None) -> AsyncIterator[News]:
        """All news from this call on, after `first`; ends after `HungUp`."""
        queue: asyncio.Queue[News] = asyncio.Queue()
        if first is not None:
            queue.put_nowait(first)
        self._queues.append(queue)
        return self._read(queue)

    async def _read(self, queue: "asyncio.Queue[News]") -> AsyncIterator[News]:
        try:
            while True:
                news = await queue.get()
                yield news
                if isinstance(news, HungUp):
                    return
        finally:
            self._queues.remove(queue)
