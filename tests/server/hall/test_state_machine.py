"""A room with racers and watchers, through every command, jumps of time, breaks and restarts, beside a plain model."""

import asyncio
from collections.abc import Coroutine
from functools import cache
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from server.hall.plain_room import PlainRoom
from server.hall.quiet_house import Clock, Guest, open_house, settled
from server.race.story import CODE, lines
from stampede.patience.game import Game, play, start_code
from stampede.patience.notation import read
from stampede.patience.variants import parse_code
from stampede.protocol import commands as say
from stampede.protocol.commands import AnyCommand, Do, Settings
from stampede.protocol.events import Error
from stampede.server.log.in_memory import InMemoryLog
from stampede.server.race import views

NAMES = ("Ann", "Bob", "Cyd", "Dee")
WHAT = {"undo": Do(undo=True), "nonsense": Do(draw=True)}


class LoneLog(InMemoryLog):
    """A log that has been used by one node after the other."""

    async def nodes(self) -> frozenset[str]:
        return frozenset()


@cache
def homes() -> list[int]:
    """How many cards are home after each action of the line that wins the deal."""
    game = start_code(parse_code(CODE))
    counts = [0]
    for action in lines()[CODE]:
        after = play(game, read(action))
        assert isinstance(after, Game)
        game = after
        counts.append(game.table.cards_home)
    return counts


who = st.sampled_from(NAMES)


class Rooms(RuleBasedStateMachine):
    """The house on one side, the model on the other; each rule does the same to both."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = Clock()
        self.log = LoneLog(self.clock)
        self.faults: list[Any] = []
        self.loop.set_exception_handler(lambda _, context: self.faults.append(context))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(work)

    @initialize(
        role=st.sampled_from(["racer", "racer", "watcher"]),
        capacity=st.integers(1, 3),
        countdown_s=st.sampled_from([0, 5]),
        start=st.sampled_from(["host", "all_ready"]),
        tail_s=st.sampled_from([0, 30]),
        undo=st.sampled_from([0, 2, 100]),
        chat=st.booleans(),
    )
    def open(self, role: Any, capacity: int, countdown_s: int, start: Any, tail_s: int, undo: int, chat: bool) -> None:
        self.model = PlainRoom(homes(), capacity, countdown_s, start, 60, tail_s, undo, chat, host="Ann")
        self.model.join("Ann", role)
        chosen = Settings(
            capacity=capacity, countdown_s=countdown_s, start=start, limit_s=60, tail_s=tail_s, undo=undo, chat=chat
        )
        self.run(self._house())
        answer = self.says("Ann", say.Open(deal=CODE, settings=chosen, role=role))
        self.room = answer.room.id
        self.inside = {"Ann"}

    async def _house(self) -> None:
        self.house = await open_house(self.log)
        self.guests: dict[str, Guest] = {}
        for name in NAMES:
            await self._arrives(name)

    async def _arrives(self, name: str) -> None:
        guest = self.guests[name] = Guest(self.house, name)
        guest.say(say.Hello(name=name, token=guest.token))
        await settled(guest)

    def says(self, name: str, command: AnyCommand) -> Any:
        async def said() -> Any:
            number = self.guests[name].say(command)
            await settled(*self.guests.values())
            return self.guests[name].answer(number)

        return self.run(said())

    def both(self, name: str, command: AnyCommand, expected: str | None) -> None:
        """Say it, and see that the answer is what the model says; None stands for being in no room."""
        answer = self.says(name, command)
        heard = answer.code if isinstance(answer, Error) else answer.__struct_config__.tag
        assert heard == (expected or "room.not_in_one"), (name, command, self.model)

    def now(self) -> int:
        self.model.advance(self.clock.ms)
        return self.clock.ms

    @rule(name=who, role=st.sampled_from(["racer", "racer", "watcher"]))
    def join(self, name: str, role: Any) -> None:
        self.now()
        expected = "room" if name in self.inside else self.model.join(name, role)
        self.both(name, say.Join(room=self.room, role=role), expected)
        if expected == "room":
            self.inside.add(name)

    @rule(name=who)
    def leave(self, name: str) -> None:
        now = self.now()
        self.both(name, say.Leave(), self.model.leave(name, now) if name in self.inside else None)
        self.inside.discard(name)

    @rule(name=who, ready=st.sampled_from([True, True, False]))
    def ready(self, name: str, ready: bool) -> None:
        now = self.now()
        self.both(name, say.Ready(ready=ready), self.model.ready(name, ready, now) if name in self.inside else None)

    @rule()
    def everyone_gets_ready(self) -> None:
        for name in NAMES:
            if name in self.inside:
                self.ready(name, True)

    @rule(name=who)
    def start(self, name: str) -> None:
        now = self.now()
        self.both(name, say.Start(), self.model.start(name, now) if name in self.inside else None)

    @rule()
    def the_host_starts(self) -> None:
        self.start(self.model.host)

    @rule(name=who, what=st.sampled_from(["on", "on", "undo", "nonsense"]), step=st.sampled_from([1, 1, 1, 0, 2]))
    def play(self, name: str, what: str, step: int) -> None:
        now = self.now()
        one = self.model.entrants.get(name)
        at, n = (one.at, one.n) if one is not None else (0, 0)
        line = lines()[CODE]
        do = WHAT.get(what) or Do.of(read(line[min(at, len(line) - 1)]))
        expected = self.model.play(name, what, n + step, now) if name in self.inside else None
        self.both(name, say.Play(n=n + step, do=do), expected)

    @rule(name=who, short_of=st.sampled_from([0, 0, 1, 40]))
    def plays_on(self, name: str, short_of: int) -> None:
        """Along the winning line, to its end or nearly so."""
        one = self.model.entrants.get(name)
        while (
            name in self.inside
            and one is not None
            and one.status == "racing"
            and one.at < len(lines()[CODE]) - short_of
            and self.model.phase in ("racing", "closing")
        ):
            self.play(name, "on", 1)

    @rule(name=who)
    def targets(self, name: str) -> None:
        self.now()
        self.both(name, say.Targets(card="AS"), self.model.targets(name) if name in self.inside else None)

    @rule(name=who)
    def sync(self, name: str) -> None:
        self.now()
        self.both(name, say.Sync(), "room" if name in self.inside else None)

    @rule(name=who)
    def forfeit(self, name: str) -> None:
        now = self.now()
        self.both(name, say.Forfeit(), self.model.forfeit(name, now) if name in self.inside else None)

    @rule(name=who)
    def say(self, name: str) -> None:
        self.now()
        expected = self.model.say().replace("said", "done") if name in self.inside else None
        self.both(name, say.Say(text="hello"), expected)

    @rule(name=who)
    def replay(self, name: str) -> None:
        self.now()
        self.both(name, say.Replay(room=self.room), self.model.replay())

    @rule(name=who)
    def rematch(self, name: str) -> None:
        self.now()
        if self.model.phase != "over":
            self.both(name, say.Rematch(), "race.not_over" if name in self.inside else None)

    @rule(name=who)
    def a_line_breaks(self, name: str) -> None:
        now = self.now()
        if name in self.inside:
            self.inside.discard(name)
            self.model.breaks(name, now)

        async def broken() -> None:
            self.guests[name].visitor.gone()
            await settled()
            await self._arrives(name)

        self.run(broken())

    @rule(name=who)
    def a_newer_connection_takes_over(self, name: str) -> None:
        now = self.now()
        older = self.guests[name]
        self.run(self._arrives(name))
        assert older.closed == [4001]
        if name in self.inside:
            self.inside.discard(name)
            self.model.breaks(name, now)

    @rule(seconds=st.sampled_from([0.001, 1, 5, 31, 59.999, 60, 61, 4000]))
    def time_goes_by(self, seconds: float) -> None:
        self.clock.ms += round(seconds * 1000)

    @rule()
    def the_server_restarts(self) -> None:
        """As after a crash: nobody is told, and nothing is written."""
        now = self.now()
        for name in self.inside:
            self.model.breaks(name, now)
        self.inside = set()
        old = self.house

        async def again() -> None:
            await old.close()
            await self._house()
            await self.house.rooms.find(self.room)
            await settled()

        self.run(again())

    @invariant()
    def the_house_and_the_model_agree(self) -> None:
        if not hasattr(self, "room"):
            return
        self.now()
        assert not self.faults, self.faults
        live = self.run(self.house.rooms.find(self.room))
        state = live.now()
        names = {seat.player: seat.name for seat in state.seats.values()}
        entrants = [views.entrant(state, seat) for seat in state.seats.values()]
        seen = {
            "phase": state.phase,
            "host": names.get(state.host, self.model.host),
            "entrants": {
                one.name: (one.role, one.status, one.away, one.moves, one.home, one.elapsed_ms) for one in entrants
            },
            "places": {one.name: one.place for one in entrants if one.role == "racer"} if state.phase == "over" else {},
        }
        assert seen == self.model.seen()

    def teardown(self) -> None:
        if hasattr(self, "house"):
            self.run(self.house.close())
        self.loop.close()


TestRooms = Rooms.TestCase
TestRooms.settings = settings(max_examples=60, stateful_step_count=40, deadline=None, report_multiple_bugs=False)


def test_a_step_out_of_turn_at_the_very_start_is_answered_with_the_first_board() -> None:
    """The instant of the start has come, and is not in the log yet."""
    rooms = Rooms()
    rooms.open(role="racer", capacity=1, countdown_s=5, start="host", tail_s=0, undo=0, chat=False)
    rooms.the_host_starts()
    rooms.time_goes_by(seconds=5)
    for step in (0, 2, 1):
        rooms.play(name="Ann", step=step, what="on")
        rooms.the_house_and_the_model_agree()
    rooms.teardown()


def test_once_the_end_has_passed_nobody_is_told_another_reason_also_before_it_is_noted() -> None:
    rooms = Rooms()
    rooms.open(role="watcher", capacity=1, countdown_s=0, start="all_ready", tail_s=0, undo=0, chat=False)
    rooms.join(name="Bob", role="racer")
    rooms.everyone_gets_ready()
    rooms.time_goes_by(seconds=61)
    for name in ("Ann", "Bob"):
        rooms.play(name=name, step=1, what="on")
    rooms.teardown()
