"""Events and answers: everything the server may say.

An answer repeats the `id` of its command as `re`. Fields marked `UnsetType` are left out where they say nothing.
`*_ms` are integer milliseconds: `time_ms` and `*_at_ms` on the log's clock (Unix time), `elapsed_ms` from the start
of the race.
"""

from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field

from stampede.protocol.commands import Do, Grade, Kind, Role, StartRule

Phase = Literal["lobby", "countdown", "racing", "closing", "over", "cancelled"]
Status = Literal[
    "waiting",
    "ready",
    "racing",
    "finished",
    "timed_out",
    "forfeited",
    "never_played",
    "watching",
    "left",
]
Columns = Sequence[Sequence[str]]


class Event(Struct, tag_field="type", frozen=True, kw_only=True, gc=False):
    """What all events have in common."""


class Answer(Event, frozen=True, kw_only=True, gc=False):
    """An event that can be the answer to a command."""

    re: int | UnsetType = UNSET


class Limits(Struct, frozen=True, kw_only=True, gc=False):
    """What the server allows; a rate or a number of 0 means no limit."""

    commands_per_s: int
    commands_burst: int
    connections_per_address: int
    rooms_per_player: int
    watchers_per_room: int
    command_bytes: int
    name_graphemes: int
    say_characters: int
    title_characters: int
    passphrase_characters: int


class Welcome(Answer, tag="welcome", frozen=True, kw_only=True, gc=False):
    """To whom said hello. Keep the token: only it gives a seat back."""

    player: str
    token: str
    name: str
    server: str
    time_ms: int
    limits: Limits
    seats: list[str]
    """Rooms, not over, where this player has a seat."""


class Entrant(Struct, frozen=True, kw_only=True, gc=False):
    """One racer or watcher of a room, as all in the room may see it."""

    player: str
    name: str
    kind: Kind
    role: Role
    status: Status
    away: bool
    score: int
    moves: int
    home: int
    elapsed_ms: int
    place: int | UnsetType = UNSET


class SettingsPicture(Struct, frozen=True, kw_only=True, gc=False):
    """The settings of a room, its passphrase shown as true or false."""

    sealed: bool
    winnable: bool
    grade: Grade | UnsetType = UNSET
    undo: int
    capacity: int
    countdown_s: int
    start: StartRule
    limit_s: int
    tail_s: int
    listed: bool
    passphrase: bool
    bots: bool
    chat: bool
    title: str


class DealPicture(Struct, frozen=True, kw_only=True, gc=False):
    """What is told of a room's deal: its code if that is open, or a commitment to it until the race is over."""

    variant: str
    code: str | UnsetType = UNSET
    commitment: str | UnsetType = UNSET


class You(Struct, frozen=True, kw_only=True, gc=False):
    """Who the reader is, and the commands open to them right now."""

    player: str
    may: list[str]


class RoomPicture(Struct, frozen=True, kw_only=True, gc=False):
    """The whole picture of a room."""

    id: str
    phase: Phase
    settings: SettingsPicture
    deal: DealPicture
    host: str
    entrants: list[Entrant]
    time_ms: int
    starts_at_ms: int | UnsetType = UNSET
    ends_at_ms: int | UnsetType = UNSET
    you: You


class Room(Answer, tag="room", frozen=True, kw_only=True, gc=False):
    """The whole picture: on open, join and sync."""

    room: RoomPicture


class EntrantChanged(Event, tag="entrant", frozen=True, kw_only=True, gc=False):
    """Someone came, left, got ready, is away or back, forfeited, or is the host now."""

    entrant: Entrant
    host: str
    """Who is the host now."""


class PhaseChanged(Event, tag="phase", frozen=True, kw_only=True, gc=False):
    """The room is in another phase now."""

    phase: Phase
    starts_at_ms: int | UnsetType = UNSET
    in_ms: int | UnsetType = UNSET
    """Milliseconds from now to the start."""
    ends_at_ms: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Board(Answer, tag="board", frozen=True, kw_only=True, gc=False):
    """A full picture of the reader's own table; face-down cards are `--`."""

    n: int
    columns: Columns
    home: dict[str, int]
    stock: int
    waste: Sequence[str]
    score: int
    moves: int
    elapsed_ms: int
    undo_left: int


class Changed(Struct, frozen=True, kw_only=True, gc=False):
    """The piles that an action changed, each whole, under the keys that `board` has."""

    columns: dict[str, Sequence[str]] | UnsetType = UNSET
    home: dict[str, int] | UnsetType = UNSET
    stock: int | UnsetType = UNSET
    waste: Sequence[str] | UnsetType = UNSET


class Played(Answer, tag="played", frozen=True, kw_only=True, gc=False):
    """Your action counts, and is in the log."""

    n: int
    changed: Changed
    score: int
    moves: int
    elapsed_ms: int
    undo_left: int


class RacerProgress(Struct, frozen=True, gc=False):
    """How far one racer is; numbers only."""

    player: str
    score: int
    moves: int
    home: int
    elapsed_ms: int


class Progress(Event, tag="progress", frozen=True, kw_only=True, gc=False):
    """Racers who changed since the last one; the latest values win."""

    racers: list[RacerProgress]


class Finish(Event, tag="finish", frozen=True, kw_only=True, gc=False):
    """Someone has all 52 cards home."""

    player: str
    place: int
    score: int
    moves: int
    elapsed_ms: int


class Standing(Struct, frozen=True, kw_only=True, gc=False):
    """A row of the standings."""

    place: int
    player: str
    name: str
    status: Status
    score: int
    moves: int
    home: int
    elapsed_ms: int


class Result(Event, tag="result", frozen=True, kw_only=True, gc=False):
    """The race is over: who won (several in a dead heat, no one if none finished), the standings and the code."""

    winner: list[str]
    standings: list[Standing]
    code: str


class TargetsAnswer(Answer, tag="targets", frozen=True, kw_only=True, gc=False):
    """Where a card may go now, and what a double click would do."""

    card: str
    to: Sequence[str]
    best: str | UnsetType = UNSET


class RoomSummary(Struct, frozen=True, kw_only=True, gc=False):
    """A listed room, in a line."""

    id: str
    title: str
    phase: Phase
    variant: str
    racers: int
    capacity: int
    passphrase: bool


class RoomsAnswer(Answer, tag="rooms", frozen=True, kw_only=True, gc=False):
    """The listed rooms that are not over."""

    rooms: list[RoomSummary]


class Said(Event, tag="said", frozen=True, kw_only=True, gc=False):
    """Chat."""

    player: str
    name: str
    text: str
    time_ms: int


class ReplayRacer(Struct, frozen=True, kw_only=True, gc=False):
    """Everything one racer did: `[elapsed_ms, do]` for each accepted action."""

    player: str
    name: str
    status: Status
    place: int
    actions: list[tuple[int, Do]]


class ReplayAnswer(Answer, tag="replay", frozen=True, kw_only=True, gc=False):
    """A finished race, enough to judge it all again."""

    version: int = 1
    room: str
    code: str
    variant: str
    commitment: str | UnsetType = UNSET
    settings: SettingsPicture
    starts_at_ms: int
    ends_at_ms: int
    racers: list[ReplayRacer]


class Invitation(Event, tag="invitation", frozen=True, kw_only=True, gc=False):
    """Someone opened a rematch."""

    room: str
    host: str = field(name="from")


class Dealing(Event, tag="dealing", frozen=True, kw_only=True, gc=False):
    """To whom opens a room: its deal is being proven; the answer comes as soon as that is done."""

    variant: str
    waited_ms: int


class Pong(Answer, tag="pong", frozen=True, kw_only=True, gc=False):
    """I am here."""

    t: Raw | UnsetType = UNSET
    time_ms: int


class Done(Answer, tag="done", frozen=True, kw_only=True, gc=False):
    """So it is."""


class Error(Answer, tag="error", frozen=True, kw_only=True, gc=False):
    """It is not done, and why; see `problems`."""

    code: str
    text: str
    data: dict[str, str | int] | UnsetType = UNSET
    retry_ms: int | UnsetType = UNSET


class Goodbye(Event, tag="goodbye", frozen=True, kw_only=True, gc=False):
    """The server is going down on purpose; come back after `retry_ms`, with jitter."""

    reason: str
    retry_ms: int


AnyEvent = (
    Welcome
    | Room
    | EntrantChanged
    | PhaseChanged
    | Board
    | Played
    | Progress
    | Finish
    | Result
    | TargetsAnswer
    | RoomsAnswer
    | Said
    | ReplayAnswer
    | Invitation
    | Dealing
    | Pong
    | Done
    | Error
    | Goodbye
)
