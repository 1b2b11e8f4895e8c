"""A room: what a log of facts comes to.

`fold` is the only way a room changes. Facts are taken in the log's order; each is judged against the room as it is
at the instant the log gave it, and one that is not acceptable there takes no effect, on every node alike.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from stampede.patience.errors import Refusal
from stampede.patience.game import Game, play
from stampede.patience.variants import parse_code
from stampede.protocol.commands import Role
from stampede.protocol.events import Status
from stampede.protocol.problems import Code, Problem
from stampede.server.race import facts
from stampede.server.race.facts import RoomFact
from stampede.server.race.names import alike
from stampede.server.race.objections import action_problem, not_in_one, out_of_step, unknown
from stampede.server.race.phases import (
    advance,
    back_to_lobby,
    countdown,
    countdown_if_all_ready,
    host_after,
    over_if_none_races,
    timed,
    with_seat,
    without_seat,
)
from stampede.server.race.state import RoomState, Seat

Foreseen = tuple[Game, Game] | None
"""What an early look at the same action came to: the game it was judged on, and the game after it."""

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


def fold(state: RoomState, fact: RoomFact, time_ms: int, foreseen: Foreseen = None) -> Folded:
    """The room after `fact`, which the log took at `time_ms`."""
    if state.due_ms is not None and state.due_ms <= time_ms:
        state = advance(state, time_ms)
    if isinstance(fact, facts.Acted):
        after = _acted(state, fact, time_ms, foreseen)
        if not isinstance(after, Problem) and after.phase == state.phase:
            return Folded(after, None)  # the common case: no instant changes
    else:
        after = judge(state, fact, time_ms)
    if isinstance(after, Problem):
        return Folded(state, after)
    return Folded(advance(timed(after), time_ms), None)


def judge(state: RoomState, fact: RoomFact, time_ms: int) -> RoomState | Problem:
    """The room after `fact`, or why it is not acceptable; `state` has to be advanced to `time_ms`."""
    match fact:
        case facts.Acted():
            return _acted(state, fact, time_ms, None)
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
            return with_seat(state, replace(seat, connection=None, away_since=time_ms))
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


def _waiting(role: Role) -> Status:
    return "waiting" if role == "racer" else "watching"


def _entered(state: RoomState, fact: facts.Entered, time_ms: int) -> RoomState | Problem:
    seat = state.seats.get(fact.player)
    if state.phase == "cancelled":
        return unknown(state.id)
    if seat is not None:
        return with_seat(state, replace(seat, connection=fact.connection))
    if fact.role == "racer":
        if state.phase != "lobby":
            what = "countdown" if state.phase == "countdown" else "race"
            text = f"The {what} has begun; you can still watch it."
            return Problem(Code.ROOM_STARTED, text, {"phase": state.phase})
        if len(state.racers) >= state.settings.capacity:
            limit = state.settings.capacity
            return Problem(Code.ROOM_FULL, f"All {limit} places for racers are taken.", {"limit": limit})
        if fact.kind == "bot" and not state.settings.bots:
            return Problem(Code.ROOM_BOTS_NOT_ALLOWED, "Bots may not race in this room.")
    if any(alike(fact.name, other.name) for other in state.seats.values()):
        text = "Someone in this room has this name, or one that looks like it; take another."
        return Problem(Code.ROOM_NAME_TAKEN, text, {"name": fact.name})
    seat = Seat(fact.player, fact.name, fact.kind, fact.role, _waiting(fact.role), fact.connection)
    return with_seat(state, seat)


def _left(state: RoomState, seat: Seat, time_ms: int) -> RoomState:
    if seat.role == "watcher" or state.phase in ("lobby", "countdown"):
        return without_seat(state, seat, time_ms)
    gives_up = seat.status == "racing"
    gone = replace(seat, connection=None, away_since=time_ms, status="forfeited" if gives_up else seat.status)
    state = with_seat(state, gone)
    state = replace(state, host=host_after(state, gone, state.seats, state.host))
    return over_if_none_races(state, time_ms) if gives_up else state


def _readied(state: RoomState, seat: Seat, ready: bool, time_ms: int) -> RoomState | Problem:
    match state.phase:
        case "racing" | "closing":
            return Problem(Code.ROOM_STARTED, "The race has begun.", {"phase": state.phase})
        case "over" | "cancelled":
            return Problem(Code.RACE_OVER, "The race is over.")
    if seat.role != "racer":
        return Problem(Code.RACE_NOT_RACING, "Only racers get ready; you are watching.")
    taken_back = seat.status == "ready" and not ready
    state = with_seat(state, replace(seat, status="ready" if ready else "waiting"))
    if taken_back and state.phase == "countdown":
        return back_to_lobby(state, f"{seat.name} is not ready any more", time_ms)
    return countdown_if_all_ready(state, time_ms)


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
    return countdown(state, time_ms)


def _forfeited(state: RoomState, seat: Seat, time_ms: int) -> RoomState | Problem:
    problem = action_problem(state, seat)
    if problem is None and seat.status == "finished":
        problem = Problem(Code.RACE_NOT_RACING, "You have finished; there is nothing to give up.")
    if problem is not None:
        return problem
    return over_if_none_races(with_seat(state, replace(seat, status="forfeited")), time_ms)


def _rematched(state: RoomState, room: str) -> RoomState | Problem:
    if state.phase != "over":
        return Problem(Code.RACE_NOT_OVER, "A rematch can be opened when the race is over.")
    if state.rematch is not None:
        return Problem(Code.ROOM_STARTED, "A rematch is open already.", {"room": state.rematch})
    return replace(state, rematch=room)


def game_after(state: RoomState, fact: facts.Acted) -> Game | Problem:
    """The racer's game after an action, or why it is not acceptable; `state` has to be advanced to now."""
    seat = state.seats.get(fact.player)
    if seat is None or seat.connection != fact.connection:
        return not_in_one()
    game = seat.game
    if game is not None and fact.n <= seat.n:
        return out_of_step(seat)
    if game is None or seat.status != "racing":  # who races can play: nobody does before the start or after the end
        problem = action_problem(state, seat)
        if problem is not None or game is None:
            return problem or not_in_one()
    if fact.n != seat.n + 1 and seat.status != "finished":
        return out_of_step(seat)
    after = play(game, facts.ACTIONS[fact.action])
    return Problem.of(after) if isinstance(after, Refusal) else after


def _acted(state: RoomState, fact: facts.Acted, time_ms: int, foreseen: Foreseen) -> RoomState | Problem:
    seat = state.seats.get(fact.player)
    if seat is None:
        return not_in_one()
    if (
        foreseen is not None
        and seat.game is foreseen[0]
        and seat.connection == fact.connection
        and seat.n + 1 == fact.n
        and seat.status == "racing"
    ):
        after: Game | Problem = foreseen[1]  # games never change: the same action on the same one comes to the same
    else:
        after = game_after(state, fact)
    if isinstance(after, Problem):
        return after
    before = seat.game or after
    elapsed = time_ms - (state.starts_at_ms or 0)
    home_at, won = seat.home_at_ms, False
    if after.table.home != before.table.home:
        home_at, won = elapsed, after.won
    moved = Seat(
        seat.player,
        seat.name,
        seat.kind,
        seat.role,
        "finished" if won else seat.status,
        seat.connection,
        seat.away_since,
        after,
        fact.n,
        elapsed,
        home_at,
    )
    state = with_seat(state, moved)
    return _closing(state, time_ms) if won else state


def _closing(state: RoomState, time_ms: int) -> RoomState:
    """Someone has just finished: the first one starts the tail; the last one ends the race."""
    if state.phase == "racing":
        tail_ends = time_ms + 1000 * state.settings.tail_s
        state = replace(state, phase="closing", ends_at_ms=min(tail_ends, state.ends_at_ms or tail_ends))
    return over_if_none_races(state, time_ms)
