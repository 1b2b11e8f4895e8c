"""Phases: how a room goes from one to the next, and the instants at which it does so by itself.

    lobby -> countdown -> racing -> closing -> over          lobby, countdown -> cancelled

Nobody has to be awake when an instant passes: `advance` works out afterwards what it brought.
"""

from typing import Final

from msgspec.structs import replace

from stampede.patience.game import start_code
from stampede.patience.variants import parse_code
from stampede.server.race.state import RoomState, Seat

AWAY_LIMIT_MS: Final = 60_000
"""How long one may stay away from a lobby before being out."""


def advance(state: RoomState, time_ms: int) -> RoomState:
    """Let the instants pass that lie before or at `time_ms`, in their order."""
    while state.due_ms is not None and state.due_ms <= time_ms:
        state = timed(_passed(state, state.due_ms))
    return state


def with_seat(state: RoomState, seat: Seat) -> RoomState:
    """The room with this seat, new or changed."""
    return replace(state, seats={**state.seats, seat.player: seat})


def timed(state: RoomState) -> RoomState:
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
            state = without_seat(state, seat, instant)
    return state


def _out_at(state: RoomState, seat: Seat) -> int | None:
    """When a seat that stays away is given up: all in the lobby, watchers always."""
    if seat.connection is not None or (state.phase != "lobby" and seat.role == "racer"):
        return None
    return seat.away_since + AWAY_LIMIT_MS


def without_seat(state: RoomState, seat: Seat, time_ms: int) -> RoomState:
    """The room once a seat is given up: the host's role passes on, a countdown may stop or begin."""
    seats = {player: other for player, other in state.seats.items() if player != seat.player}
    if not seats:
        if state.phase in ("lobby", "countdown"):
            return replace(state, seats=seats, phase="cancelled", starts_at_ms=None, reason="everyone has left")
        return replace(state, seats=seats)
    state = replace(state, seats=seats, host=host_after(state, seat, seats, next(iter(seats))))
    if state.phase == "countdown" and seat.role == "racer":
        racers = len(state.racers)
        if racers < (2 if state.settings.capacity > 1 else 1):
            return back_to_lobby(state, "too few racers are left", time_ms)
    return countdown_if_all_ready(state, time_ms)


def host_after(state: RoomState, leaver: Seat, seats: dict[str, Seat], otherwise: str) -> str:
    """Who is host once someone has left: where it was the host, who has been there longest of those present in `seats`.

    `otherwise` where nobody is.
    """
    if state.host != leaver.player:
        return state.host
    return next((seat.player for seat in seats.values() if not seat.away), otherwise)


def back_to_lobby(state: RoomState, reason: str, time_ms: int) -> RoomState:
    """Who is away has the whole time a lobby gives from now on, to come back."""
    seats = {player: replace(seat, away_since=time_ms) if seat.away else seat for player, seat in state.seats.items()}
    return replace(state, phase="lobby", seats=seats, starts_at_ms=None, reason=reason)


def countdown(state: RoomState, time_ms: int) -> RoomState:
    """The room with its countdown begun, and so its start fixed."""
    return replace(state, phase="countdown", starts_at_ms=time_ms + 1000 * state.settings.countdown_s, reason="")


def countdown_if_all_ready(state: RoomState, time_ms: int) -> RoomState:
    """The room with its countdown begun, if it starts by itself and all are ready."""
    if state.phase != "lobby" or state.settings.start != "all_ready":
        return state
    racers = state.racers
    enough = len(racers) >= 2 or (len(racers) == 1 and state.settings.capacity == 1)
    if enough and all(seat.status == "ready" for seat in racers):
        return countdown(state, time_ms)
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


def over_if_none_races(state: RoomState, time_ms: int) -> RoomState:
    """The room, over if nobody is racing any more."""
    if any(seat.status == "racing" for seat in state.seats.values()):
        return state
    return _over(replace(state, ends_at_ms=time_ms))
