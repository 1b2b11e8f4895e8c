"""Ids and time of the embedded logs."""

from hypothesis import given
from hypothesis import strategies as st

from stampede.server.log.port import entry_id, time_of
from stampede.server.log.stamp import Stamp, wall_clock

HOUR_MS = 3_600_000


class Hand:
    """A clock that a test moves."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@given(st.lists(st.tuples(st.integers(-2 * HOUR_MS, 2 * HOUR_MS), st.integers(1, 5)), max_size=30))
def test_ids_and_time_only_grow_whatever_the_clock_does(steps: list[tuple[int, int]]) -> None:
    hand = Hand(1_700_000_000_000)
    stamp = Stamp(hand)
    last_id, last_ms = 0, 0
    for jump, count in steps:
        hand.now += jump
        ids = list(stamp.ids(count))
        assert len(ids) == count
        assert last_id < ids[0]
        assert ids == sorted(ids)
        assert last_ms <= time_of(ids[0]) == time_of(ids[-1]) <= stamp.time_ms()
        last_id, last_ms = ids[-1], stamp.time_ms()


def test_after_the_clock_was_set_back_time_goes_on_at_its_usual_pace() -> None:
    hand = Hand(1_700_000_000_000)
    stamp = Stamp(hand)
    before = stamp.time_ms()
    hand.now -= HOUR_MS
    assert stamp.time_ms() == before
    hand.now += 250
    assert stamp.time_ms() == before + 250


def test_time_begins_after_the_last_id_of_before() -> None:
    hand = Hand(1_700_000_000_000)
    last = entry_id(hand.now + HOUR_MS, 7)
    stamp = Stamp(hand, last)
    assert stamp.time_ms() == hand.now + HOUR_MS
    assert next(iter(stamp.ids(1))) == last + 1
    hand.now += 10
    assert next(iter(stamp.ids(1))) == entry_id(hand.now + HOUR_MS)


def test_the_wall_clock_goes_forward() -> None:
    clock = wall_clock()
    times = [clock() for _ in range(1000)]
    assert times == sorted(times)
    assert times[0] > 1_700_000_000_000
