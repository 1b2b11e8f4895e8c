"""Commands: everything a client may say.

Every command may carry an `id`, and gets exactly one answer, which repeats it as `re`. Optional texts may be left
out or null. A field that is missing, or of the wrong type or size, is refused as `message.bad_field`.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from stampede.patience.cards import DECK
from stampede.patience.game import Action, Draw, Move, Undo
from stampede.patience.referee import PLACES

if TYPE_CHECKING:
    CardName = str
    Place = str
else:
    CardName = Literal[DECK]
    Place = Literal[PLACES]

COMMAND_BYTES: Final = 4096
"""The longest frame a client may send."""
LARGEST_ID: Final = 2**53 - 1
SAY_CHARACTERS: Final = 280
NAME_GRAPHEMES: Final = 24
CLIENT_CHARACTERS: Final = 100
TITLE_CHARACTERS: Final = 60
PASSPHRASE_CHARACTERS: Final = 64

Id = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Count = Annotated[int, Meta(ge=0, le=LARGEST_ID)]
Text = Annotated[str, Meta(max_length=200)]
Kind = Literal["human", "bot"]
Role = Literal["racer", "watcher"]
StartRule = Literal["host", "all_ready"]
Grade = Literal["easy", "medium", "hard", "expert"]


class Command(Struct, tag_field="type", frozen=True, kw_only=True, gc=False):
    """What all commands have in common."""

    id: Id | UnsetType = UNSET


class Hello(Command, tag="hello", frozen=True, kw_only=True, gc=False):
    """Who I am; the first command of a connection. With a `token`, the same player as before."""

    name: Text
    client: Annotated[str, Meta(max_length=CLIENT_CHARACTERS)] | None = None
    kind: Kind = "human"
    token: Text | None = None


class Rooms(Command, tag="rooms", frozen=True, kw_only=True, gc=False):
    """Which listed rooms are there? With `follow`, keep me told."""

    follow: bool = False


class Settings(Struct, frozen=True, kw_only=True, gc=False):
    """What can be chosen for a room."""

    sealed: bool = False
    winnable: bool | UnsetType = UNSET
    """Left out: true where the server draws the deal and proven ones exist for the variant."""
    grade: Grade | None = None
    undo: Annotated[int, Meta(ge=0, le=100)] = 100
    capacity: Annotated[int, Meta(ge=1, le=100)] = 8
    countdown_s: Annotated[int, Meta(ge=0, le=60)] = 5
    start: StartRule = "all_ready"
    limit_s: Annotated[int, Meta(ge=60, le=86_400)] = 3600
    tail_s: Annotated[int, Meta(ge=0, le=86_400)] = 300
    listed: bool = False
    passphrase: Annotated[str, Meta(max_length=PASSPHRASE_CHARACTERS)] | None = None
    bots: bool = True
    chat: bool = True
    title: Annotated[str, Meta(max_length=TITLE_CHARACTERS)] = ""


class Open(Command, tag="open", frozen=True, kw_only=True, gc=False):
    """Open a room on a deal code, or on a fresh deal of a variant; I am its host."""

    deal: Text
    settings: Settings = Settings()
    role: Role = "racer"


class Join(Command, tag="join", frozen=True, kw_only=True, gc=False):
    """Enter a room, or come back to my seat in it."""

    room: Text
    role: Role = "racer"
    passphrase: Annotated[str, Meta(max_length=PASSPHRASE_CHARACTERS)] | None = None


class Leave(Command, tag="leave", frozen=True, kw_only=True, gc=False):
    """Leave the room; while racing this forfeits."""


class Ready(Command, tag="ready", frozen=True, kw_only=True, gc=False):
    """I am ready to race, or not any more."""

    ready: bool


class Start(Command, tag="start", frozen=True, kw_only=True, gc=False):
    """Begin the countdown (the host)."""


class Do(Struct, frozen=True, gc=False, omit_defaults=True):
    """One action: `{"move": "TD", "to": "5"}`, `{"draw": true}` or `{"undo": true}`."""

    move: CardName | UnsetType = UNSET
    to: Place | UnsetType = UNSET
    draw: bool = False
    undo: bool = False

    def __post_init__(self) -> None:
        moves = self.move is not UNSET
        if moves is (self.to is UNSET) or moves + self.draw + self.undo != 1:
            raise ValueError('Expected {"move": CARD, "to": PLACE}, {"draw": true} or {"undo": true}')

    @property
    def notation(self) -> str:
        """The same as `patience.notation` writes it."""
        if self.move is not UNSET:
            return f"{self.move} {self.to}"
        return "draw" if self.draw else "undo"

    def action(self) -> Action:
        """The same as an action of the game."""
        if self.move is not UNSET and self.to is not UNSET:
            return Move(self.move, self.to)
        return Draw() if self.draw else Undo()

    @classmethod
    def of(cls, action: Action) -> "Do":
        """An action of the game as it goes over the wire."""
        match action:
            case Move(card, to):
                return cls(move=card, to=to)
            case Draw():
                return cls(draw=True)
            case Undo():
                return cls(undo=True)


class Play(Command, tag="play", frozen=True, kw_only=True, gc=False):
    """Do something; `n` is the number of my accepted actions so far, plus one."""

    n: Count
    do: Do


class Targets(Command, tag="targets", frozen=True, kw_only=True, gc=False):
    """Where may this card go now?"""

    card: CardName


class Sync(Command, tag="sync", frozen=True, kw_only=True, gc=False):
    """Tell me everything again."""


class Forfeit(Command, tag="forfeit", frozen=True, kw_only=True, gc=False):
    """Give up the race, but stay and watch."""


class Say(Command, tag="say", frozen=True, kw_only=True, gc=False):
    """Chat to all in the room."""

    text: Annotated[str, Meta(max_length=SAY_CHARACTERS)]


class Replay(Command, tag="replay", frozen=True, kw_only=True, gc=False):
    """All actions of a finished race, or those of one player."""

    room: Text
    player: Text | None = None


class Rematch(Command, tag="rematch", frozen=True, kw_only=True, gc=False):
    """The same again on a fresh deal, in a room that is over."""


class Ping(Command, tag="ping", frozen=True, kw_only=True, gc=False):
    """Are you there? `t` comes back as it was."""

    t: Raw | UnsetType = UNSET


AnyCommand = (
    Hello
    | Rooms
    | Open
    | Join
    | Leave
    | Ready
    | Start
    | Play
    | Targets
    | Sync
    | Forfeit
    | Say
    | Replay
    | Rematch
    | Ping
)
