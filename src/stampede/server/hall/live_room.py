"""A live room: one room's state in this process, kept up with its log, and the visitors of this node who are in it.

A command becomes a fact, the fact goes to the log, and comes back as an entry in the log's order; only then is it
folded, answered and told to the others. Nothing changes a room on any other way.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from stampede.protocol.events import Progress
from stampede.protocol.problems import Problem
from stampede.server.hall.outbox import Letter
from stampede.server.log.port import Entry, Following, Log, StorageError
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.phases import advance
from stampede.server.race.room import Foreseen, fold, game_after, judge
from stampede.server.race.state import RoomState, Seat

_DOUBT_S: Final = 0.5
"""How long a connection that is here, but was said to be gone, waits for what the log says next."""
_RETRY_S: Final = 1.0
"""How soon something the log could not take is tried again."""


def room_stream(room: str) -> str:
    """The name of a room's stream in the log."""
    return f"room:{room}"


class Guest(Protocol):
    """What a live room needs of a visitor."""

    player: str
    connection: str

    def settle(self, room: "LiveRoom", fact: RoomFact, verdict: Problem | None, before: RoomState) -> None:
        """Answer the command that caused `fact`."""

    def storage_failed(self, room: "LiveRoom") -> None:
        """Answer the command under way: the log could not take it."""

    def taken_over(self) -> None:
        """The player has a newer connection."""

    def room_replaced(self, lost: "LiveRoom", fresh: "LiveRoom | None") -> None:
        """The log held less than was told: the room as it is there now, or None if it is not there any more."""

    def deliver(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send what all, or this one, are told."""


class _Waiting(Struct, frozen=True, gc=False):
    """A visitor whose command has become a fact that is in the log's hands."""

    guest: Guest
    fact: RoomFact
    foreseen: Foreseen


class LiveRoom:
    """One room, awake."""

    def __init__(self, log: Log, state: RoomState, last: int, mark: "Callable[[LiveRoom], None]") -> None:
        self._log = log
        self._loop = asyncio.get_running_loop()
        self._mark = mark
        self.state = state
        self.stream = room_stream(state.id)
        """The name of its stream."""
        self.last = last
        """The id of the latest entry folded."""
        self.present: dict[str, Guest] = {}
        """Those on this node, by player."""
        self.watched_by: set[Callable[[LiveRoom], None]] = set()
        """Told after every change but plain actions; for lists of rooms."""
        self._expecting: list[tuple[int, asyncio.Future[None]]] = []
        """Those who wait until the entry with an id has been folded."""
        self._waiting: dict[bytes, _Waiting] = {}
        """Facts in the log's hands that someone waits for, as they were written."""
        self.told_at = 0.0
        """When progress was told last, on the loop's clock."""
        self._moved: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: int | None = None
        self._following: Following | None = None
        self._lost: Callable[[LiveRoom], None] | None = None

    @property
    def idle(self) -> bool:
        """Whether nobody on this node needs it."""
        return not (self.present or self._waiting or self.watched_by)

    def follow(self, lost: "Callable[[LiveRoom], None]") -> None:
        """Keep up with the log from now on; `lost` is called if the log turns out to hold less than was folded."""
        self._lost = lost
        self._following = self._log.follow(self.stream, self.last, self._take, self._reset)
        self._wind()

    async def catch_up(self) -> None:
        """Wait until all has been folded that is in the log now. Raises `StorageError`.

        News of what other nodes have appended is on its way for a moment; whoever knows of it already can ask for it.
        """
        entries = await self._log.read(self.stream, self.last)
        if entries and entries[-1].id > self.last and self._following is not None:
            there: asyncio.Future[None] = self._loop.create_future()
            self._expecting.append((entries[-1].id, there))
            await there

    def sleep(self) -> None:
        """Let go of the log and the clock."""
        self._come_up_to(None)
        if self._following is not None:
            self._following.close()
            self._following = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def now(self) -> RoomState:
        """The room as it is at this moment of the log's clock."""
        return advance(self.state, self._log.time_ms())

    def objection(self, fact: RoomFact) -> Problem | None:
        """Why the fact would not be acceptable now: the early refusal that keeps it out of the log."""
        now_ms = self._log.time_ms()
        after = judge(advance(self.state, now_ms), fact, now_ms)
        return after if isinstance(after, Problem) else None

    def play(self, fact: facts.Acted, guest: Guest) -> Problem | None:
        """Put a racer's action into the log; or say why it is not acceptable already now."""
        # In a race that is under way the clock need not be asked: should the end have passed, the fold says so.
        state = self.state if self.state.phase in ("racing", "closing") else self.now()
        after = game_after(state, fact)
        if isinstance(after, Problem):
            later = game_after(self.now(), fact)  # that the end has passed comes before other reasons
            return later if isinstance(later, Problem) else after
        before = state.seats[fact.player].game
        self._append(fact, guest, None if before is None else (before, after))
        return None

    def record(self, fact: RoomFact, guest: Guest) -> None:
        """Put a visitor's fact into the log; the visitor is answered when it comes back in order."""
        self._append(fact, guest, None)

    def note(self, fact: RoomFact) -> None:
        """Put a fact into the log that nobody waits for; tried again until the log takes it."""

        def again(done: "asyncio.Future[list[Entry]]") -> None:
            if not done.cancelled() and done.exception() is not None and self._following is not None:
                self._loop.call_later(_RETRY_S, self.note, fact)

        self._log.append(self.stream, [facts.encode(fact)]).add_done_callback(again)

    def admit(self, guest: Guest) -> None:
        """Someone of this node is in the room now."""
        self.present[guest.player] = guest

    def dismiss(self, guest: Guest) -> None:
        """Someone of this node is not in the room any more."""
        if self.present.get(guest.player) is guest:
            del self.present[guest.player]

    def tell_progress(self) -> int:
        """Send one message with all racers who moved since the last one, encoded once; returns to how many."""
        seats = [self.state.seats[player] for player in self._moved if player in self.state.seats]
        self._moved.clear()
        racers = [views.progress(seat) for seat in seats if seat.game is not None]
        if not racers:
            return 0
        letter = Letter(Progress(racers=racers))
        for guest in self.present.values():
            guest.deliver(letter, droppable=True)
        return len(self.present)

    def _append(self, fact: RoomFact, guest: Guest, foreseen: Foreseen) -> None:
        written = facts.encode(fact)
        self._waiting[written] = _Waiting(guest, fact, foreseen)
        if self._following is not None:
            self._log.submit(self.stream, written, self._not_taken)
        else:  # what the log takes would not come back to here
            self._loop.call_soon(self._not_taken, written, StorageError("The room is asleep."))

    def _not_taken(self, written: bytes, error: StorageError) -> None:
        waiting = self._waiting.pop(written, None)
        if waiting is not None:
            waiting.guest.storage_failed(self)

    def _take(self, entry: Entry) -> None:
        """Fold the next entry, answer who caused it, tell who is to be told."""
        self.last = entry.id
        if self._expecting:
            self._come_up_to(entry.id)
        time_ms = entry.time_ms
        waiting = self._waiting.pop(entry.fact, None)
        fact, foreseen = (waiting.fact, waiting.foreseen) if waiting else (facts.decode(entry.fact), None)
        before = self.state
        if before.due_ms is not None and before.due_ms <= time_ms:
            before = advance(before, time_ms)
            # What time alone brought is told first: the start, with its board, comes before what is played on it.
            earlier, self.state = self.state, before
            self._tell_news(earlier, None, time_ms)
        folded = fold(before, fact, time_ms, foreseen)
        after = self.state = folded.state
        if waiting:
            waiting.guest.settle(self, fact, folded.verdict, before)
        elif isinstance(fact, facts.Acted) and folded.verdict is None:
            self._tell_late(fact, before)
        accepted = fact if folded.verdict is None else None
        if after is before and not isinstance(accepted, facts.Said):
            return
        if isinstance(accepted, facts.Acted):
            if not self._moved:
                self._mark(self)
            self._moved.add(fact.player)
            if after.phase == before.phase and after.seats[fact.player].status == "racing":
                return
        elif isinstance(accepted, facts.Entered):
            self._replace(accepted)
        elif isinstance(accepted, facts.Broke) and fact.player in self.present:
            self._loop.call_later(_DOUBT_S, self._still_here, accepted)
        self._tell_news(before, accepted, time_ms)

    def _tell_news(self, before: RoomState, fact: RoomFact | None, time_ms: int) -> None:
        """Tell what has become of the room since `before`, and set the timer anew."""
        for audience, event in views.news(before, self.state, fact, time_ms):
            self._tell(audience, Letter(event))
        self._wind()
        for changed in tuple(self.watched_by):
            changed(self)

    def _come_up_to(self, last: int | None) -> None:
        """Let those go on who waited for this entry, or (None) for any."""
        for at, there in self._expecting:
            if (last is None or at <= last) and not there.done():
                there.set_result(None)
        self._expecting = [one for one in self._expecting if not one[1].done()]

    def _still_here(self, fact: facts.Broke) -> None:
        """Another node took this one for dead, and its people for away: who is still here takes the seat again.

        Not at once: if the player has moved on to another node meanwhile, the log says so next.
        """
        guest, seat = self.present.get(fact.player), self.state.seats.get(fact.player)
        here = guest is not None and guest.connection == fact.connection
        if here and seat is not None and seat.away and self._following is not None:
            self.note(facts.Entered(seat.player, fact.connection, seat.name, seat.kind, seat.role))

    def _tell_late(self, fact: facts.Acted, before: RoomState) -> None:
        """An action has come back after its answer was given up (the log was away): it counts all the same."""
        guest = self.present.get(fact.player)
        game = before.seats[fact.player].game
        if guest is not None and game is not None and guest.connection == fact.connection:
            guest.deliver(Letter(views.played(game, self.state.seats[fact.player])))

    def _replace(self, fact: facts.Entered) -> None:
        """A newer connection of a player, here or on another node, takes over from the one that is here."""
        guest = self.present.get(fact.player)
        if guest is not None and guest.connection != fact.connection:
            del self.present[fact.player]
            guest.taken_over()

    def _tell(self, audience: str, letter: Letter) -> None:
        if audience != views.EVERYONE:
            if (guest := self.present.get(audience)) is not None:
                guest.deliver(letter)
            return
        for guest in tuple(self.present.values()):
            guest.deliver(letter)

    def _reset(self) -> None:
        if self._lost is not None:
            self._lost(self)
        # Those who are answered may go on with their next command at once; it is refused like these.
        given_up, self._waiting = self._waiting, {}
        for waiting in given_up.values():
            waiting.guest.storage_failed(self)
        for changed in tuple(self.watched_by):
            changed(self)

    def _wind(self) -> None:
        """Set the timer for the next instant at which the room changes by itself."""
        due = self.state.due_ms
        if due == self._timer_at and self._timer is not None:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._timer_at = due
        if due is not None and self._following is not None:
            wait = max(0, due - self._log.time_ms()) / 1000
            self._timer = self._loop.call_later(wait, self._strike)

    def _strike(self) -> None:
        """An instant has come: its passing goes into the log, so that it has a place in the order of things."""
        self._timer = self._timer_at = None
        if self._following is None or self.state.due_ms is None:
            return
        early = self.state.due_ms - self._log.time_ms()
        if early > 0:
            self._timer_at = self.state.due_ms
            self._timer = self._loop.call_later(early / 1000, self._strike)
            return

        def noted(done: "asyncio.Future[list[Entry]]") -> None:
            failed = not done.cancelled() and done.exception() is not None
            if self._timer is None and self._following is not None:
                # Tried again if the log was away, or if its clock is still behind ours.
                self._timer = self._loop.call_later(_RETRY_S if failed else 0.01, self._strike)

        self._log.append(self.stream, [facts.encode(facts.TimePassed())]).add_done_callback(noted)


def lost_seats(state: RoomState, alive: Callable[[str], bool]) -> list[Seat]:
    """Seats whose connection is not alive any more: those a node left behind."""
    return [seat for seat in state.seats.values() if seat.connection is not None and not alive(seat.connection)]
