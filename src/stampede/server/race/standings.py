"""Standings: who came where.

By status first (finished, timed out, forfeited, never played); finished ones by time; the others by cards home, then
by who reached that count earliest, then fewer moves. What is still equal shares a place: 1, 1, 3.
"""

from typing import Final

from stampede.protocol.events import Standing
from stampede.server.race.state import RoomState, Seat

_ORDER: Final = ("finished", "racing", "timed_out", "forfeited", "never_played", "ready", "waiting")


def ranked(state: RoomState) -> list[tuple[int, Seat]]:
    """Each racer with their place, best first."""
    order = sorted(state.racers, key=_merit)
    places: list[tuple[int, Seat]] = []
    for at, seat in enumerate(order):
        tied = at and _merit(order[at - 1]) == _merit(seat)
        places.append((places[-1][0] if tied else at + 1, seat))
    return places


def place_of(state: RoomState, finished: Seat) -> int:
    """The place of a racer who has finished."""
    return 1 + sum(
        other.status == "finished" and other.elapsed_ms < finished.elapsed_ms for other in state.seats.values()
    )


def winners(state: RoomState) -> list[str]:
    """All who finished first: one player, several in a dead heat, or none."""
    return [seat.player for place, seat in ranked(state) if place == 1 and seat.status == "finished"]


def standings(state: RoomState) -> list[Standing]:
    """The table of the race, best first."""
    return [
        Standing(
            place=place,
            player=seat.player,
            name=seat.name,
            status=seat.status,
            score=seat.game.score if seat.game else 0,
            moves=seat.game.moves if seat.game else 0,
            home=seat.home,
            elapsed_ms=seat.elapsed_ms,
        )
        for place, seat in ranked(state)
    ]


def _merit(seat: Seat) -> tuple[int, ...]:
    rank = _ORDER.index(seat.status)
    if seat.status == "finished":
        return (rank, seat.elapsed_ms)
    return (rank, -seat.home, seat.home_at_ms, seat.game.moves if seat.game else 0)
