"""The state of a room: its seats and where it is in its life. Frozen; only `room.fold` makes a new one."""

from msgspec import Struct

from stampede.patience.game import Game
from stampede.protocol.commands import Kind, Role, Settings
from stampede.protocol.events import Phase, Status


class Seat(Struct, frozen=True):
    """One racer or watcher of a room."""

    player: str
    name: str
    kind: Kind
    role: Role
    status: Status
    connection: str | None
    """The connection they are on; None while they are away."""
    away_since: int = 0
    game: Game | None = None
    n: int = 0
    """Actions accepted so far, undo too."""
    elapsed_ms: int = 0
    """Of the latest action, from the start of the race."""
    home_at_ms: int = 0
    """Of the latest action that changed the number of cards home."""

    @property
    def away(self) -> bool:
        """Whether no connection is theirs right now."""
        return self.connection is None

    @property
    def home(self) -> int:
        """Cards home, 0 to 52."""
        return self.game.table.cards_home if self.game else 0


class RoomState(Struct, frozen=True):
    """A room at one point of its log."""

    id: str
    code: str
    variant: str
    settings: Settings
    passphrase_hash: str
    host: str
    seats: dict[str, Seat]
    """By player, in order of arrival. Never changed in place."""
    phase: Phase = "lobby"
    opened_at_ms: int = 0
    starts_at_ms: int | None = None
    """Fixed when the countdown begins."""
    ends_at_ms: int | None = None
    """The last instant at which an action counts; fixed with the start, earlier after the first finish."""
    reason: str = ""
    """Why the room went back to the lobby, or was cancelled."""
    rematch: str | None = None
    due_ms: int | None = None
    """The next instant at which the room changes by itself (see `advance`), or None."""

    @property
    def ended(self) -> bool:
        """Whether it is over or cancelled: final."""
        return self.phase in ("over", "cancelled")

    @property
    def racers(self) -> list[Seat]:
        """The seats of racers, in order of arrival."""
        return [seat for seat in self.seats.values() if seat.role == "racer"]
