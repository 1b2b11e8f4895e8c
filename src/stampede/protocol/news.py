"""News: what a client tells its user without having been asked, the breaks and returns of its line included."""

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


News = AnyEvent | Disconnected | Reconnected | SeatLost | HungUp
