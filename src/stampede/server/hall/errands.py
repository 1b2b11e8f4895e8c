"""Errands: the commands for which something has to be looked up before they can be answered.

Each answers its visitor, or raises `StorageError`.
"""

import re as regular
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from stampede.patience.codes import BadCode, Code
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol import commands
from stampede.protocol.problems import Code as ProblemCode
from stampede.protocol.problems import Problem, bad_field
from stampede.server.hall import dealing, passphrase, terms
from stampede.server.hall.house import House
from stampede.server.hall.live_room import LiveRoom, room_stream
from stampede.server.hall.players import player_of
from stampede.server.hall.refusals import Re
from stampede.server.hall.rooms import new_room_id
from stampede.server.log.port import StorageError
from stampede.server.race import facts
from stampede.server.race.names import clean_text
from stampede.server.race.objections import not_in_one, unknown

if TYPE_CHECKING:
    from stampede.server.hall.visitor import Visitor


_ROOM_ID: Final = regular.compile(r"[A-Za-z0-9]{1,40}")


async def welcome_back(house: House, visitor: "Visitor", token: str, re: Re) -> None:
    """Welcome a player who has been here before, with the seats they have."""
    seats = await house.players.seats(player_of(token))
    visitor.welcome(token, [seat.room for seat in seats], re)


async def list_rooms(house: House, visitor: "Visitor", command: commands.Rooms) -> None:
    """Tell the listed rooms, and keep telling if that is wanted."""
    answer = await house.directory.answer()
    if command.follow:
        house.directory.follow(visitor)
    else:
        house.directory.unfollow(visitor)
    visitor.answer(replace(answer, re=command.id))


async def open_room(house: House, visitor: "Visitor", command: commands.Open) -> None:
    """Open a room and move in."""
    chosen = command.settings
    code: Code | None = None
    problem = visitor.elsewhere()
    if problem is None and clean_text(chosen.title) is None:
        problem = bad_field("settings.title", "expected a text without control characters")
    if problem is None and command.deal.count("-") != 1:
        try:
            code = parse_code(command.deal)
        except BadCode as error:
            problem = Problem(ProblemCode.DEAL_BAD_CODE, str(error), {"part": error.part})
    if problem is None and code is None and command.deal.upper() not in CATALOGUE:
        text = f"The variants are {', '.join(CATALOGUE)}; {command.deal[:40]!r} is not among them."
        problem = Problem(ProblemCode.DEAL_BAD_VARIANT, text)
    if problem is None and code is not None and chosen.sealed:
        problem = bad_field("deal", "expected a variant, since a sealed room draws its own code")
    agreed = terms.agreed(house.dealer, command.deal.upper(), code, chosen) if problem is None else problem
    if not isinstance(agreed, Problem):
        agreed = await _too_many_rooms(house, visitor) or agreed
    if isinstance(agreed, Problem):
        visitor.refuse(agreed, command.id)
        return
    dealt = code or await dealing.dealt(house.dealer, visitor, command.deal.upper(), agreed)
    if isinstance(dealt, Problem):
        visitor.refuse(dealt, command.id)
        return
    settings = replace(agreed, passphrase=None, title=clean_text(chosen.title))
    phrase = passphrase.hashed(chosen.passphrase or "")
    visitor.move_in(await _new_room(house, visitor, dealt, settings, phrase, command.role), command.id)


async def join(house: House, visitor: "Visitor", command: commands.Join) -> None:
    """Take a seat, or come back to it."""
    room = command.room.lower()
    live = await house.rooms.find(room) if _ROOM_ID.fullmatch(room) else None
    if live is None:
        visitor.refuse(unknown(command.room), command.id)
        return
    if problem := visitor.elsewhere(live):
        visitor.refuse(problem, command.id)
        return
    await live.catch_up()
    state = live.now()
    newcomer = visitor.player not in state.seats and state.phase != "cancelled"
    if newcomer and not passphrase.matches(command.passphrase or "", state.passphrase_hash):
        text = "This room has a passphrase, and that is not it."
        visitor.refuse(Problem(ProblemCode.ROOM_PASSPHRASE, text), command.id)
        return
    _enter(house, visitor, live, command.role, command.id)


async def sync(visitor: "Visitor", command: commands.Sync) -> None:
    """Tell the whole picture, with all that any node has acknowledged; with the log away, what is known here."""
    if visitor.room is not None:
        with suppress(StorageError):
            await visitor.room.catch_up()
    if visitor.room is None:
        visitor.refuse(not_in_one(), command.id)
    else:
        visitor.tell_room(visitor.room, command.id)


async def replay(house: House, visitor: "Visitor", command: commands.Replay) -> None:
    """Tell all that was played in a finished race."""
    room = command.room.lower()
    live = await house.rooms.find(room) if _ROOM_ID.fullmatch(room) else None
    state = live.now() if live is not None else None
    if state is None or state.phase == "cancelled":
        visitor.refuse(unknown(command.room), command.id)
    elif state.phase != "over":
        text = "Replays are open when the race is over."
        visitor.refuse(Problem(ProblemCode.RACE_NOT_OVER, text), command.id)
    elif command.player is not None and command.player not in {seat.player for seat in state.racers}:
        visitor.refuse(bad_field("player", "expected one who raced in this room"), command.id)
    else:
        answer = await house.replay(room, command.player)
        if answer is None:
            visitor.refuse(unknown(command.room), command.id)
        else:
            visitor.answer(replace(answer, re=command.id))


async def rematch(house: House, visitor: "Visitor", command: commands.Rematch) -> None:
    """Open the same room again on a fresh deal, or follow whoever did so first."""
    old = visitor.room
    if old is None:
        visitor.refuse(not_in_one(), command.id)
        return
    state = old.now()
    if state.phase != "over":
        text = "A rematch can be opened when the race is over."
        visitor.refuse(Problem(ProblemCode.RACE_NOT_OVER, text), command.id)
        return
    seat = state.seats.get(visitor.player)
    role: commands.Role = seat.role if seat is not None else "racer"
    if state.rematch is not None:
        live = await house.rooms.find(state.rematch)
        if live is None:
            visitor.refuse(unknown(state.rematch), command.id)
        else:
            _enter(house, visitor, live, role, command.id)
        return
    if problem := await _too_many_rooms(house, visitor):
        visitor.refuse(problem, command.id)
        return
    settings = terms.again(house.dealer, state.variant, state.settings)
    dealt = await dealing.dealt(house.dealer, visitor, state.variant, settings)
    if isinstance(dealt, Problem):
        visitor.refuse(dealt, command.id)
        return
    # Opened before it is told of, so that nobody is invited to a room that is not there yet.
    fresh = await _new_room(house, visitor, dealt, settings, state.passphrase_hash, role)
    told = facts.Rematched(visitor.player, visitor.connection, fresh.state.id)
    await house.log.append(old.stream, [facts.encode(told)])
    if old.state.rematch == fresh.state.id:
        visitor.move_in(fresh, command.id)
        return
    # Someone's rematch came first in the room's log: that is the one.
    fresh.note(facts.Left(visitor.player, visitor.connection))
    house.rooms.release(fresh)
    live = await house.rooms.find(old.state.rematch or "")
    if live is None:
        visitor.refuse(not_in_one(), command.id)
    else:
        _enter(house, visitor, live, role, command.id)


def _enter(house: House, visitor: "Visitor", live: LiveRoom, role: commands.Role, re: Re) -> None:
    """Let someone take a seat, or come back to it, unless too many watch there already."""
    state, limit = live.now(), house.limits.watchers_per_room
    watchers = sum(seat.role == "watcher" for seat in state.seats.values())
    newcomer = visitor.player not in state.seats and state.phase != "cancelled"
    if newcomer and role == "watcher" and limit and watchers >= limit:
        text = f"At most {limit} may watch a room."
        visitor.refuse(Problem(ProblemCode.LIMIT_WATCHERS, text, {"limit": limit}), re)
        return
    visitor.enter(live, role, re)


async def _new_room(
    house: House, visitor: "Visitor", code: Code, settings: commands.Settings, phrase: str, role: commands.Role
) -> LiveRoom:
    """Open a room, in the log and then here."""
    room = new_room_id()
    fact = facts.Opened(
        visitor.player,
        visitor.connection,
        visitor.name,
        visitor.kind,
        role,
        str(code),
        settings,
        phrase,
    )
    house.players.seated(visitor.player, room, as_host=True)
    entries = await house.log.append(room_stream(room), [facts.encode(fact)])
    live = house.rooms.open(room, fact, entries[0])
    if settings.listed:
        # The room is open whether or not this succeeds; it can be joined by its name.
        with suppress(StorageError):
            await house.directory.list(room)
    return live


async def _too_many_rooms(house: House, visitor: "Visitor") -> Problem | None:
    limit = house.limits.rooms_per_player
    if not limit:
        return None
    seats = await house.players.seats(visitor.player)
    if sum(seat.as_host for seat in seats) < limit:
        return None
    text = f"You have opened {limit} rooms that are not over, and more are not allowed."
    return Problem(ProblemCode.LIMIT_ROOMS, text, {"limit": limit})
