"""Facts: the entries of a room's log, as stored.

A fact says what was done, never what came of it: an action, not a score. They are versioned apart from the wire:
arrays to which only new fields at the end may be added, with defaults, and new kinds of facts.
"""

from typing import Final

import msgspec
from msgspec import Struct

from stampede.patience.cards import DECK
from stampede.patience.game import Action, Draw, Move, Undo
from stampede.patience.referee import PLACES
from stampede.protocol.commands import Kind, Role, Settings


class Fact(Struct, array_like=True, tag_field="fact", frozen=True, gc=False):
    """What all facts have in common: who did it, and on which connection."""

    player: str
    connection: str


class Opened(Fact, tag="opened", array_like=True, frozen=True, gc=False):
    """A room was opened; always the first fact of its log."""

    name: str
    kind: Kind
    role: Role
    code: str
    """The deal code, also of a sealed room: no view lets it out early."""
    settings: Settings
    """As chosen, with `winnable` decided and without the passphrase itself."""
    passphrase_hash: str = ""


class Entered(Fact, tag="entered", array_like=True, frozen=True, gc=False):
    """Someone took a seat, or came back to theirs on a new connection."""

    name: str
    kind: Kind
    role: Role


class Left(Fact, tag="left", array_like=True, frozen=True, gc=False):
    """Someone went on purpose."""


class Broke(Fact, tag="broke", array_like=True, frozen=True, gc=False):
    """Someone's connection is gone."""


class Readied(Fact, tag="readied", array_like=True, frozen=True, gc=False):
    """Someone is ready, or not any more."""

    ready: bool


class Started(Fact, tag="started", array_like=True, frozen=True, gc=False):
    """The host began the countdown."""


class Acted(Fact, tag="acted", array_like=True, frozen=True, gc=False):
    """A racer played action number `n`, written as in `patience.notation`."""

    n: int
    action: str


class Forfeited(Fact, tag="forfeited", array_like=True, frozen=True, gc=False):
    """A racer gave up."""


class Said(Fact, tag="said", array_like=True, frozen=True, gc=False):
    """Chat."""

    text: str


class Rematched(Fact, tag="rematched", array_like=True, frozen=True, gc=False):
    """A rematch was opened as another room."""

    room: str


class TimePassed(Fact, tag="time", array_like=True, frozen=True, gc=False):
    """Nothing but the time of its entry: a node saw an instant pass, and puts that into the log's order."""

    player: str = ""
    connection: str = ""


RoomFact = Opened | Entered | Left | Broke | Readied | Started | Acted | Forfeited | Said | Rematched | TimePassed

encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(RoomFact).decode


def decode(data: bytes) -> RoomFact:
    """The fact in a stored entry; raises `msgspec.DecodeError` if it is none that this version knows."""
    return _decode(data)


_EVERY: Final[list[Action]] = [*(Move(card, to) for card in DECK for to in PLACES), Draw(), Undo()]
ACTIONS: Final[dict[str, Action]] = {str(action): action for action in _EVERY}
"""Every action there is, by its notation."""
