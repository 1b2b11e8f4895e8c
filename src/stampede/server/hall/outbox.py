"""An outbox: what the hall needs of the connection on the other side of the street door."""

from collections.abc import Callable
from typing import Protocol

from stampede.protocol.events import Event

Writer = Callable[[Event], bytes]
"""How the door writes an event; one function for each encoding."""


class Letter:
    """One event for many readers: written once per encoding, and not before someone needs it."""

    __slots__ = ("_written", "event")

    def __init__(self, event: Event) -> None:
        self.event = event
        self._written: dict[Writer, bytes] = {}

    def written(self, writer: Writer) -> bytes:
        """The event, as `writer` writes it."""
        data = self._written.get(writer)
        if data is None:
            data = self._written[writer] = writer(self.event)
        return data


class Outbox(Protocol):
    """Where a visitor's messages go. Nothing here waits."""

    def send(self, event: Event) -> None:
        """Send one event to this reader."""

    def post(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send a letter; a droppable one is left out for a reader that does not keep up."""

    def answered(self) -> None:
        """The command under way has got its answer: the next one may be handled."""

    def close(self, code: int, reason: str) -> None:
        """Close the connection with a code of `protocol.problems.Close`."""
