"""Objections: what is said about facts that no fold accepts."""

from stampede.protocol.problems import Code, Problem
from stampede.server.race.state import RoomState, Seat


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


def out_of_step(seat: Seat) -> Problem:
    """`race.out_of_step`; also the verdict on an `n` already used, which is answered with a board."""
    return Problem(
        Code.RACE_OUT_OF_STEP, f"The next action has n = {seat.n + 1}; a fresh board follows.", {"n": seat.n + 1}
    )
