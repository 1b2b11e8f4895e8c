"""A sight: what one client knows, folded from what the server has said to it.

Laws of this file:
- Piles and numbers are overwritten with what is sent; no rule of the game is needed.
- Moments are readings of the client's own clock, so that two clocks that disagree do no harm.
"""

from dataclasses import dataclass, replace
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace as with_fields

from stampede.protocol.events import (
    AnyEvent,
    Board,
    DealPicture,
    Entrant,
    EntrantChanged,
    Finish,
    Invitation,
    PhaseChanged,
    Played,
    Progress,
    Result,
    Room,
    RoomPicture,
    Welcome,
)


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known at one moment; empty before the first message."""

    player: str = ""
    """Who I am."""
    room: RoomPicture | None = None
    board: Board | None = None
    """My own table; None for watchers, and before the start."""
    result: Result | None = None
    invitation: str | None = None
    """The room of a rematch, once someone opened one."""
    starts_at: float | None = None
    """When the race starts or started, in seconds of my own clock."""

    @property
    def me(self) -> Entrant | None:
        """Myself, as the room sees me."""
        return self.entrant(self.player)

    @property
    def racing(self) -> bool:
        """Whether a move of mine can count now."""
        return self.board is not None and self.me is not None and self.me.status == "racing" and not self.over

    @property
    def over(self) -> bool:
        """Whether nothing more will happen in the room."""
        return self.result is not None or (self.room is not None and self.room.phase in ("over", "cancelled"))

    def entrant(self, player: str) -> Entrant | None:
        """The entrant of this player id, if there is one."""
        entrants = self.room.entrants if self.room else ()
        return next((entrant for entrant in entrants if entrant.player == player), None)


def seen(sight: Sight, event: AnyEvent, now: float) -> Sight:
    """The sight after an event that was heard at `now`, a reading of the client's clock."""
    match event:
        case Welcome(player=player):
            return replace(sight, player=player)
        case Room(room=room):
            return _entered(sight, room, now)
        case EntrantChanged(entrant=entrant, host=host):
            return _with_room(sight, entrants=_put(sight.room, entrant), host=host)
        case PhaseChanged():
            return _in_phase(sight, event, now)
        case Board():
            return _with_board(sight, event)
        case Played() if sight.board is not None:
            return _with_board(sight, played(sight.board, event))
        case Progress(racers=racers):
            for racer in racers:
                sight = _noted(
                    sight,
                    racer.player,
                    score=racer.score,
                    moves=racer.moves,
                    home=racer.home,
                    elapsed_ms=racer.elapsed_ms,
                )
            return sight
        case Finish(player=player, place=place, score=score, moves=moves, elapsed_ms=elapsed_ms):
            return _noted(
                sight,
                player,
                status="finished",
                place=place,
                score=score,
                moves=moves,
                home=52,
                elapsed_ms=elapsed_ms,
            )
        case Result():
            return _decided(sight, event)
        case Invitation(room=invited):
            return replace(sight, invitation=invited)
        case _:  # everything else changes nothing of what is here
            return sight


def played(board: Board, event: Played) -> Board:
    """The board with what `event` changed written over it."""
    changed = event.changed
    columns = board.columns
    if changed.columns is not UNSET:
        columns = [changed.columns.get(str(number), column) for number, column in enumerate(columns, 1)]
    return with_fields(
        board,
        n=event.n,
        columns=columns,
        home=board.home if changed.home is UNSET else board.home | changed.home,
        stock=board.stock if changed.stock is UNSET else changed.stock,
        waste=board.waste if changed.waste is UNSET else changed.waste,
        score=event.score,
        moves=event.moves,
        elapsed_ms=event.elapsed_ms,
        undo_left=event.undo_left,
    )


def _entered(sight: Sight, room: RoomPicture, now: float) -> Sight:
    starts_at = None if room.starts_at_ms is UNSET else now + (room.starts_at_ms - room.time_ms) / 1000
    if sight.room is None or sight.room.id != room.id:
        return Sight(player=room.you.player, room=room, starts_at=starts_at)
    return replace(sight, player=room.you.player, room=room, starts_at=starts_at)


def _with_board(sight: Sight, board: Board) -> Sight:
    """My own row says at once what my board says; `progress` would say it a little later."""
    sight = _noted(sight, sight.player, score=board.score, moves=board.moves, home=sum(board.home.values()))
    return replace(sight, board=board)


def _in_phase(sight: Sight, event: PhaseChanged, now: float) -> Sight:
    starts_at = sight.starts_at
    if event.in_ms is not UNSET:
        starts_at = now + event.in_ms / 1000
    elif event.phase == "lobby":
        starts_at = None
    changed: dict[str, Any] = {"phase": event.phase}
    if event.phase in ("racing", "closing") and sight.room is not None:
        changed["entrants"] = [
            with_fields(entrant, status="racing") if entrant.status in ("waiting", "ready") else entrant
            for entrant in sight.room.entrants
        ]
    if event.starts_at_ms is not UNSET:
        changed["starts_at_ms"] = event.starts_at_ms
    if event.ends_at_ms is not UNSET:
        changed["ends_at_ms"] = event.ends_at_ms
    return replace(_with_room(sight, **changed), starts_at=starts_at)


def _decided(sight: Sight, result: Result) -> Sight:
    for row in result.standings:
        sight = _noted(
            sight,
            row.player,
            status=row.status,
            place=row.place,
            score=row.score,
            moves=row.moves,
            home=row.home,
            elapsed_ms=row.elapsed_ms,
        )
    if sight.room is not None:
        deal: DealPicture = with_fields(sight.room.deal, code=result.code)
        sight = _with_room(sight, deal=deal)
    return replace(sight, result=result)


def _put(room: RoomPicture | None, entrant: Entrant) -> list[Entrant]:
    entrants = list(room.entrants) if room else []
    for at, other in enumerate(entrants):
        if other.player == entrant.player:
            entrants[at] = entrant
            return entrants
    return [*entrants, entrant]


def _noted(sight: Sight, player: str, **changed: Any) -> Sight:
    entrant = sight.entrant(player)
    if entrant is None:
        return sight
    return _with_room(sight, entrants=_put(sight.room, with_fields(entrant, **changed)))


def _with_room(sight: Sight, **changed: Any) -> Sight:
    return sight if sight.room is None else replace(sight, room=with_fields(sight.room, **changed))
