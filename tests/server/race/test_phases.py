"""Phases: instants pass whether anyone is awake or not, and in their order."""

import pytest

from stampede.server.race import facts
from stampede.server.race.phases import AWAY_LIMIT_MS, advance

from .story import BEGINNING, Story, racing


def test_the_race_starts_at_its_instant_though_nobody_notes_it() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann", "bob")
    assert story.wait(4.999).now().phase == "countdown"
    room = story.wait(0.001).now()
    assert room.phase == "racing"
    assert (room.starts_at_ms, room.ends_at_ms) == (BEGINNING + 5000, BEGINNING + 5000 + 3_600_000)
    assert {seat.status for seat in room.seats.values()} == {"racing"}


def test_start_and_limit_may_pass_unseen_at_once() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann", "bob")
    room = story.wait(10_000).now()
    assert room.phase == "over"
    assert room.ends_at_ms == BEGINNING + 5000 + 3_600_000
    assert {seat.status for seat in room.seats.values()} == {"never_played"}


def test_a_look_at_the_clock_changes_nothing_by_itself() -> None:
    story = Story("bob", countdown_s=5)
    before = story.room
    assert advance(before, BEGINNING + 59_999) is before


def test_who_stays_away_from_a_lobby_for_a_minute_is_out() -> None:
    story = Story("bob")
    story.wait(10).breaks("bob")
    assert "bob" in story.wait(59.999).now().seats
    assert "bob" not in story.wait(0.001).now().seats


def test_who_comes_back_in_time_stays_in() -> None:
    story = Story("bob")
    story.breaks("bob")
    story.wait(59).enters("bob")
    assert "bob" in story.wait(120).now().seats


def test_a_host_who_stays_away_is_host_no_more() -> None:
    story = Story("bob", "cid")
    story.breaks("ann")
    assert story.wait(59).now().host == "ann"
    room = story.wait(1).now()
    assert (room.host, list(room.seats)) == ("bob", ["bob", "cid"])


def test_a_ghost_does_not_hold_the_ready_up_for_longer() -> None:
    story = Story("bob", "cid", countdown_s=5)
    story.breaks("cid")
    story.wait(10).ready("ann", "bob")
    assert story.now().phase == "lobby"
    room = story.wait(50).now()
    assert (room.phase, room.starts_at_ms) == ("countdown", BEGINNING + AWAY_LIMIT_MS + 5000)


def test_a_lobby_from_which_all_stay_away_is_cancelled() -> None:
    story = Story("bob")
    story.breaks("ann")
    story.wait(30).breaks("bob")
    assert story.wait(30).now().phase == "lobby"
    room = story.wait(30).now()
    assert (room.phase, room.due_ms) == ("cancelled", None)


def test_two_ghosts_of_the_same_instant_are_out_together() -> None:
    story = Story("bob", "cid")
    story.breaks("bob")
    story.breaks("cid")
    assert list(story.wait(60).now().seats) == ["ann"]


def test_whoever_races_is_waited_for() -> None:
    story = racing("bob")
    story.breaks("bob")
    assert story.wait(3000).now().seats["bob"].status == "racing"


def test_whoever_is_in_a_countdown_is_waited_for() -> None:
    story = Story("bob", countdown_s=60)
    story.breaks("bob")
    story.wait(30).ready("ann")
    story.enters("bob")
    story.ready("bob")
    story.breaks("bob")
    assert story.wait(60).now().seats["bob"].status == "racing"


def test_a_stopped_countdown_gives_who_is_away_the_whole_minute_again() -> None:
    story = Story("bob", countdown_s=60)
    story.ready("ann", "bob")
    story.breaks("bob")
    story.wait(59).unready("ann")
    assert "bob" in story.wait(59.999).now().seats
    assert "bob" not in story.wait(0.001).now().seats


@pytest.mark.parametrize("begun", [False, True])
def test_watchers_who_stay_away_for_a_minute_are_out_in_any_phase(begun: bool) -> None:
    story = racing("bob") if begun else Story("bob")
    story.enters("dora", "watcher")
    story.breaks("dora")
    assert "dora" in story.wait(59.999).now().seats
    assert "dora" not in story.wait(0.001).now().seats


def test_a_watcher_who_leaves_a_race_is_gone() -> None:
    story = racing("bob")
    story.enters("dora", "watcher")
    story.leaves("dora")
    assert "dora" not in story.room.seats


def test_instants_pass_in_their_order_before_a_late_fact_is_judged() -> None:
    story = Story("bob", "cid", countdown_s=5)
    story.breaks("cid")
    story.ready("ann", "bob")
    # Cid is out after a minute, five seconds later the race of the others starts: all before this.
    story.wait(70)
    assert story.plays("ann", "QD 1", 1) is None
    assert story.seat("ann").elapsed_ms == 5000
    assert story.enters("cid") == "room.started"


def test_a_fact_at_the_very_instant_comes_after_it() -> None:
    story = Story("bob")
    story.breaks("bob")
    story.wait(60)
    assert story.enters("bob") is None
    assert list(story.room.seats) == ["ann", "bob"]
    assert story.seat("bob").status == "waiting"


def test_the_next_instant_is_always_known() -> None:
    story = Story("bob", countdown_s=5, tail_s=60)
    assert story.room.due_ms is None
    story.breaks("bob")
    assert story.room.due_ms == BEGINNING + 60_000
    story.enters("bob")
    assert story.room.due_ms is None
    story.ready("ann", "bob")
    assert story.room.due_ms == BEGINNING + 5000
    story.wait(5).strike()
    assert story.room.due_ms == BEGINNING + 5000 + 3_600_000 + 1
    story.wins("ann")
    assert story.room.due_ms == BEGINNING + 5000 + 60_000 + 1
    story.wins("bob")
    assert story.room.due_ms is None


def test_an_end_that_nobody_saw_is_the_same_as_one_that_was_noted() -> None:
    seen, unseen = racing("bob", limit_s=60), racing("bob", limit_s=60)
    for story in (seen, unseen):
        story.wait(10).plays("ann", "QD 1")
    seen.wait(50.001).strike()
    seen.wait(10).tell(facts.TimePassed())
    unseen.wait(60.001)
    assert seen.room == unseen.now()
