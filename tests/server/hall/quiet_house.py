"""A house without a street door: visitors whose messages are written down, and a clock that stands still."""

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from stampede.protocol.codec import JSON, MSGPACK
from stampede.protocol.commands import AnyCommand
from stampede.protocol.events import Board, Event, Played
from stampede.server.hall.house import House
from stampede.server.hall.limits import Limits
from stampede.server.hall.live_room import LiveRoom
from stampede.server.hall.outbox import Letter
from stampede.server.hall.visitor import Visitor
from stampede.server.log.in_memory import InMemoryLog
from stampede.server.log.port import Log

BEGINNING = 1_700_000_000_000
BOUNDLESS = Limits(commands_per_s=0, connections_per_address=0, rooms_per_player=0, watchers_per_room=0)


class Clock:
    """Stands still, unless someone moves it on."""

    def __init__(self) -> None:
        self.ms = BEGINNING

    def __call__(self) -> int:
        return self.ms


class PromptTicker:
    """Tells progress as soon as there is any, so that nothing depends on when it is told."""

    def mark(self, room: LiveRoom) -> None:
        asyncio.get_running_loop().call_soon(room.tell_progress)


class Guest:
    """A visitor, and all that was said to it, in both encodings."""

    def __init__(self, house: House, name: str, token: str | None = None) -> None:
        self.name = name
        self.token = token or (name + "A" * 43)[:43]
        self.heard: list[Event] = []
        self.closed: list[int] = []
        self._queue: list[AnyCommand] = []
        self._numbers = 0
        self.visitor = Visitor(house, self)

    # What the hall asks of an outbox.

    def send(self, event: Event) -> None:
        self.heard.append(event)

    def post(self, letter: Letter, *, droppable: bool = False) -> None:
        self.heard.append(letter.event)

    def answered(self) -> None:
        while self._queue and not self.visitor.busy:
            self.visitor.hear(self._queue.pop(0))

    def close(self, code: int, reason: str) -> None:
        self.closed.append(code)
        self.visitor.gone()

    # What a test does.

    def say(self, command: AnyCommand) -> int:
        """Say something, after what was said before has been answered; returns its id."""
        self._numbers += 1
        self._queue.append(replace(command, id=self._numbers))
        self.answered()
        return self._numbers

    def answer(self, number: int) -> Any:
        """The one direct answer to a command."""
        (answer,) = [event for event in self.heard if getattr(event, "re", None) == number]
        return answer

    def written(self) -> list[tuple[bytes, bytes]]:
        """All that was heard, as JSON and as MessagePack."""
        return [(JSON.encode(event), MSGPACK.encode(event)) for event in self.heard]

    @property
    def n(self) -> int:
        """How many of its actions were accepted, as far as it was told."""
        numbers = (event.n for event in reversed(self.heard) if isinstance(event, Board | Played))
        return next(numbers, 0)

    @property
    def quiet(self) -> bool:
        """Whether everything said has been answered."""
        return bool(self.closed) or not (self._queue or self.visitor.busy)


async def open_house(
    log: Log | None = None, clock: Callable[[], int] | None = None, limits: Limits = BOUNDLESS
) -> House:
    """A house on a log of its own, or on one that was used before."""
    house = House(log or InMemoryLog(clock or Clock()), limits, "test")
    await house.start()
    return house


async def settled(*guests: Guest) -> None:
    """Come back when everything said has been answered, and all that follows from it has been told."""
    while not all(guest.quiet for guest in guests):
        await asyncio.sleep(0)
    for _ in range(4):
        await asyncio.sleep(0)
