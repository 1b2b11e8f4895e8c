"""What holds for every room, whatever happens in it: anything, by anyone, on any connection, at any time."""

from dataclasses import dataclass
from functools import cache
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stampede.patience.cards import DECK
from stampede.patience.game import Game, play, start_code
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol.codec import JSON
from stampede.protocol.commands import Settings
from stampede.protocol.events import Board, Result
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.phases import advance
from stampede.server.race.room import Folded, fold, opened
from stampede.server.race.standings import ranked
from stampede.server.race.state import RoomState

from .story import BEGINNING, lines

PLAYERS = ("ann", "bob", "cid")
CODES = {
    variant: next((code for code in lines() if code.startswith(variant)), f"{variant}-AAAAAAG") for variant in CATALOGUE
}
_EVERYTHING = tuple(facts.ACTIONS)


@dataclass(frozen=True)
class Event:
    """Something that someone tries; what fact it is depends on the room as it is then."""

    after_ms: int
    what: str
    who: str
    connection: int
    choice: int


WHATS = (
    ["plays on"] * 8
    + ["plays a lot"] * 3
    + ["plays anything", "undoes", "repeats", "runs ahead", "enters", "watches", "leaves", "breaks"]
    + ["gets ready"] * 3
    + ["takes ready back", "starts", "forfeits", "says", "rematches", "time"]
)

events = st.builds(
    Event,
    after_ms=st.sampled_from((0, 0, 0, 1, 500, 1000, 5000, 59_999, 60_000, 60_001)),
    what=st.sampled_from(WHATS),
    who=st.sampled_from(PLAYERS),
    connection=st.sampled_from((1, 1, 1, 1, 1, 2)),
    choice=st.integers(0, 10_000),
)

chosen = st.builds(
    Settings,
    undo=st.sampled_from((0, 1, 100)),
    capacity=st.integers(1, 3),
    countdown_s=st.sampled_from((0, 0, 1)),
    start=st.sampled_from(("host", "all_ready")),
    limit_s=st.sampled_from((60, 3600)),
    tail_s=st.sampled_from((0, 1, 300)),
    chat=st.booleans(),
)

rooms = st.builds(
    lambda variant, role, settings: facts.Opened("ann", "ann/1", "Ann", "human", role, CODES[variant], settings),
    st.sampled_from(tuple(CATALOGUE)),
    st.sampled_from(("racer", "racer", "racer", "watcher")),
    chosen,
)

begun = [Event(0, "starts", "ann", 1, 0), Event(1000, "time", "ann", 1, 0)]
neck_and_neck = [*begun, *(Event(0, "plays a lot", who, 1, 0) for who in PLAYERS)]
alone = [Event(0, "leaves", who, 1, 0) for who in ("cid", "bob")]
happenings = st.builds(
    lambda start, rest: [*start, *rest],
    st.sampled_from((begun, begun, neck_and_neck, alone, [])),
    st.lists(events, max_size=60),
)

everything = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@cache
def tables(code: str) -> list[Table]:
    """The tables along the line that wins a deal."""
    games = [start_code(parse_code(code))]
    for action in lines()[code]:
        after = play(games[-1], facts.ACTIONS[action])
        assert isinstance(after, Game)
        games.append(after)
    return [game.table for game in games]


def facts_of(event: Event, state: RoomState) -> list[RoomFact]:
    """What the event comes to in this room; a winning line is played where there is one."""
    who, connection = event.who, f"{event.who}/{event.connection}"
    seat = state.seats.get(who)
    n = seat.n if seat else 0
    line = lines().get(state.code, [])
    game = seat.game if seat else None

    def on(count: int) -> list[RoomFact]:
        if n < len(line) and game and game.table == tables(state.code)[n]:
            return [facts.Acted(who, connection, n + 1 + at, action) for at, action in enumerate(line[n : n + count])]
        return [facts.Acted(who, connection, n + 1, _EVERYTHING[event.choice % len(_EVERYTHING)])]

    match event.what:
        case "plays on":
            return on(1)
        case "plays a lot":
            return on(len(line) - n - event.choice % 2)  # to the end, or just before it
        case "plays anything":
            return [facts.Acted(who, connection, n + 1, _EVERYTHING[event.choice % len(_EVERYTHING)])]
        case "undoes":
            return [facts.Acted(who, connection, n + 1, "undo")]
        case "repeats":
            return [facts.Acted(who, connection, n, line[n - 1] if line and n <= len(line) else "draw")]
        case "runs ahead":
            return [facts.Acted(who, connection, n + 2 + event.choice % 3, "draw")]
        case "enters":
            return [facts.Entered(who, connection, who.capitalize(), "human", "racer")]
        case "watches":
            return [facts.Entered(who, connection, who.capitalize(), "human", "watcher")]
        case "leaves":
            return [facts.Left(who, connection)]
        case "breaks":
            return [facts.Broke(who, connection)]
        case "gets ready":
            return [facts.Readied(who, connection, True)]
        case "takes ready back":
            return [facts.Readied(who, connection, False)]
        case "starts":
            return [facts.Started(who, connection)]
        case "forfeits":
            return [facts.Forfeited(who, connection)]
        case "says":
            return [facts.Said(who, connection, "hello")]
        case "rematches":
            return [facts.Rematched(who, connection, f"r{event.choice}")]
        case _:
            return [facts.TimePassed()]


@dataclass(frozen=True)
class Step:
    """One fact, with the room before it and after."""

    time_ms: int
    fact: RoomFact
    before: RoomState
    folded: Folded


def run(first: facts.Opened, happening: list[Event]) -> list[Step]:
    """Let it happen; racers are there from the beginning, so that there is something to happen to."""
    time_ms = BEGINNING
    state = opened("r1", first, time_ms)
    steps: list[Step] = []
    arrivals = [Event(0, "enters", who, 1, 0) for who in PLAYERS[1:]]
    for event in [*arrivals, *happening]:
        time_ms += event.after_ms
        for fact in facts_of(event, advance(state, time_ms)):
            folded = fold(state, fact, time_ms)
            steps.append(Step(time_ms, fact, state, folded))
            state = folded.state
    return steps


@cache
def deal(code: str, undo: int) -> Game:
    return start_code(parse_code(code), undo)


@everything
@given(rooms, happenings)
def test_a_room_is_sound_whatever_happens(first: facts.Opened, happening: list[Event]) -> None:
    for step in run(first, happening):
        after = step.folded.state
        racers = after.racers
        assert len(racers) <= after.settings.capacity or first.role == "watcher"
        assert after.phase == "cancelled" or after.phase == "over" or after.seats
        assert (after.starts_at_ms is None) is (after.phase in ("lobby", "cancelled"))
        assert (after.ends_at_ms is None) is (after.phase in ("lobby", "countdown", "cancelled"))
        assert after.due_ms is None or after.due_ms > step.time_ms
        if after.ended:
            assert after.due_ms is None or any(seat.role == "watcher" for seat in after.seats.values())
        for seat in after.seats.values():
            assert (seat.game is not None) is (seat.role == "racer" and after.phase not in ("lobby", "countdown"))
            assert seat.elapsed_ms >= seat.home_at_ms >= 0
            if seat.game is not None:
                table = seat.game.table
                piles = [card for column in table.columns for card in column] + [*table.stock, *table.waste]
                home = [card for card in DECK if card not in piles]
                assert len(piles) == len(set(piles))
                assert len(home) == seat.home
                assert seat.game.won is (seat.status == "finished")
                assert after.phase != "racing" or seat.status != "finished"
                assert after.ends_at_ms is None or seat.elapsed_ms <= after.ends_at_ms - (after.starts_at_ms or 0)
            if after.phase in ("racing", "closing"):
                assert seat.status in ("racing", "finished", "forfeited", "watching")
            if after.ended:
                assert seat.status in ("finished", "timed_out", "forfeited", "never_played", "watching")


@everything
@given(rooms, happenings)
def test_a_refused_fact_changes_nothing_but_what_time_does(first: facts.Opened, happening: list[Event]) -> None:
    for step in run(first, happening):
        if step.folded.verdict is not None:
            assert step.folded.state == advance(step.before, step.time_ms)


@everything
@given(rooms, happenings, st.integers(0, 200))
def test_a_log_folded_in_two_halves_or_read_again_comes_to_the_same(
    first: facts.Opened, happening: list[Event], cut: int
) -> None:
    steps = run(first, happening)
    state = opened("r1", first, BEGINNING)
    for at, step in enumerate(steps):
        stored = facts.decode(facts.encode(step.fact))
        if at == cut:
            state = advance(state, step.time_ms)  # a node that woke up, looked at the clock, and went on from there
        state = fold(state, stored, step.time_ms).state
    assert not steps or state == steps[-1].folded.state


@everything
@given(rooms, happenings, st.lists(st.integers(0, 100), max_size=10))
def test_noting_the_time_as_often_as_one_likes_changes_nothing(
    first: facts.Opened, happening: list[Event], noted: list[int]
) -> None:
    steps = run(first, happening)
    state = opened("r1", first, BEGINNING)
    for at, step in enumerate(steps):
        for _ in range(noted.count(at)):
            state = fold(state, facts.TimePassed(), step.time_ms).state
        state = fold(state, step.fact, step.time_ms).state
    assert not steps or state == steps[-1].folded.state


@everything
@given(rooms, happenings)
def test_there_is_at_most_one_result_and_it_stands(first: facts.Opened, happening: list[Event]) -> None:
    results: list[Result] = []
    ended: RoomState | None = None
    for step in run(first, happening):
        accepted = None if step.folded.verdict else step.fact
        news = views.news(step.before, step.folded.state, accepted, step.time_ms)
        results += [event for _, event in news if isinstance(event, Result)]
        if step.before.phase == "over":
            ended = ended or step.before
            assert views.result(step.folded.state) == views.result(ended)
            assert step.folded.state.ends_at_ms == ended.ends_at_ms
    assert len(results) <= 1
    for result in results:
        places = [row.place for row in result.standings]
        assert places == sorted(places)
        assert all(place == 1 + places.index(place) for place in places)
        finished = [row for row in result.standings if row.status == "finished"]
        best = min((row.elapsed_ms for row in finished), default=None)
        assert result.winner == [row.player for row in finished if row.elapsed_ms == best]


@everything
@given(rooms, happenings)
def test_every_accepted_action_is_the_next_one_of_its_own_game(first: facts.Opened, happening: list[Event]) -> None:
    games: dict[str, Game] = {}
    counts: dict[str, int] = {}
    for step in run(first, happening):
        fact = step.fact
        if isinstance(fact, facts.Acted) and step.folded.verdict is None:
            before = games.get(fact.player, deal(first.code, first.settings.undo))
            after = play(before, facts.ACTIONS[fact.action])
            assert isinstance(after, Game)
            games[fact.player] = after
            counts[fact.player] = counts.get(fact.player, 0) + 1
            seat = step.folded.state.seats[fact.player]
            assert (seat.n, seat.game) == (counts[fact.player], after)
            assert seat.connection == fact.connection
            counted = {player: seat.n for player, seat in step.folded.state.seats.items() if seat.n}
            assert counted == counts


@everything
@given(rooms, happenings)
def test_nobody_is_told_of_more_than_their_own_cards(first: facts.Opened, happening: list[Event]) -> None:
    for step in run(first, happening):
        accepted = None if step.folded.verdict else step.fact
        for audience, event in views.news(step.before, step.folded.state, accepted, step.time_ms):
            if isinstance(event, Board):
                assert step.folded.state.seats[audience].role == "racer"
                continue
            text = JSON.encode(event)
            assert not [card for card in DECK if f'"{card}"'.encode() in text]


def test_among_all_this_races_are_won_lost_drawn_and_cancelled() -> None:
    """The properties above would hold of rooms in which nothing happens; in such ones all of it does."""
    chance = Random(7)
    phases: set[str] = set()
    statuses: set[str] = set()
    heats: set[bool] = set()
    for _ in range(300):
        code = CODES[chance.choice(tuple(CATALOGUE))]
        limit_s, tail_s = chance.choice((60, 3600)), chance.choice((0, 1, 300))
        chosen = Settings(
            capacity=chance.randint(1, 3), countdown_s=chance.randint(0, 1), limit_s=limit_s, tail_s=tail_s
        )
        happening = [*chance.choice((begun, neck_and_neck, alone, [])), *(some_event(chance) for _ in range(30))]
        for step in run(facts.Opened("ann", "ann/1", "Ann", "human", "racer", code, chosen), happening):
            after = step.folded.state
            phases.add(after.phase)
            statuses.update(seat.status for seat in after.seats.values())
            heats.add(sum(place == 1 and seat.status == "finished" for place, seat in ranked(after)) > 1)
    assert phases == {"lobby", "countdown", "racing", "closing", "over", "cancelled"}
    assert statuses >= {"waiting", "ready", "racing", "finished", "timed_out", "forfeited", "never_played", "watching"}
    assert heats == {True, False}


def some_event(chance: Random) -> Event:
    pause = chance.choice((0, 0, 0, 1, 500, 5000, 60_000))
    return Event(
        pause, chance.choice(WHATS), chance.choice(PLAYERS), chance.choice((1, 1, 1, 2)), chance.randrange(10_000)
    )
