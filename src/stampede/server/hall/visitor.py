"""A visitor: one player's connection, and what its commands come to.

Commands are handled one after the other. Each gets exactly one answer: at once, after something was looked up, or
when the fact it became comes back from the log.
"""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, assert_never

import structlog
from msgspec import UNSET

from stampede.protocol import commands, events
from stampede.protocol.commands import AnyCommand
from stampede.protocol.events import Event
from stampede.protocol.problems import Close, Problem, bad_field
from stampede.protocol.problems import Code as ProblemCode
from stampede.server.hall import errands
from stampede.server.hall.house import House
from stampede.server.hall.live_room import LiveRoom
from stampede.server.hall.outbox import Letter, Outbox
from stampede.server.hall.players import is_token, new_token, player_of
from stampede.server.hall.refusals import GOING_DOWN, STORAGE, Re, error, incident
from stampede.server.log.port import StorageError
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.names import clean_name, clean_text
from stampede.server.race.objections import action_problem, not_in_one, unknown
from stampede.server.race.state import RoomState

_logger = structlog.get_logger()


class Visitor:
    """Who is on the other side of a connection. Everything here happens on the event loop's thread."""

    def __init__(self, house: House, outbox: Outbox) -> None:
        self._house = house
        self._tally = house.tally
        self._outbox = outbox
        self.connection = house.connect()
        self.player = ""
        """Empty until hello."""
        self.name = ""
        self.kind: commands.Kind = "human"
        self.room: LiveRoom | None = None
        self._re: Re | None = None
        """The `id` of the command whose fact is in the log's hands; None if there is none."""
        self.heard_at = 0.0
        """When the command under way came in, on the loop's clock."""
        self._handed_at = 0.0
        """When its fact was handed to the log, on the same clock."""
        self._work: asyncio.Task[None] | None = None
        self._gone = False

    @property
    def busy(self) -> bool:
        """Whether a command has not got its answer yet."""
        return self._re is not None or self._work is not None

    def hear(self, command: AnyCommand) -> None:
        """Handle a command; `busy` tells whether its answer is still to come, `Outbox.answered` when it has come."""
        if self._house.draining:
            self.refuse(GOING_DOWN, command.id)
        elif not self.player:
            self._hear_stranger(command)
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
        re, self._re = self._re, None
        if re is None:
            return
        self._tally.appended.add(time.monotonic() - self._handed_at)
        if self._gone:
            if isinstance(fact, facts.Entered) and verdict is None:
                room.note(facts.Broke(self.player, self.connection))
            self._house.rooms.release(room)
            return
        if verdict is not None:
            self._settle_refused(room, fact, verdict, re)
            if self.room is not room:
                self._house.rooms.release(room)
        else:
            self._settle_accepted(room, fact, before, re)
        self._outbox.answered()

    def storage_failed(self, room: LiveRoom) -> None:
        """Answer the command under way: the log could not take what it would have been in `room`."""
        if self.room is not room:
            self._house.rooms.release(room)
        if self._re is not None:
            self._tally.storage_failed += 1
            re, self._re = self._re, None
            self.refuse(STORAGE, re)
            self._outbox.answered()

    def taken_over(self) -> None:
        """The player has a newer connection: this one ends."""
        self._outbox.close(Close.TAKEN_OVER, "taken over by a newer connection")

    def room_replaced(self, lost: LiveRoom, fresh: LiveRoom | None) -> None:
        """The log held less than was told; say what is there now."""
        if self._gone or self.room is not lost:
            return
        self.room = None
        seat = fresh.state.seats.get(self.player) if fresh is not None else None
        if fresh is None or seat is None:
            self.refuse(unknown(lost.state.id), UNSET)
            return
        self.room = fresh
        fresh.admit(self)
        self.tell_room(fresh, UNSET)
        if seat.connection != self.connection:
            fresh.note(facts.Entered(self.player, self.connection, self.name, self.kind, seat.role))

    def deliver(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send what all, or this one, are told."""
        self._outbox.post(letter, droppable=droppable)

    # Commands.

    def _hear_stranger(self, command: AnyCommand) -> None:
        if isinstance(command, commands.Hello):
            self._hello(command)
        elif isinstance(command, commands.Ping):
            self._pong(command)
        else:
            text = 'Say hello first: {"type": "hello", "name": ...}.'
            self.refuse(Problem(ProblemCode.HELLO_FIRST, text), command.id)

    def _handle(self, command: AnyCommand) -> None:
        match command:
            case commands.Play():
                self._play(command)
            case commands.Targets():
                self._targets(command)
            case commands.Rooms():
                self._work_on(errands.list_rooms(self._house, self, command), command.id)
            case commands.Open():
                self._work_on(errands.open_room(self._house, self, command), command.id)
            case commands.Join():
                self._work_on(errands.join(self._house, self, command), command.id)
            case commands.Replay():
                self._work_on(errands.replay(self._house, self, command), command.id)
            case commands.Rematch():
                self._work_on(errands.rematch(self._house, self, command), command.id)
            case commands.Sync():
                self._work_on(errands.sync(self, command), command.id)
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
                    self.refuse(problem, command.id)
                else:
                    self._record(facts.Said(self.player, self.connection, text), command.id)
            case commands.Ping():
                self._pong(command)
            case commands.Hello():
                self.refuse(Problem(ProblemCode.HELLO_TWICE, "You have said hello already."), command.id)
            case _:
                assert_never(command)

    def _pong(self, command: commands.Ping) -> None:
        self._outbox.send(events.Pong(re=command.id, t=command.t, time_ms=self._house.log.time_ms()))

    def _hello(self, command: commands.Hello) -> None:
        name = clean_name(command.name)
        if name is None:
            text = (
                f"A name has 1 to {commands.NAME_GRAPHEMES} characters, none of them a control, bidirectional "
                "or zero-width one."
            )
            self.refuse(Problem(ProblemCode.HELLO_BAD_NAME, text, {"limit": commands.NAME_GRAPHEMES}), command.id)
            return
        if command.token is not None and not is_token(command.token):
            text = "A token is 43 base64url characters, as a welcome gave it; leave it out to be a new player."
            self.refuse(Problem(ProblemCode.HELLO_BAD_TOKEN, text), command.id)
            return
        token = command.token or new_token()
        self.name, self.kind = name, command.kind
        if command.token is None:
            self.welcome(token, [], command.id)
        else:
            self._work_on(errands.welcome_back(self._house, self, token, command.id), command.id)

    def welcome(self, token: str, seats: list[str], re: Re) -> None:
        """Answer hello; from now on this connection is the player's newest."""
        self.player = player_of(token)
        self._outbox.send(
            events.Welcome(
                re=re,
                player=self.player,
                token=token,
                name=self.name,
                server=self._house.server,
                time_ms=self._house.log.time_ms(),
                limits=self._house.limits.told(),
                seats=seats,
            )
        )
        self._house.arrive(self)
        self._tally.welcomed += 1
        _logger.debug("hello", player=self.player, kind=self.kind, connection=self.connection)

    def _play(self, command: commands.Play) -> None:
        room = self.room
        if room is None:
            self.refuse(not_in_one(), command.id)
            return
        fact = facts.Acted(self.player, self.connection, command.n, command.do.notation)
        problem = room.play(fact, self)
        if problem is None:
            self._re = command.id
            self._handed_at = time.monotonic()
        else:
            self._settle_refused(room, fact, problem, command.id)

    def _targets(self, command: commands.Targets) -> None:
        if self.room is None:
            self.refuse(not_in_one(), command.id)
            return
        state = self.room.now()
        seat = state.seats.get(self.player)
        problem = action_problem(state, seat)
        if problem is not None or seat is None:
            self.refuse(problem or not_in_one(), command.id)
            return
        self._outbox.send(views.targets(seat, command.card, command.id))

    def move_in(self, room: LiveRoom, re: Re) -> None:
        """Be in a room where the seat is taken already, and nowhere else."""
        self._leave_room()
        self.room = room
        room.admit(self)
        self.tell_room(room, re)

    def enter(self, live: LiveRoom, role: commands.Role, re: Re) -> None:
        """Take a seat, or come back to it; just tell the room again if this connection is in it."""
        if self.room is not live:
            fact = facts.Entered(self.player, self.connection, self.name, self.kind, role)
            problem = live.objection(fact)
            if problem is not None:
                self.refuse(problem, re)
                return
            self._leave_room()
            if self.player not in live.state.seats:
                self._house.players.seated(self.player, live.state.id, as_host=False)
            self._re = re
            self._handed_at = time.monotonic()
            live.record(fact, self)
        else:
            self.tell_room(live, re)

    def _record(self, fact: RoomFact, re: Re) -> None:
        """Let a fact into the log, unless it is not acceptable already now."""
        room = self.room
        if room is None:
            self.refuse(not_in_one(), re)
            return
        problem = room.objection(fact)
        if problem is not None:
            self._settle_refused(room, fact, problem, re)
            return
        self._re = re
        self._handed_at = time.monotonic()
        room.record(fact, self)

    def _settle_refused(self, room: LiveRoom, fact: RoomFact, verdict: Problem, re: Re) -> None:
        state = room.now()  # the start may have come without anyone having noted it yet
        seat = state.seats.get(self.player)
        if isinstance(fact, facts.Acted):
            self._tally.refuse(verdict.code)
        step = isinstance(fact, facts.Acted) and verdict.code == ProblemCode.RACE_OUT_OF_STEP
        if step and isinstance(fact, facts.Acted) and seat is not None and fact.n <= seat.n:
            self._outbox.send(views.board(state, seat, self._house.log.time_ms(), re))
            return
        self.refuse(verdict, re)
        if step and seat is not None:
            self._outbox.send(views.board(state, seat, self._house.log.time_ms()))

    def _settle_accepted(self, room: LiveRoom, fact: RoomFact, before: RoomState, re: Re) -> None:
        match fact:
            case facts.Acted():
                game = before.seats[self.player].game
                if game is None:
                    raise AssertionError("an accepted action has a game before it")
                self._outbox.send(views.played(game, room.state.seats[self.player], re))
                self._tally.accepted += 1
                self._tally.acknowledged.add(time.monotonic() - self.heard_at)
            case facts.Entered():
                if self.player in before.seats:
                    self._tally.resumed += 1
                self.move_in(room, re)
            case facts.Left():
                room.dismiss(self)
                self.room = None
                self._house.rooms.release(room)
                self._outbox.send(events.Done(re=re))
            case _:
                self._outbox.send(events.Done(re=re))

    def tell_room(self, room: LiveRoom, re: Re) -> None:
        """The whole picture: the room, one's board when racing, the result when it is over."""
        now_ms = self._house.log.time_ms()
        state = room.now()
        self._outbox.send(events.Room(re=re, room=views.picture(state, self.player, now_ms)))
        seat = state.seats.get(self.player)
        if seat is not None and seat.game is not None and state.phase in ("racing", "closing"):
            self._outbox.send(views.board(state, seat, now_ms))
        if state.phase == "over":
            self._outbox.send(views.result(state))

    def elsewhere(self, target: LiveRoom | None = None) -> Problem | None:
        """Why no room can be entered now: this connection is in one that is not over."""
        room = self.room
        if room is None or room is target or room.now().ended:
            return None
        text = f"You are in the room {room.state.id}; leave it first."
        return Problem(ProblemCode.ROOM_IN_ANOTHER, text, {"room": room.state.id})

    def _leave_room(self) -> None:
        """Be away from the room this connection is in, if any."""
        room, self.room = self.room, None
        if room is None:
            return
        room.dismiss(self)
        seat = room.state.seats.get(self.player)
        if seat is not None and seat.connection == self.connection:
            room.note(facts.Broke(self.player, self.connection))
        self._house.rooms.release(room)

    def answer(self, event: Event) -> None:
        """Send an answer, or what goes with it."""
        self._outbox.send(event)

    def refuse(self, problem: Problem, re: Re) -> None:
        """Answer that it is not done, and why."""
        self._outbox.send(error(problem, re))

    def _work_on(self, work: Coroutine[Any, Any, None], re: Re) -> None:
        """Answer a command in a task of its own; no other is handled meanwhile."""
        task = self._work = asyncio.get_running_loop().create_task(work)

        def worked(done: asyncio.Task[None]) -> None:
            self._work = None
            if done.cancelled():
                return
            # Also of one who is gone: nobody hears the answer then, but a fault belongs into the server's log.
            failure = done.exception()
            if isinstance(failure, StorageError):
                self._tally.storage_failed += 1
                self.refuse(STORAGE, re)
            elif failure is not None:
                self._tally.incidents += 1
                self.refuse(incident(failure), re)
            if not (self.busy or self._gone):
                self._outbox.answered()

        task.add_done_callback(worked)
