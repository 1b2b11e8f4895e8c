"""Views: what one pair of eyes may see.

The only way from a room's state to a message. A message to a player holds no card that player has not turned up,
and to anyone else no card at all while the race goes on; a sealed code stays here until the race is over.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from msgspec import UNSET, UnsetType

from stampede.patience import game as games
from stampede.patience.cards import SUITS, Card
from stampede.patience.game import Game
from stampede.patience.referee import COLUMNS
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE
from stampede.protocol.commands import Settings
from stampede.protocol.events import (
    Board,
    Changed,
    DealPicture,
    Entrant,
    EntrantChanged,
    Event,
    Finish,
    Invitation,
    PhaseChanged,
    Played,
    RacerProgress,
    Result,
    RoomPicture,
    RoomSummary,
    Said,
    SettingsPicture,
    TargetsAnswer,
    You,
)
from stampede.server.race import facts
from stampede.server.race.facts import RoomFact
from stampede.server.race.standings import place_of, ranked, standings, winners
from stampede.server.race.state import RoomState, Seat

EVERYONE: Final = ""
"""The audience of news for all in the room; another one is a player's id."""

News = list[tuple[str, Event]]
"""Events, each with its audience."""


def board(state: RoomState, seat: Seat, now_ms: int, re: int | UnsetType = UNSET) -> Board:
    """A full picture of a racer's own table; needs a started race."""
    game, table = _game(seat), _game(seat).table
    return Board(
        re=re,
        n=seat.n,
        columns=[table.seen(column) for column in range(len(table.columns))],
        home=dict(zip(SUITS, table.home, strict=True)),
        stock=len(table.stock),
        waste=table.waste,
        score=game.score,
        moves=game.moves,
        elapsed_ms=_elapsed(state, seat, now_ms),
        undo_left=_undo_left(seat, game),
    )


def played(before: Game, seat: Seat, re: int | UnsetType = UNSET) -> Played:
    """What a racer's action changed."""
    game = _game(seat)
    return Played(
        re=re,
        n=seat.n,
        changed=changed(before.table, game.table),
        score=game.score,
        moves=game.moves,
        elapsed_ms=seat.elapsed_ms,
        undo_left=_undo_left(seat, game),
    )


def changed(before: Table, after: Table) -> Changed:
    """The piles that differ, each whole; overwriting them in `before` as its player sees it gives `after`."""
    columns: dict[str, Sequence[str]] = {}
    olds = before.columns
    for at, column in enumerate(after.columns):
        if column is not olds[at] and (column != olds[at] or before.down[at] != after.down[at]):
            columns[COLUMNS[at]] = after.seen(at)
    home: dict[str, int] = {}
    if after.home is not before.home:
        home = {suit: new for suit, old, new in zip(SUITS, before.home, after.home, strict=True) if old != new}
    if after.stock is before.stock and after.waste is before.waste:  # most moves
        return Changed(columns=columns or UNSET, home=home or UNSET)
    return Changed(
        columns=columns or UNSET,
        home=home or UNSET,
        stock=len(after.stock) if len(after.stock) != len(before.stock) else UNSET,
        waste=after.waste if after.waste != before.waste else UNSET,
    )


def targets(seat: Seat, card: Card, re: int | UnsetType) -> TargetsAnswer:
    """Where a racer's card may go now."""
    places, best = games.targets(_game(seat), card)
    return TargetsAnswer(re=re, card=card, to=places, best=best or UNSET)


def entrant(state: RoomState, seat: Seat) -> Entrant:
    """One of the room, as all may see them."""
    game = seat.game
    place: int | None = None
    if state.phase == "over" and seat.role == "racer":
        place = next(place for place, other in ranked(state) if other.player == seat.player)
    elif seat.status == "finished":
        place = place_of(state, seat)
    return Entrant(
        player=seat.player,
        name=seat.name,
        kind=seat.kind,
        role=seat.role,
        status=seat.status,
        away=seat.away,
        score=game.score if game else CATALOGUE[state.variant].scoring.start,
        moves=game.moves if game else 0,
        home=seat.home,
        elapsed_ms=seat.elapsed_ms,
        place=UNSET if place is None else place,
    )


def progress(seat: Seat) -> RacerProgress:
    """How far a racer is; numbers only."""
    game = _game(seat)
    return RacerProgress(seat.player, game.score, game.moves, seat.home, seat.elapsed_ms)


def picture(state: RoomState, player: str, now_ms: int) -> RoomPicture:
    """The whole picture of a room, for one of its entrants."""
    return RoomPicture(
        id=state.id,
        phase=state.phase,
        settings=settings(state.settings, passphrase=bool(state.passphrase_hash)),
        deal=_deal(state),
        host=state.host,
        entrants=[entrant(state, seat) for seat in state.seats.values()],
        time_ms=now_ms,
        starts_at_ms=UNSET if state.starts_at_ms is None else state.starts_at_ms,
        ends_at_ms=UNSET if state.ends_at_ms is None else state.ends_at_ms,
        you=You(player=player, may=may(state, player)),
    )


def summary(state: RoomState) -> RoomSummary:
    """A listed room, in a line."""
    return RoomSummary(
        id=state.id,
        title=state.settings.title,
        phase=state.phase,
        variant=state.variant,
        racers=len(state.racers),
        capacity=state.settings.capacity,
        passphrase=bool(state.passphrase_hash),
    )


def result(state: RoomState) -> Result:
    """The race is over; the code is told in both kinds of room."""
    return Result(winner=winners(state), standings=standings(state), code=state.code)


def may(state: RoomState, player: str) -> list[str]:
    """The commands open to an entrant right now, beyond those that are always open."""
    commands = ["leave", "sync"]
    seat = state.seats.get(player)
    if seat is None:
        return commands
    if state.settings.chat:
        commands.append("say")
    match state.phase:
        case "lobby" | "countdown":
            if seat.role == "racer":
                commands.append("ready")
            if player == state.host and state.phase == "lobby" and state.racers:
                commands.append("start")
        case "racing" | "closing" if seat.status == "racing":
            commands += ["play", "targets", "forfeit"]
        case "over":
            commands += ["replay", "rematch"]
    return commands


def phase(state: RoomState, now_ms: int) -> PhaseChanged:
    """The phase a room is in, with its instants."""
    starts, ends = state.starts_at_ms, state.ends_at_ms
    return PhaseChanged(
        phase=state.phase,
        starts_at_ms=UNSET if starts is None else starts,
        in_ms=max(0, starts - now_ms) if starts is not None and state.phase == "countdown" else UNSET,
        ends_at_ms=UNSET if ends is None else ends,
        reason=state.reason or UNSET,
    )


def news(before: RoomState, after: RoomState, fact: RoomFact | None, time_ms: int) -> News:
    """What became of a fact (or of time, if it took no effect), and who is to be told of it; without `progress`.

    Costs next to nothing for an action that ends nothing, else in proportion to the entrants.
    """
    told: News = []
    if not isinstance(fact, facts.Acted) or before.phase != after.phase:
        told += _entrants(before, after)
    match fact:
        case facts.Acted(player=player) if after.seats[player].status == "finished":
            seat = after.seats[player]
            told.append((EVERYONE, _finish(after, seat)))
        case facts.Said(player=player, text=text):
            said = Said(player=player, name=after.seats[player].name, text=text, time_ms=time_ms)
            told.append((EVERYONE, said))
        case facts.Rematched(player=player, room=room):
            invitation = Invitation(room=room, host=player)
            told += [(other, invitation) for other in after.seats if other != player]
    if before.phase != after.phase or before.starts_at_ms != after.starts_at_ms:
        told.append((EVERYONE, phase(after, time_ms)))
        if after.phase in ("racing", "closing") and before.phase in ("lobby", "countdown"):
            told += [(seat.player, board(after, seat, time_ms)) for seat in after.racers]
        if after.phase == "over":
            told.append((EVERYONE, result(after)))
    return told


def settings(chosen: Settings, *, passphrase: bool) -> SettingsPicture:
    """A room's settings as they are shown."""
    return SettingsPicture(
        sealed=chosen.sealed,
        winnable=bool(chosen.winnable),
        grade=chosen.grade or UNSET,
        undo=chosen.undo,
        capacity=chosen.capacity,
        countdown_s=chosen.countdown_s,
        start=chosen.start,
        limit_s=chosen.limit_s,
        tail_s=chosen.tail_s,
        listed=chosen.listed,
        passphrase=passphrase,
        bots=chosen.bots,
        chat=chosen.chat,
        title=chosen.title,
    )


def commitment(code: str) -> str:
    """What a sealed room publishes of its code when it opens: the SHA-256 of the code in ASCII, in hex."""
    return sha256(code.encode("ascii")).hexdigest()


def _deal(state: RoomState) -> DealPicture:
    sealed = state.settings.sealed
    return DealPicture(
        variant=state.variant,
        code=state.code if not sealed or state.phase == "over" else UNSET,
        commitment=commitment(state.code) if sealed else UNSET,
    )


def _entrants(before: RoomState, after: RoomState) -> News:
    """Who came, left, got ready, is away or back, forfeited, or is the host now."""
    told: News = []
    for player, seat in before.seats.items():
        if player not in after.seats:
            gone = Seat(player, seat.name, seat.kind, seat.role, "left", None)
            told.append((EVERYONE, EntrantChanged(entrant=entrant(after, gone), host=after.host)))
    for player, seat in after.seats.items():
        old = before.seats.get(player)
        new_host = after.host == player != before.host
        if old is seat and not new_host:
            continue
        if (
            old is None
            or new_host
            or old.away != seat.away
            or (old.status != seat.status and seat.status in ("waiting", "ready", "forfeited"))
        ):
            told.append((EVERYONE, EntrantChanged(entrant=entrant(after, seat), host=after.host)))
    return told


def _finish(state: RoomState, seat: Seat) -> Finish:
    game = _game(seat)
    return Finish(
        player=seat.player,
        place=place_of(state, seat),
        score=game.score,
        moves=game.moves,
        elapsed_ms=seat.elapsed_ms,
    )


def _elapsed(state: RoomState, seat: Seat, now_ms: int) -> int:
    """Now, on the racer's clock: it stops at their finish and at the end of the race."""
    if seat.status != "racing":
        return seat.elapsed_ms
    return max(0, now_ms - (state.starts_at_ms or now_ms))


def _undo_left(seat: Seat, game: Game) -> int:
    return 0 if seat.status == "finished" else game.undo_left  # nothing of a won game can be taken back


def _game(seat: Seat) -> Game:
    if seat.game is None:
        raise AssertionError("a racer of a started race has a game")
    return seat.game
