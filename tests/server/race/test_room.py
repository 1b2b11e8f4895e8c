"""A room: which facts take effect, what each changes, and what the others come to instead."""

import pytest

from stampede.server.race import facts
from stampede.server.race.state import Seat

from .story import BEGINNING, CODE, Story, lines, racing

# Opening


def test_who_opens_a_room_is_its_host_and_its_first_racer() -> None:
    room = Story().room
    assert (room.phase, room.host, room.code, room.variant) == ("lobby", "ann", CODE, "YU1-C")
    assert room.seats == {"ann": Seat("ann", "Ann", "human", "racer", "waiting", "ann/1")}
    assert (room.opened_at_ms, room.starts_at_ms, room.ends_at_ms) == (BEGINNING, None, None)


def test_a_host_may_just_watch() -> None:
    assert Story(role="watcher").statuses() == {"ann": "watching"}


def test_a_room_is_opened_once() -> None:
    story = Story()
    before = story.room
    story.tell(story.log[0][1])
    assert story.verdict is not None
    assert story.room == before


# Coming


def test_others_take_seats_in_the_order_they_come() -> None:
    story = Story("bob", "cid")
    assert story.enters("dora", "watcher") is None
    assert story.statuses() == {"ann": "waiting", "bob": "waiting", "cid": "waiting", "dora": "watching"}


def test_a_room_is_full_when_all_racers_places_are_taken() -> None:
    story = Story("bob", capacity=2)
    assert story.enters("cid") == "room.full"
    assert story.verdict is not None
    assert story.verdict.data == {"limit": 2}
    assert "cid" not in story.room.seats


def test_a_watcher_takes_no_racers_place() -> None:
    story = Story(capacity=2)
    assert story.enters("dora", "watcher") is None
    assert story.enters("bob") is None
    assert story.enters("eve", "watcher") is None


def test_a_place_that_is_left_can_be_taken() -> None:
    story = Story("bob", capacity=2)
    story.leaves("bob")
    assert story.enters("cid") is None


@pytest.mark.parametrize("name", ["Bob", "BOB", "bob", "Ｂｏｂ"])
def test_two_in_a_room_cannot_have_names_alike(name: str) -> None:
    story = Story("bob")
    assert story.enters("rob", name=name) == "room.name_taken"
    assert story.enters("rob", "watcher", name=name) == "room.name_taken"
    assert story.verdict is not None
    assert story.verdict.data == {"name": name}


def test_a_name_is_free_again_once_its_owner_has_left() -> None:
    story = Story("bob")
    story.leaves("bob")
    assert story.enters("rob", name="Bob") is None


def test_bots_are_let_in_unless_the_host_said_otherwise() -> None:
    assert Story().enters("bot", kind="bot") is None
    closed = Story(bots=False)
    assert closed.enters("bot", kind="bot") == "room.bots_not_allowed"
    assert closed.enters("bot", "watcher", kind="bot") is None


def test_nobody_joins_a_race_that_has_begun_but_all_may_watch() -> None:
    for story in (Story("bob", countdown_s=5), Story("bob")):
        story.ready("ann", "bob")
        assert story.room.phase in ("countdown", "racing")
        assert story.enters("cid") == "room.started"
        assert story.enters("cid", "watcher") is None


def test_a_race_that_is_over_can_be_visited() -> None:
    story = racing()
    story.wins("ann")
    assert story.room.phase == "over"
    assert story.enters("cid") == "room.started"
    assert story.enters("cid", "watcher") is None


def test_a_cancelled_room_is_there_no_more() -> None:
    story = Story()
    story.leaves("ann")
    assert story.room.phase == "cancelled"
    assert story.enters("bob") == "room.unknown"
    assert story.enters("ann") == "room.unknown"


# Coming back


def test_a_broken_connection_leaves_the_seat_where_it_was() -> None:
    story = Story("bob").wait(1)
    story.breaks("bob")
    bob = story.seat("bob")
    assert (bob.status, bob.away, bob.away_since) == ("waiting", True, BEGINNING + 1000)
    story.enters("bob")
    assert list(story.room.seats) == ["ann", "bob"]
    assert not story.seat("bob").away


def test_a_seat_is_given_back_whatever_role_and_name_are_asked_for() -> None:
    story = racing("bob")
    story.plays("bob", "QD 1")
    for role in ("racer", "watcher"):
        story.breaks("bob")
        assert story.enters("bob", role, kind="bot", name="Ann") is None
        bob = story.seat("bob")
        assert (bob.name, bob.kind, bob.role, bob.status, bob.n) == ("Bob", "human", "racer", "racing", 1)


@pytest.mark.parametrize("phase", ["lobby", "countdown", "racing", "closing", "over"])
def test_a_seat_is_given_back_in_every_phase(phase: str) -> None:
    story = Story("bob", capacity=2, countdown_s=5)
    if phase != "lobby":
        story.ready("ann", "bob")
    if phase in ("racing", "closing", "over"):
        story.wait(5).strike()
    if phase in ("closing", "over"):
        story.wins("ann")
    if phase == "over":
        story.wins("bob")
    assert story.room.phase == phase
    before = story.seat("bob")
    story.breaks("bob")
    story.enters("bob")
    after = story.seat("bob")
    assert (after.status, after.role, after.n, after.away) == (before.status, before.role, before.n, False)


def test_a_newer_connection_takes_over() -> None:
    story = racing("bob")
    story.enters("bob")
    assert story.plays("bob", "QD 1", on="bob/1") == "room.not_in_one"
    assert story.seat("bob").n == 0
    assert story.plays("bob", "QD 1") is None


@pytest.mark.parametrize(
    "fact",
    [
        facts.Left("bob", "bob/1"),
        facts.Readied("bob", "bob/1", True),
        facts.Forfeited("bob", "bob/1"),
        facts.Said("bob", "bob/1", "hello"),
        facts.Acted("bob", "bob/1", 1, "QD 1"),
        facts.Started("bob", "bob/1"),
        facts.Rematched("bob", "bob/1", "r2"),
    ],
    ids=lambda fact: type(fact).__name__,
)
@pytest.mark.parametrize("begun", [False, True])
def test_nothing_that_a_replaced_connection_says_takes_effect(fact: facts.RoomFact, begun: bool) -> None:
    story = racing("bob") if begun else Story("bob")
    story.enters("bob")
    before = story.room
    assert story.tell(fact) == "room.not_in_one"
    assert story.room == before


def test_a_replaced_connection_that_breaks_takes_nobody_away() -> None:
    story = Story("bob")
    story.enters("bob")
    assert story.tell(facts.Broke("bob", "bob/1")) is None
    assert not story.seat("bob").away
    assert story.news == []


def test_a_stranger_can_do_nothing() -> None:
    story = racing("bob")
    before = story.room
    for fact in (
        facts.Left("eve", "eve/1"),
        facts.Forfeited("eve", "eve/1"),
        facts.Said("eve", "eve/1", "hello"),
        facts.Acted("eve", "eve/1", 1, "QD 1"),
    ):
        assert story.tell(fact) == "room.not_in_one"
    assert story.tell(facts.Broke("eve", "eve/1")) is None
    assert story.room == before


def test_a_connection_of_someone_else_does_not_open_a_seat() -> None:
    story = racing("bob")
    assert story.tell(facts.Acted("bob", "ann/1", 1, "QD 1")) == "room.not_in_one"
    assert story.tell(facts.Forfeited("bob", "")) == "room.not_in_one"


# Getting ready


def test_a_countdown_begins_once_all_of_at_least_two_are_ready() -> None:
    story = Story("bob", "cid", countdown_s=5)
    story.ready("ann", "bob")
    assert story.room.phase == "lobby"
    story.wait(1).ready("cid")
    assert story.room.phase == "countdown"
    assert story.room.starts_at_ms == BEGINNING + 6000


def test_one_alone_waits_for_company() -> None:
    story = Story()
    story.ready("ann")
    assert story.room.phase == "lobby"
    story.enters("bob")
    assert story.room.phase == "lobby"
    story.ready("bob")
    assert story.room.phase == "racing"


def test_one_alone_races_the_clock_where_there_is_place_for_one() -> None:
    story = Story(capacity=1)
    story.ready("ann")
    assert story.room.phase == "racing"


def test_watchers_need_not_be_ready() -> None:
    story = Story("bob")
    story.enters("dora", "watcher")
    assert story.ready("dora") == "race.not_racing"
    story.ready("ann", "bob")
    assert story.room.phase == "racing"


def test_when_the_host_starts_nobody_elses_readiness_does() -> None:
    story = Story("bob", start="host")
    story.ready("ann", "bob")
    assert story.room.phase == "lobby"
    assert story.starts("ann") is None
    assert story.room.phase == "racing"


def test_ready_can_be_taken_back_in_the_lobby() -> None:
    story = Story("bob")
    story.ready("ann")
    story.unready("ann")
    story.ready("bob")
    assert story.room.phase == "lobby"


def test_ready_taken_back_stops_a_countdown() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann", "bob")
    assert story.unready("bob") is None
    assert (story.room.phase, story.room.starts_at_ms) == ("lobby", None)
    assert story.room.reason == "Bob is not ready any more"
    story.wait(10).strike()
    assert story.room.phase == "lobby"
    story.ready("bob")
    assert (story.room.phase, story.room.starts_at_ms) == ("countdown", BEGINNING + 15_000)
    assert story.room.reason == ""


def test_who_was_never_ready_takes_nothing_back() -> None:
    story = Story("bob", countdown_s=5, start="host")
    story.starts("ann")
    story.unready("bob")
    assert story.room.phase == "countdown"


def test_ready_said_twice_changes_nothing() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann", "bob")
    starts_at = story.room.starts_at_ms
    story.wait(1).ready("bob")
    assert (story.room.phase, story.room.starts_at_ms) == ("countdown", starts_at)


def test_getting_ready_is_too_late_once_the_race_has_begun() -> None:
    story = racing("bob", tail_s=60)
    assert story.ready("ann") == "room.started"
    story.wins("ann")
    assert story.ready("bob") == "room.started"
    story.forfeits("bob")
    assert story.ready("bob") == "race.over"


# The host


def test_the_host_starts_for_all_racers_who_are_there() -> None:
    story = Story("bob", countdown_s=3)
    assert story.starts("ann") is None
    assert (story.room.phase, story.room.starts_at_ms) == ("countdown", BEGINNING + 3000)


def test_only_the_host_starts() -> None:
    story = Story("bob")
    assert story.starts("bob") == "room.not_host"
    assert story.verdict is not None
    assert "Ann" in story.verdict.text


def test_a_race_starts_once() -> None:
    story = Story("bob", countdown_s=3)
    story.starts("ann")
    assert story.starts("ann") == "room.started"
    story.wait(3)
    assert story.starts("ann") == "room.started"


def test_a_race_that_is_over_does_not_start_again() -> None:
    story = racing()
    story.forfeits("ann")
    assert story.starts("ann") == "race.over"


def test_a_room_without_racers_cannot_start() -> None:
    story = Story(role="watcher")
    assert story.starts("ann") == "room.empty"
    story.enters("bob")
    assert story.starts("ann") is None


def test_the_host_passes_to_who_has_been_there_longest() -> None:
    story = Story("bob", "cid")
    story.leaves("ann")
    assert story.room.host == "bob"


def test_the_host_passes_over_those_who_are_away() -> None:
    story = Story("bob", "cid")
    story.breaks("bob")
    story.leaves("ann")
    assert story.room.host == "cid"


def test_the_host_passes_to_someone_away_if_all_are() -> None:
    story = Story("bob")
    story.breaks("bob")
    story.leaves("ann")
    assert (story.room.phase, story.room.host) == ("lobby", "bob")


def test_the_host_may_be_a_watcher_then() -> None:
    story = Story()
    story.enters("dora", "watcher")
    story.leaves("ann")
    assert story.room.host == "dora"
    assert story.starts("dora") == "room.empty"


def test_the_host_passes_too_when_the_host_leaves_the_race_and_does_not_come_back_with_them() -> None:
    story = racing("bob", "cid")
    story.breaks("bob")
    story.leaves("ann")
    assert story.room.host == "cid"
    story.enters("ann")
    assert story.room.host == "cid"


def test_the_host_passes_when_the_host_has_given_up_before_or_when_the_race_is_over() -> None:
    for others in (("bob", "cid"), ("bob",)):
        story = racing(*others)
        story.forfeits("ann")
        for other in others[1:]:
            story.forfeits(other)
        story.leaves("ann")
        assert story.room.host == "bob"


def test_a_host_who_leaves_a_race_where_nobody_is_present_stays_host() -> None:
    story = racing("bob")
    story.breaks("bob")
    story.leaves("ann")
    assert story.room.host == "ann"


def test_a_host_whose_line_breaks_in_a_race_stays_host() -> None:
    story = racing("bob")
    story.breaks("ann")
    assert story.room.host == "ann"


# Leaving the lobby


def test_who_leaves_a_lobby_is_gone() -> None:
    story = Story("bob")
    assert story.leaves("bob") is None
    assert list(story.room.seats) == ["ann"]
    assert story.leaves("bob") == "room.not_in_one"


def test_a_room_that_everyone_has_left_is_cancelled() -> None:
    story = Story("bob")
    story.leaves("ann")
    story.leaves("bob")
    assert (story.room.phase, story.room.seats) == ("cancelled", {})
    assert story.room.reason == "everyone has left"
    assert story.room.due_ms is None


def test_the_last_one_who_was_not_ready_may_leave_the_others_to_it() -> None:
    story = Story("bob", "cid")
    story.ready("ann", "bob")
    story.leaves("cid")
    assert story.room.phase == "racing"


def test_a_countdown_stops_when_fewer_than_two_are_left() -> None:
    story = Story("bob", "cid", countdown_s=5)
    story.ready("ann", "bob", "cid")
    story.leaves("cid")
    assert story.room.phase == "countdown"
    story.leaves("bob")
    assert (story.room.phase, story.room.starts_at_ms) == ("lobby", None)
    assert story.room.reason == "too few racers are left"
    story.wait(10).strike()
    assert story.room.phase == "lobby"


def test_a_watcher_who_leaves_stops_nothing() -> None:
    story = Story(countdown_s=5)
    story.enters("dora", "watcher")
    story.starts("ann")
    story.leaves("dora")
    assert story.room.phase == "countdown"


def test_a_countdown_that_all_have_left_is_cancelled() -> None:
    story = Story(countdown_s=5, capacity=1)
    story.ready("ann")
    assert story.room.phase == "countdown"
    story.leaves("ann")
    assert (story.room.phase, story.room.starts_at_ms) == ("cancelled", None)
    story.wait(10).strike()
    assert story.room.phase == "cancelled"


def test_a_countdown_without_its_only_racer_goes_back_to_the_lobby() -> None:
    story = Story(countdown_s=5, capacity=1)
    story.enters("dora", "watcher")
    story.ready("ann")
    story.leaves("ann")
    assert (story.room.phase, story.room.host) == ("lobby", "dora")


# Playing


def test_an_action_before_the_start_is_too_early() -> None:
    story = Story("bob", countdown_s=5)
    assert story.plays("ann", "QD 1") == "race.not_started"
    story.ready("ann", "bob")
    story.wait(4.999)
    assert story.plays("ann", "QD 1") == "race.not_started"
    story.wait(0.001)
    assert story.plays("ann", "QD 1") is None
    assert story.seat("ann").elapsed_ms == 0


def test_an_action_moves_cards_and_counts() -> None:
    story = racing("bob").wait(2)
    assert story.plays("ann", "QD 1") is None
    ann = story.seat("ann")
    assert ann.game is not None
    assert (ann.n, ann.game.moves, ann.elapsed_ms, ann.home_at_ms) == (1, 1, 2000, 0)
    assert story.seat("bob").n == 0
    story.wait(1)
    assert story.plays("ann", "AS home") is None
    ann = story.seat("ann")
    assert (ann.n, ann.home, ann.elapsed_ms, ann.home_at_ms) == (2, 1, 3000, 3000)


def test_a_refused_action_changes_nothing() -> None:
    story = racing("bob")
    story.plays("ann", "QD 1")
    before = story.room
    assert story.plays("ann", "QD 1") == "move.same_place"
    assert story.plays("ann", "draw") == "draw.no_stock"
    assert story.room is before


def test_an_undo_counts_as_an_action_but_not_as_a_move() -> None:
    story = racing("bob")
    story.plays("ann", "QD 1")
    assert story.plays("ann", "undo") is None
    ann = story.seat("ann")
    assert ann.game is not None
    assert (ann.n, ann.game.moves) == (2, 1)


def test_bringing_a_card_back_counts_as_reaching_the_lower_number_then() -> None:
    story = racing("bob")
    story.plays("ann", "QD 1")
    story.wait(1).plays("ann", "AS home")
    story.wait(1).plays("ann", "undo")
    assert (story.seat("ann").home, story.seat("ann").home_at_ms) == (0, 2000)


@pytest.mark.parametrize(("limit", "undos"), [(0, 0), (1, 1), (3, 3), (100, 5)])
def test_a_race_sets_how_much_can_be_undone(limit: int, undos: int) -> None:
    story = racing("bob", undo=limit)
    for action in lines()[CODE][:5]:
        story.plays("ann", action)
    outcomes = [story.plays("ann", "undo") for _ in range(6)]
    assert outcomes == [None] * undos + ["undo.nothing"] * (6 - undos)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_number_already_used_is_out_of_step_and_changes_nothing(n: int) -> None:
    story = racing("bob")
    story.plays("ann", "QD 1")
    story.plays("ann", "AS home")
    before = story.room
    assert story.plays("ann", "TD 7", n) == "race.out_of_step"
    assert story.room is before


@pytest.mark.parametrize("n", [2, 3, 2**53 - 1])
def test_a_number_too_far_ahead_is_out_of_step_whatever_the_action(n: int) -> None:
    story = racing("bob")
    assert story.plays("ann", "QD 1", n) == "race.out_of_step"
    assert story.plays("ann", "KS home", n) == "race.out_of_step"
    assert story.verdict is not None
    assert story.verdict.data == {"n": 1}
    assert story.seat("ann").n == 0


def test_a_watcher_does_not_play() -> None:
    story = racing("bob")
    story.enters("dora", "watcher")
    assert story.plays("dora", "QD 1") == "race.not_racing"


# Giving up


def test_who_forfeits_stays_and_watches() -> None:
    story = racing("bob", "cid")
    story.plays("ann", "QD 1")
    assert story.forfeits("ann") is None
    ann = story.seat("ann")
    assert (ann.status, ann.away, ann.n) == ("forfeited", False, 1)
    assert story.plays("ann", "AS home") == "race.not_racing"
    assert story.forfeits("ann") == "race.not_racing"
    assert story.room.phase == "racing"


def test_who_leaves_a_race_forfeits() -> None:
    story = racing("bob", "cid")
    story.leaves("bob")
    assert (story.seat("bob").status, story.seat("bob").away) == ("forfeited", True)
    assert story.enters("bob") is None
    assert story.plays("bob", "QD 1") == "race.not_racing"


def test_when_everyone_forfeits_the_race_is_over() -> None:
    story = racing("bob").wait(7)
    story.forfeits("ann")
    story.leaves("bob")
    assert (story.room.phase, story.room.ends_at_ms) == ("over", BEGINNING + 7000)
    assert story.statuses() == {"ann": "forfeited", "bob": "forfeited"}


def test_before_the_race_there_is_nothing_to_forfeit() -> None:
    assert Story("bob").forfeits("ann") == "race.not_started"


def test_a_watcher_has_nothing_to_forfeit() -> None:
    story = racing("bob")
    story.enters("dora", "watcher")
    assert story.forfeits("dora") == "race.not_racing"


def test_who_has_finished_has_nothing_to_forfeit() -> None:
    story = racing("bob")
    story.wins("ann")
    assert story.forfeits("ann") == "race.not_racing"
    assert story.seat("ann").status == "finished"


def test_a_forfeit_cannot_be_taken_back_by_going_and_coming() -> None:
    story = racing("bob", "cid")
    story.forfeits("ann")
    story.breaks("ann")
    story.enters("ann")
    assert story.seat("ann").status == "forfeited"


# Finishing


def test_the_52nd_card_home_finishes_and_begins_the_tail() -> None:
    story = racing("bob", tail_s=60)
    story.plays_all_but("ann", 1)
    story.wait(100)
    assert story.plays("ann", lines()[CODE][-1]) is None
    ann = story.seat("ann")
    assert (ann.status, ann.home, ann.elapsed_ms) == ("finished", 52, 100_000)
    assert (story.room.phase, story.room.ends_at_ms) == ("closing", BEGINNING + 160_000)
    assert story.seat("bob").status == "racing"


def test_who_has_finished_plays_no_more() -> None:
    story = racing("bob")
    story.wins("ann")
    for action in ("undo", "draw", "KS 1"):
        assert story.plays("ann", action) == "game.over"
    assert story.plays("ann", "undo", story.seat("ann").n + 5) == "game.over"


def test_a_winning_action_said_again_is_out_of_step_even_when_all_is_over() -> None:
    story = racing()
    story.wins("ann")
    assert story.plays("ann", lines()[CODE][-1], story.seat("ann").n) == "race.out_of_step"
    assert story.room.phase == "over"


def test_the_last_racer_to_finish_ends_the_race() -> None:
    story = racing("bob", tail_s=60)
    story.wins("ann")
    story.wait(30).wins("bob")
    assert (story.room.phase, story.room.ends_at_ms) == ("over", BEGINNING + 30_000)
    assert story.statuses() == {"ann": "finished", "bob": "finished"}


def test_the_last_racer_to_give_up_ends_the_race() -> None:
    story = racing("bob", tail_s=60)
    story.wins("ann")
    story.forfeits("bob")
    assert story.room.phase == "over"


def test_a_second_finish_does_not_lengthen_the_tail() -> None:
    story = racing("bob", "cid", tail_s=60)
    story.wins("ann")
    story.wait(10).wins("bob")
    assert (story.room.phase, story.room.ends_at_ms) == ("closing", BEGINNING + 60_000)


def test_the_tail_ends_with_the_limit_at_the_latest() -> None:
    story = racing("bob", tail_s=300, limit_s=100)
    story.wait(90).wins("ann")
    assert story.room.ends_at_ms == BEGINNING + 100_000


def test_after_the_tail_it_is_over_and_an_action_is_too_late() -> None:
    story = racing("bob", tail_s=60)
    story.wins("ann")
    story.plays("bob", "QD 1")
    story.wait(60)
    assert story.plays("bob", "AS home") is None
    story.wait(0.001)
    assert story.plays("bob", "TD 7") == "race.over"
    assert story.room.phase == "over"
    assert story.statuses() == {"ann": "finished", "bob": "timed_out"}


def test_without_a_tail_the_same_instant_is_still_a_dead_heat() -> None:
    story = racing("bob", "cid", tail_s=0)
    story.plays_all_but("bob", 1)
    story.plays_all_but("cid", 1)
    story.wait(50).wins("ann")
    assert story.room.phase == "closing"
    story.wins("bob")
    assert story.room.phase == "closing"
    story.wait(0.001)
    assert story.plays("cid", lines()[CODE][-1]) == "race.over"
    assert story.statuses() == {"ann": "finished", "bob": "finished", "cid": "timed_out"}


def test_at_the_limit_an_action_counts_and_after_it_none() -> None:
    story = racing("bob", limit_s=60)
    story.wait(60)
    assert story.plays("ann", "QD 1") is None
    story.wait(0.001)
    assert story.plays("ann", "AS home") == "race.over"
    assert story.statuses() == {"ann": "timed_out", "bob": "never_played"}
    assert story.room.ends_at_ms == BEGINNING + 60_000


def test_a_win_at_the_last_instant_is_a_win() -> None:
    story = racing("bob", limit_s=60)
    story.plays_all_but("ann", 1)
    story.wait(60)
    assert story.plays("ann", lines()[CODE][-1]) is None
    story.wait(0.001).strike()
    assert story.statuses() == {"ann": "finished", "bob": "never_played"}


def test_over_is_final() -> None:
    story = racing("bob")
    story.forfeits("ann")
    story.forfeits("bob")
    before = story.room
    codes = [
        story.plays("ann", "QD 1"),
        story.forfeits("ann"),
        story.ready("ann"),
        story.starts("ann"),
        story.plays("bob", "QD 1"),
    ]
    assert codes == ["race.over"] * 5
    story.wait(100_000).strike()
    assert story.room == before


def test_the_clocks_of_the_others_stand_still_when_it_is_over() -> None:
    story = racing("bob", tail_s=0)
    story.wait(5).plays("bob", "QD 1")
    story.wait(5).wins("ann")
    story.wait(100).strike()
    assert (story.seat("ann").elapsed_ms, story.seat("bob").elapsed_ms) == (10_000, 5000)


def test_a_win_from_afar_counts_though_the_racer_is_away_by_then() -> None:
    story = racing("bob")
    story.wins("ann")
    story.breaks("ann")
    assert story.seat("ann").status == "finished"


# Talking


def test_what_is_said_changes_nothing() -> None:
    story = Story("bob")
    before = story.room
    assert story.says("bob", "hello") is None
    assert story.room is before


def test_a_room_may_have_no_chat() -> None:
    assert Story(chat=False).says("ann", "hello") == "room.no_chat"


@pytest.mark.parametrize("phase", ["racing", "over"])
def test_there_is_talk_in_every_phase(phase: str) -> None:
    story = racing("bob")
    if phase == "over":
        story.forfeits("ann")
        story.forfeits("bob")
    assert story.says("bob", "well played") is None


# Again


def test_a_rematch_waits_for_the_end() -> None:
    assert Story().rematches("ann", "r2") == "race.not_over"
    assert racing("bob").rematches("ann", "r2") == "race.not_over"


def test_the_first_rematch_wins() -> None:
    story = racing("bob")
    story.forfeits("ann")
    story.forfeits("bob")
    assert story.rematches("bob", "r2") is None
    assert story.rematches("ann", "r3") == "room.started"
    assert story.verdict is not None
    assert story.verdict.data == {"room": "r2"}
    assert story.room.rematch == "r2"


# The same game in any variant


@pytest.mark.parametrize("variant", ["YU1-R", "YU1-T", "KL1-D1N", "KL1-D3N"])
def test_a_race_is_won_in_every_variant(variant: str) -> None:
    code = next(code for code in lines() if code.startswith(variant))
    story = racing("bob", code=code)
    story.wins("ann")
    assert (story.seat("ann").status, story.room.phase) == ("finished", "closing")
