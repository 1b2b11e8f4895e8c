"""A room: what a log of facts comes to.

`fold` is the only way a room changes. Facts are taken in the log's order; each is judged against the room as it is
at the instant the log gave it, and one that is not acceptable there takes no effect, on every node alike. Start,
limit and tail are instants computed from entries: `advance` lets those pass that lie before a time.
"""

from typing import Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from stampede.patience.errors import Refusal
from stampede.patience.game import Game, play, start_code
from stampede.patience.variants import parse_code
from stampede.protocol.commands import Kind, Role, Settings
from stampede.protocol.events import Phase, Status
from stampede.protocol.problems import Code, Problem
from stampede.server.race import facts
from stampede.server.race.facts import RoomFact
from stampede.server.race.names import likeness

AWAY_LIMIT_MS: Final = 60_000
"""How long one may stay away from a lobby before being out."""


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


Verdict = Problem | None
"""Why a fact takes no effect, or None if it does."""


class Folded(Struct, frozen=True, gc=False):
    """What a fact came to."""

    state: RoomState
    verdict: Verdict


def opened(room: str, fact: facts.Opened, time_ms: int) -> RoomState:
    """The room that begins with `fact`."""
    seat = Seat(fact.player, fact.name, fact.kind, fact.role, _waiting(fact.role), fact.connection)
    return RoomState(
        id=room,
        code=fact.code,
        variant=parse_code(fact.code).ruleset_name,
        settings=fact.settings,
        passphrase_hash=fact.passphrase_hash,
        host=fact.player,
        seats={fact.player: seat},
        opened_at_ms=time_ms,
    )


def fold(state: RoomState, fact: RoomFact, time_ms: int) -> Folded:
    """The room after `fact`, which the log took at `time_ms`."""
    state = advance(state, time_ms)
    after = judge(state, fact, time_ms)
    if isinstance(after, Problem):
        return Folded(state, after)
    if isinstance(fact, facts.Acted) and after.phase == state.phase:
        return Folded(after, None)  # the common case: no instant changes
    return Folded(advance(_timed(after), time_ms), None)


def advance(state: RoomState, time_ms: int) -> RoomState:
    """Let the instants pass that lie before or at `time_ms`, in their order."""
    while state.due_ms is not None and state.due_ms <= time_ms:
        state = _timed(_passed(state, state.due_ms))
    return state


def judge(state: RoomState, fact: RoomFact, time_ms: int) -> RoomState | Problem:
    """The room after `fact`, or why it is not acceptable; `state` has to be advanced to `time_ms`."""
    match fact:
        case facts.Acted():
            return _acted(state, fact, time_ms)
        case facts.TimePassed():
            return state
        case facts.Opened():
            return Problem(Code.ROOM_STARTED, f"The room {state.id} is open already.")
        case facts.Entered():
            return _entered(state, fact, time_ms)
        case facts.Broke():
            seat = state.seats.get(fact.player)
            if seat is None or seat.connection != fact.connection:
                return state
            return _with(state, replace(seat, connection=None, away_since=time_ms))
        case facts.Left() | facts.Readied() | facts.Started() | facts.Forfeited() | facts.Said() | facts.Rematched():
            seat = state.seats.get(fact.player)
            if seat is None or seat.connection != fact.connection:
                return not_in_one()
            match fact:
                case facts.Left():
                    return _left(state, seat, time_ms)
                case facts.Readied():
                    return _readied(state, seat, fact.ready, time_ms)
                case facts.Started():
                    return _started(state, seat, time_ms)
                case facts.Forfeited():
                    return _forfeited(state, seat, time_ms)
                case facts.Said():
                    return state if state.settings.chat else Problem(Code.ROOM_NO_CHAT, "This room has no chat.")
                case facts.Rematched():
                    return _rematched(state, fact.room)
        case _:
            assert_never(fact)


def action_problem(state: RoomState, seat: Seat | None) -> Problem | None:
    """Why this entrant can neither play nor ask for targets now, apart from the rules of the game."""
    match state.phase:
        case "lobby" | "countdown":
            return Problem(Code.RACE_NOT_STARTED, "The race has not started yet; moves count from its start.")
        case "over" | "cancelled":
            return Problem(Code.RACE_OVER, "The race is over.")
    if seat is None or seat.game is None or seat.status not in ("racing", "finished"):
        return Problem(Code.RACE_NOT_RACING, "Only who races can play; you are watching, or have given up.")
    return None


def not_in_one() -> Problem:
    """`room.not_in_one`."""
    return Problem(Code.ROOM_NOT_IN_ONE, "You are in no room; open one, or join one, first.")


def unknown(room: str) -> Problem:
    """`room.unknown`; the same words for every room that cannot be entered, whatever it was."""
    return Problem(Code.ROOM_UNKNOWN, f"There is no room {room[:40]!r}, or it has been closed.", {"room": room[:40]})


def _waiting(role: Role) -> Status:
    return "waiting" if role == "racer" else "watching"


def _with(state: RoomState, seat: Seat) -> RoomState:
    return replace(state, seats={**state.seats, seat.player: seat})


def _timed(state: RoomState) -> RoomState:
    """The same room, with its next instant worked out."""
    instants = [out for seat in state.seats.values() if (out := _out_at(state, seat)) is not None]
    match state.phase:
        case "countdown" if state.starts_at_ms is not None:
            instants.append(state.starts_at_ms)
        case "racing" | "closing" if state.ends_at_ms is not None:
            instants.append(state.ends_at_ms + 1)
    due = min(instants, default=None)
    return state if due == state.due_ms else replace(state, due_ms=due)


def _passed(state: RoomState, instant: int) -> RoomState:
    """The room once its next instant has come."""
    if state.phase == "countdown" and instant == state.starts_at_ms:
        return _racing(state)
    if state.phase in ("racing", "closing") and state.ends_at_ms is not None and instant == state.ends_at_ms + 1:
        return _over(state)
    for seat in state.seats.values():
        if _out_at(state, seat) == instant:
            state = _without(state, seat, instant)
    return state


def _out_at(state: RoomState, seat: Seat) -> int | None:
    """When a seat that stays away is given up: all in the lobby, watchers always."""
    if seat.connection is not None or (state.phase != "lobby" and seat.role == "racer"):
        return None
    return seat.away_since + AWAY_LIMIT_MS


def _without(state: RoomState, seat: Seat, time_ms: int) -> RoomState:
    """The room once a seat is given up: the host's role passes on, a countdown may stop or begin."""
    seats = {player: other for player, other in state.seats.items() if player != seat.player}
    if not seats:
        if state.phase in ("lobby", "countdown"):
            return replace(state, seats=seats, phase="cancelled", starts_at_ms=None, reason="everyone has left")
        return replace(state, seats=seats)
    host = state.host
    if host == seat.player:
        present = [other.player for other in seats.values() if not other.away]
        host = (present or list(seats))[0]
    state = replace(state, seats=seats, host=host)
    if state.phase == "countdown" and seat.role == "racer":
        racers = len(state.racers)
        if racers < (2 if state.settings.capacity > 1 else 1):
            return _back_to_lobby(state, "too few racers are left", time_ms)
    return _countdown_if_all_ready(state, time_ms)


def _back_to_lobby(state: RoomState, reason: str, time_ms: int) -> RoomState:
    """Who is away has the whole time a lobby gives from now on, to come back."""
    seats = {player: replace(seat, away_since=time_ms) if seat.away else seat for player, seat in state.seats.items()}
    return replace(state, phase="lobby", seats=seats, starts_at_ms=None, reason=reason)


def _countdown(state: RoomState, time_ms: int) -> RoomState:
    return replace(state, phase="countdown", starts_at_ms=time_ms + 1000 * state.settings.countdown_s, reason="")


def _countdown_if_all_ready(state: RoomState, time_ms: int) -> RoomState:
    if state.phase != "lobby" or state.settings.start != "all_ready":
        return state
    racers = state.racers
    enough = len(racers) >= 2 or (len(racers) == 1 and state.settings.capacity == 1)
    if enough and all(seat.status == "ready" for seat in racers):
        return _countdown(state, time_ms)
    return state


def _racing(state: RoomState) -> RoomState:
    game = start_code(parse_code(state.code), state.settings.undo)
    seats = {
        player: replace(seat, status="racing", game=game) if seat.role == "racer" else seat
        for player, seat in state.seats.items()
    }
    starts_at = state.starts_at_ms or 0
    return replace(state, phase="racing", seats=seats, ends_at_ms=starts_at + 1000 * state.settings.limit_s)


def _over(state: RoomState) -> RoomState:
    def ended(seat: Seat) -> Seat:
        if seat.status != "racing":
            return seat
        return replace(seat, status="timed_out" if seat.n else "never_played")

    return replace(state, phase="over", seats={player: ended(seat) for player, seat in state.seats.items()})


def _over_if_none_races(state: RoomState, time_ms: int) -> RoomState:
    if any(seat.status == "racing" for seat in state.seats.values()):
        return state
    return _over(replace(state, ends_at_ms=time_ms))


def _entered(state: RoomState, fact: facts.Entered, time_ms: int) -> RoomState | Problem:
    seat = state.seats.get(fact.player)
    if state.phase == "cancelled":
        return unknown(state.id)
    if seat is not None:
        return _with(state, replace(seat, connection=fact.connection))
    if fact.role == "racer":
        if state.phase != "lobby":
            return Problem(Code.ROOM_STARTED, "The race has begun; you can still watch it.", {"phase": state.phase})
        if len(state.racers) >= state.settings.capacity:
            limit = state.settings.capacity
            return Problem(Code.ROOM_FULL, f"All {limit} places for racers are taken.", {"limit": limit})
        if fact.kind == "bot" and not state.settings.bots:
            return Problem(Code.ROOM_BOTS_NOT_ALLOWED, "Bots may not race in this room.")
    alike = likeness(fact.name)
    if any(likeness(other.name) == alike for other in state.seats.values()):
        text = "Someone in this room has this name, or one that looks like it; take another."
        return Problem(Code.ROOM_NAME_TAKEN, text, {"name": fact.name})
    seat = Seat(fact.player, fact.name, fact.kind, fact.role, _waiting(fact.role), fact.connection)
    return _with(state, seat)


def _left(state: RoomState, seat: Seat, time_ms: int) -> RoomState:
    if seat.role == "watcher" or state.phase in ("lobby", "countdown"):
        return _without(state, seat, time_ms)
    if seat.status != "racing":
        return _with(state, replace(seat, connection=None, away_since=time_ms))
    gone = replace(seat, connection=None, away_since=time_ms, status="forfeited")
    return _over_if_none_races(_with(state, gone), time_ms)


def _readied(state: RoomState, seat: Seat, ready: bool, time_ms: int) -> RoomState | Problem:
    match state.phase:
        case "racing" | "closing":
            return Problem(Code.ROOM_STARTED, "The race has begun.", {"phase": state.phase})
        case "over" | "cancelled":
            return Problem(Code.RACE_OVER, "The race is over.")
    if seat.role != "racer":
        return Problem(Code.RACE_NOT_RACING, "Only racers get ready; you are watching.")
    taken_back = seat.status == "ready" and not ready
    state = _with(state, replace(seat, status="ready" if ready else "waiting"))
    if taken_back and state.phase == "countdown":
        return _back_to_lobby(state, f"{seat.name} is not ready any more", time_ms)
    return _countdown_if_all_ready(state, time_ms)


def _started(state: RoomState, seat: Seat, time_ms: int) -> RoomState | Problem:
    if seat.player != state.host:
        host = state.seats[state.host].name if state.host in state.seats else "someone else"
        return Problem(Code.ROOM_NOT_HOST, f"Only the host can start the race; that is {host}.")
    if state.ended:
        return Problem(Code.RACE_OVER, "The race is over.")
    if state.phase != "lobby":
        return Problem(Code.ROOM_STARTED, "The countdown has begun already.", {"phase": state.phase})
    if not state.racers:
        return Problem(Code.ROOM_EMPTY, "Nobody is here to race; wait for a racer to join.")
    return _countdown(state, time_ms)


def _forfeited(state: RoomState, seat: Seat, time_ms: int) -> RoomState | Problem:
    problem = action_problem(state, seat)
    if problem is None and seat.status == "finished":
        problem = Problem(Code.RACE_NOT_RACING, "You have finished; there is nothing to give up.")
    if problem is not None:
        return problem
    return _over_if_none_races(_with(state, replace(seat, status="forfeited")), time_ms)


def _rematched(state: RoomState, room: str) -> RoomState | Problem:
    if state.phase != "over":
        return Problem(Code.RACE_NOT_OVER, "A rematch can be opened when the race is over.")
    if state.rematch is not None:
        return Problem(Code.ROOM_STARTED, "A rematch is open already.", {"room": state.rematch})
    return replace(state, rematch=room)


def _acted(state: RoomState, fact: facts.Acted, time_ms: int) -> RoomState | Problem:
    seat = state.seats.get(fact.player)
    if seat is None or seat.connection != fact.connection:
        return not_in_one()
    if seat.game is not None and fact.n <= seat.n:
        return out_of_step(seat)
    if problem := action_problem(state, seat):
        return problem
    game = seat.game
    if game is None or state.starts_at_ms is None:
        raise AssertionError("a racer of a started race has a game")
    if fact.n != seat.n + 1 and seat.status != "finished":
        return out_of_step(seat)
    after = play(game, facts.ACTIONS[fact.action])
    if isinstance(after, Refusal):
        return Problem.of(after)
    elapsed = time_ms - state.starts_at_ms
    home_at = seat.home_at_ms if after.table.home == game.table.home else elapsed
    status = "finished" if after.won else seat.status
    moved = Seat(
        seat.player, seat.name, seat.kind, seat.role, status, seat.connection, seat.away_since,
        after, fact.n, elapsed, home_at,
    )  # fmt: skip
    state = _with(state, moved)
    return _closing(state, time_ms) if after.won else state


def _closing(state: RoomState, time_ms: int) -> RoomState:
    """Someone has just finished: the first one starts the tail; the last one ends the race."""
    if state.phase == "racing":
        tail_ends = time_ms + 1000 * state.settings.tail_s
        state = replace(state, phase="closing", ends_at_ms=min(tail_ends, state.ends_at_ms or tail_ends))
    return _over_if_none_races(state, time_ms)


def out_of_step(seat: Seat) -> Problem:
    """`race.out_of_step`; also the verdict on an `n` already used, which is answered with a board."""
    return Problem(
        Code.RACE_OUT_OF_STEP, f"The next action has n = {seat.n + 1}; a fresh board follows.", {"n": seat.n + 1}
    )
