"""A visitor: one player's connection, and what its commands come to.

Commands are handled one after the other. Each gets exactly one answer: at once, after something was looked up, or
when the fact it became comes back from the log.
"""

import asyncio
import re as regular
from collections.abc import Coroutine
from typing import Any, Final, assert_never

import structlog
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from stampede.patience.codes import BadCode, Code
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol import commands, events
from stampede.protocol.commands import AnyCommand
from stampede.protocol.events import Answer, Error
from stampede.protocol.problems import Close, Problem, bad_field
from stampede.protocol.problems import Code as ProblemCode
from stampede.server.hall import passphrase
from stampede.server.hall.house import House
from stampede.server.hall.live_room import LiveRoom, room_stream
from stampede.server.hall.outbox import Letter, Outbox
from stampede.server.hall.players import is_token, new_token, player_of
from stampede.server.hall.rooms import new_room_id
from stampede.server.log.port import StorageError
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.names import clean_name, clean_text
from stampede.server.race.room import RoomState, action_problem, not_in_one, unknown

Re = int | UnsetType

_ROOM_ID: Final = regular.compile(r"[A-Za-z0-9]{1,40}")
_STORAGE: Final = Problem(
    ProblemCode.SERVER_STORAGE, "The server cannot store this right now; nothing was done, try again.", retry_ms=1000
)
_GOING_DOWN: Final = Problem(
    ProblemCode.SERVER_GOING_DOWN, "The server is going down; connect again in a moment.", retry_ms=1000
)

_logger = structlog.get_logger()


class Visitor:
    """Who is on the other side of a connection. Everything here happens on the event loop's thread."""

    def __init__(self, house: House, outbox: Outbox) -> None:
        self._house = house
        self._outbox = outbox
        self.connection = house.connect()
        self.player = ""
        """Empty until hello."""
        self._name = ""
        self._kind: commands.Kind = "human"
        self._room: LiveRoom | None = None
        self._re: Re | None = None
        """The `id` of the command whose fact is in the log's hands; None if there is none."""
        self._work: asyncio.Task[None] | None = None
        self._gone = False

    @property
    def busy(self) -> bool:
        """Whether a command has not got its answer yet."""
        return self._re is not None or self._work is not None

    def hear(self, command: AnyCommand) -> None:
        """Handle a command; `busy` tells whether its answer is still to come, `Outbox.answered` when it has come."""
        if self._house.draining:
            self._refuse(_GOING_DOWN, command.id)
        elif isinstance(command, commands.Ping):
            self._outbox.send(events.Pong(re=command.id, t=command.t, time_ms=self._house.log.time_ms()))
        elif isinstance(command, commands.Hello):
            self._hello(command)
        elif not self.player:
            text = 'Say hello first: {"type": "hello", "name": ...}.'
            self._refuse(Problem(ProblemCode.HELLO_FIRST, text), command.id)
        else:
            self._handle(command)

    def gone(self) -> None:
        """The connection is no more."""
        if self._gone:
            return
        self._gone = True
        self._house.disconnect(self.connection)
        if self._work is not None:
            self._work.cancel()
        if self.player:
            self._house.depart(self)
        self._leave_room()

    # What a live room calls.

    def settle(self, room: LiveRoom, fact: RoomFact, verdict: Problem | None, before: RoomState) -> None:
        """Answer the command that caused `fact`, now that it has come back in the log's order."""
        re = UNSET if self._re is None else self._re
        self._re = None
        if self._gone:
            if isinstance(fact, facts.Entered) and verdict is None:
                room.note(facts.Broke(self.player, self.connection))
            return
        if verdict is not None:
            self._settle_refused(room, fact, verdict, re)
        else:
            self._settle_accepted(room, fact, before, re)
        self._outbox.answered()

    def storage_failed(self) -> None:
        """Answer the command under way: the log could not take it."""
        if self._re is not None:
            re, self._re = self._re, None
            self._refuse(_STORAGE, re)
            self._outbox.answered()

    def taken_over(self) -> None:
        """The player has a newer connection: this one ends."""
        self._outbox.close(Close.TAKEN_OVER, "taken over by a newer connection")

    def room_replaced(self, lost: LiveRoom, fresh: LiveRoom | None) -> None:
        """The log held less than was told; say what is there now."""
        if self._gone or self._room is not lost:
            return
        self._room = None
        seat = fresh.state.seats.get(self.player) if fresh is not None else None
        if fresh is None or seat is None:
            self._refuse(unknown(lost.state.id), UNSET)
            return
        self._room = fresh
        fresh.admit(self)
        self._tell_room(fresh, UNSET)
        if seat.connection != self.connection:
            fresh.note(facts.Entered(self.player, self.connection, self._name, self._kind, seat.role))

    def deliver(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send what all, or this one, are told."""
        self._outbox.post(letter, droppable=droppable)

    # Commands.

    def _handle(self, command: AnyCommand) -> None:
        match command:
            case commands.Play():
                self._play(command)
            case commands.Targets():
                self._targets(command)
            case commands.Rooms():
                self._work_on(self._rooms(command), command.id)
            case commands.Open():
                self._work_on(self._open(command), command.id)
            case commands.Join():
                self._work_on(self._join(command), command.id)
            case commands.Replay():
                self._work_on(self._replay(command), command.id)
            case commands.Rematch():
                self._work_on(self._rematch(command), command.id)
            case commands.Sync():
                room = self._room
                if room is None:
                    self._refuse(not_in_one(), command.id)
                else:
                    self._tell_room(room, command.id)
            case commands.Leave():
                self._record(facts.Left(self.player, self.connection), command.id)
            case commands.Ready():
                self._record(facts.Readied(self.player, self.connection, command.ready), command.id)
            case commands.Start():
                self._record(facts.Started(self.player, self.connection), command.id)
            case commands.Forfeit():
                self._record(facts.Forfeited(self.player, self.connection), command.id)
            case commands.Say():
                text = clean_text(command.text)
                if text is None or not text.strip():
                    problem = bad_field("text", "expected 1 to 280 characters without control characters")
                    self._refuse(problem, command.id)
                else:
                    self._record(facts.Said(self.player, self.connection, text), command.id)
            case commands.Hello() | commands.Ping():
                raise AssertionError("handled before")
            case _:
                assert_never(command)

    def _hello(self, command: commands.Hello) -> None:
        if self.player:
            self._refuse(Problem(ProblemCode.HELLO_TWICE, "You have said hello already."), command.id)
            return
        name = clean_name(command.name)
        if name is None:
            text = (
                f"A name has 1 to {commands.NAME_GRAPHEMES} characters, none of them a control, bidirectional "
                "or zero-width one."
            )
            self._refuse(Problem(ProblemCode.HELLO_BAD_NAME, text, {"limit": commands.NAME_GRAPHEMES}), command.id)
            return
        if command.token is not None and not is_token(command.token):
            text = "A token is 43 base64url characters, as a welcome gave it; leave it out to be a new player."
            self._refuse(Problem(ProblemCode.HELLO_BAD_TOKEN, text), command.id)
            return
        token = command.token or new_token()
        self._name, self._kind = name, command.kind
        if command.token is None:
            self._welcome(token, [], command.id)
        else:
            self._work_on(self._welcome_back(token, command.id), command.id)

    async def _welcome_back(self, token: str, re: Re) -> None:
        seats = await self._house.players.seats(player_of(token))
        self._welcome(token, [seat.room for seat in seats], re)

    def _welcome(self, token: str, seats: list[str], re: Re) -> None:
        self.player = player_of(token)
        self._outbox.send(
            events.Welcome(
                re=re,
                player=self.player,
                token=token,
                name=self._name,
                server=self._house.server,
                time_ms=self._house.log.time_ms(),
                limits=self._house.limits.told(),
                seats=seats,
            )
        )
        self._house.arrive(self)

    def _play(self, command: commands.Play) -> None:
        self._record(facts.Acted(self.player, self.connection, command.n, command.do.notation), command.id)

    def _targets(self, command: commands.Targets) -> None:
        if self._room is None:
            self._refuse(not_in_one(), command.id)
            return
        state = self._room.now()
        seat = state.seats.get(self.player)
        problem = action_problem(state, seat)
        if problem is not None or seat is None:
            self._refuse(problem or not_in_one(), command.id)
            return
        self._outbox.send(views.targets(seat, command.card, command.id))

    async def _rooms(self, command: commands.Rooms) -> None:
        answer = await self._house.directory.answer()
        if command.follow:
            self._house.directory.follow(self)
        else:
            self._house.directory.unfollow(self)
        self._outbox.send(replace(answer, re=command.id))

    async def _open(self, command: commands.Open) -> None:
        chosen = command.settings
        code: Code | None = None
        problem = self._elsewhere()
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
        problem = problem or await self._too_many_rooms()
        if problem is not None:
            self._refuse(problem, command.id)
            return
        if code is None:
            code = await self._house.dealer.deal(CATALOGUE[command.deal.upper()], sealed=chosen.sealed)
        settings = replace(chosen, passphrase=None, winnable=chosen.winnable is True, title=clean_text(chosen.title))
        phrase = passphrase.hashed(chosen.passphrase or "")
        self._move_in(await self._new_room(code, settings, phrase, command.role), command.id)

    async def _new_room(self, code: Code, settings: commands.Settings, phrase: str, role: commands.Role) -> LiveRoom:
        """Open a room, in the log and then here."""
        room = new_room_id()
        fact = facts.Opened(self.player, self.connection, self._name, self._kind, role, str(code), settings, phrase)
        self._house.players.seated(self.player, room, as_host=True)
        entries = await self._house.log.append(room_stream(room), [facts.encode(fact)])
        live = self._house.rooms.open(room, fact, entries[0])
        if settings.listed:
            self._house.directory.list(room)
        return live

    def _move_in(self, room: LiveRoom, re: Re) -> None:
        """Be in a room where the seat is taken already, and nowhere else."""
        self._leave_room()
        self._room = room
        room.admit(self)
        self._tell_room(room, re)

    async def _join(self, command: commands.Join) -> None:
        room = command.room.lower()
        live = await self._house.rooms.find(room) if _ROOM_ID.fullmatch(room) else None
        if live is None:
            self._refuse(unknown(command.room), command.id)
            return
        if problem := self._elsewhere(live):
            self._refuse(problem, command.id)
            return
        state = live.now()
        if self.player not in state.seats and state.phase != "cancelled":
            if not passphrase.matches(command.passphrase or "", state.passphrase_hash):
                text = "This room has a passphrase, and that is not it."
                self._refuse(Problem(ProblemCode.ROOM_PASSPHRASE, text), command.id)
                return
            watchers = sum(seat.role == "watcher" for seat in state.seats.values())
            limit = self._house.limits.watchers_per_room
            if command.role == "watcher" and limit and watchers >= limit:
                text = f"At most {limit} may watch a room."
                self._refuse(Problem(ProblemCode.LIMIT_WATCHERS, text, {"limit": limit}), command.id)
                return
        self._enter(live, command.role, command.id)

    def _enter(self, live: LiveRoom, role: commands.Role, re: Re) -> None:
        if self._room is not live:
            fact = facts.Entered(self.player, self.connection, self._name, self._kind, role)
            problem = live.objection(fact)
            if problem is not None:
                self._refuse(problem, re)
                return
            self._leave_room()
            if self.player not in live.state.seats:
                self._house.players.seated(self.player, live.state.id, as_host=False)
            self._re = re
            live.record(fact, self)
        else:
            self._tell_room(live, re)

    async def _replay(self, command: commands.Replay) -> None:
        room = command.room.lower()
        live = await self._house.rooms.find(room) if _ROOM_ID.fullmatch(room) else None
        state = live.now() if live is not None else None
        if state is None or state.phase == "cancelled":
            self._refuse(unknown(command.room), command.id)
        elif state.phase != "over":
            text = "Replays are open when the race is over."
            self._refuse(Problem(ProblemCode.RACE_NOT_OVER, text), command.id)
        elif command.player is not None and command.player not in {seat.player for seat in state.racers}:
            self._refuse(bad_field("player", "expected one who raced in this room"), command.id)
        else:
            answer = await self._house.replay(room, command.player)
            if answer is None:
                self._refuse(unknown(command.room), command.id)
            else:
                self._outbox.send(replace(answer, re=command.id))

    async def _rematch(self, command: commands.Rematch) -> None:
        old = self._room
        if old is None:
            self._refuse(not_in_one(), command.id)
            return
        state = old.now()
        if state.phase != "over":
            text = "A rematch can be opened when the race is over."
            self._refuse(Problem(ProblemCode.RACE_NOT_OVER, text), command.id)
            return
        seat = state.seats.get(self.player)
        role: commands.Role = seat.role if seat is not None else "racer"
        if state.rematch is not None:
            live = await self._house.rooms.find(state.rematch)
            if live is None:
                self._refuse(unknown(state.rematch), command.id)
            else:
                self._enter(live, role, command.id)
            return
        if problem := await self._too_many_rooms():
            self._refuse(problem, command.id)
            return
        code = await self._house.dealer.deal(CATALOGUE[state.variant], sealed=state.settings.sealed)
        # Opened before it is told of, so that nobody is invited to a room that is not there yet.
        fresh = await self._new_room(code, state.settings, state.passphrase_hash, role)
        told = facts.Rematched(self.player, self.connection, fresh.state.id)
        await self._house.log.append(old.stream, [facts.encode(told)])
        if old.state.rematch == fresh.state.id:
            self._move_in(fresh, command.id)
            return
        # Someone's rematch came first in the room's log: that is the one.
        fresh.note(facts.Left(self.player, self.connection))
        self._house.rooms.release(fresh)
        live = await self._house.rooms.find(old.state.rematch or "")
        if live is None:
            self._refuse(not_in_one(), command.id)
        else:
            self._enter(live, role, command.id)

    def _record(self, fact: RoomFact, re: Re) -> None:
        """Let a fact into the log, unless it is not acceptable already now."""
        room = self._room
        if room is None:
            self._refuse(not_in_one(), re)
            return
        problem = room.objection(fact)
        if problem is not None:
            self._settle_refused(room, fact, problem, re)
            return
        self._re = re
        room.record(fact, self)

    def _settle_refused(self, room: LiveRoom, fact: RoomFact, verdict: Problem, re: Re) -> None:
        seat = room.state.seats.get(self.player)
        step = isinstance(fact, facts.Acted) and verdict.code == ProblemCode.RACE_OUT_OF_STEP
        if step and isinstance(fact, facts.Acted) and seat is not None and fact.n <= seat.n:
            self._outbox.send(views.board(room.state, seat, self._house.log.time_ms(), re))
            return
        self._refuse(verdict, re)
        if step and seat is not None:
            self._outbox.send(views.board(room.state, seat, self._house.log.time_ms()))

    def _settle_accepted(self, room: LiveRoom, fact: RoomFact, before: RoomState, re: Re) -> None:
        match fact:
            case facts.Acted(player=player):
                game = before.seats[player].game
                if game is None:
                    raise AssertionError("an accepted action has a game before it")
                self._outbox.send(views.played(game, room.state.seats[player], re))
            case facts.Entered():
                self._move_in(room, re)
            case facts.Left():
                room.dismiss(self)
                self._room = None
                self._house.rooms.release(room)
                self._outbox.send(events.Done(re=re))
            case _:
                self._outbox.send(events.Done(re=re))

    def _tell_room(self, room: LiveRoom, re: Re) -> None:
        """The whole picture: the room, one's board when racing, the result when it is over."""
        now_ms = self._house.log.time_ms()
        state = room.now()
        self._outbox.send(events.Room(re=re, room=views.picture(state, self.player, now_ms)))
        seat = state.seats.get(self.player)
        if seat is not None and seat.game is not None and state.phase in ("racing", "closing"):
            self._outbox.send(views.board(state, seat, now_ms))
        if state.phase == "over":
            self._outbox.send(views.result(state))

    def _elsewhere(self, target: LiveRoom | None = None) -> Problem | None:
        """Why no room can be entered now: this connection is in one that is not over."""
        room = self._room
        if room is None or room is target or room.now().ended:
            return None
        text = f"You are in the room {room.state.id}; leave it first."
        return Problem(ProblemCode.ROOM_IN_ANOTHER, text, {"room": room.state.id})

    async def _too_many_rooms(self) -> Problem | None:
        limit = self._house.limits.rooms_per_player
        if not limit:
            return None
        seats = await self._house.players.seats(self.player)
        if sum(seat.as_host for seat in seats) < limit:
            return None
        text = f"You have opened {limit} rooms that are not over, and more are not allowed."
        return Problem(ProblemCode.LIMIT_ROOMS, text, {"limit": limit})

    def _leave_room(self) -> None:
        """Be away from the room this connection is in, if any."""
        room, self._room = self._room, None
        if room is None:
            return
        room.dismiss(self)
        seat = room.state.seats.get(self.player)
        if seat is not None and seat.connection == self.connection:
            room.note(facts.Broke(self.player, self.connection))
        self._house.rooms.release(room)

    def _refuse(self, problem: Problem, re: Re) -> None:
        self._outbox.send(error(problem, re))

    def _work_on(self, work: Coroutine[Any, Any, None], re: Re) -> None:
        """Answer a command in a task of its own; no other is handled meanwhile."""
        task = self._work = asyncio.get_running_loop().create_task(work)

        def worked(done: asyncio.Task[None]) -> None:
            self._work = None
            if done.cancelled() or self._gone:
                return
            failure = done.exception()
            if isinstance(failure, StorageError):
                self._refuse(_STORAGE, re)
            elif failure is not None:
                self._refuse(incident(failure), re)
            if not self.busy:
                self._outbox.answered()

        task.add_done_callback(worked)


def error(problem: Problem, re: Re) -> Answer:
    """A problem as the answer to a command."""
    return Error(re=re, code=problem.code, text=problem.text, data=problem.data, retry_ms=problem.retry_ms)


def incident(failure: BaseException) -> Problem:
    """`server.internal`, with an id under which the server's log tells more."""
    number = new_room_id()
    _logger.error("incident", incident=number, exc_info=failure)
    text = f"Something went wrong in the server; its log knows more under the incident {number}."
    return Problem(ProblemCode.SERVER_INTERNAL, text, {"incident": number})
