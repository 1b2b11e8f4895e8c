"""An allowance: bursts, a steady rate, and how long someone has asked for more."""

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from stampede.server.gate.allowance import Allowance


def test_a_burst_is_allowed_and_then_one_waits() -> None:
    allowance = Allowance(20, 40, 0.0)
    assert [allowance.take(0.0) for _ in range(40)] == [0.0] * 40
    assert allowance.take(0.0) == 0.05


def test_it_fills_up_at_its_rate_and_no_further_than_the_burst() -> None:
    allowance = Allowance(20, 40, 0.0)
    for _ in range(40):
        allowance.take(0.0)
    assert [allowance.take(0.5) for _ in range(11)].count(0.0) == 10
    assert [allowance.take(1000.0) for _ in range(50)].count(0.0) == 40


def test_it_says_how_long_to_wait() -> None:
    allowance = Allowance(2, 1, 0.0)
    assert allowance.take(0.0) == 0.0
    assert allowance.take(0.1) == 0.4
    assert allowance.take(0.5) == 0.0


def test_a_rate_of_zero_allows_everything() -> None:
    allowance = Allowance(0, 0, 0.0)
    assert [allowance.take(0.0) for _ in range(1000)] == [0.0] * 1000
    assert allowance.excess_s() < 10


def test_excess_is_constant_as_long_as_no_second_goes_by_without_any() -> None:
    allowance = Allowance(1, 1, 0.0)
    at = 0.0
    while at < 12:
        allowance.take(at)
        at += 0.1
    assert allowance.excess_s() > 10


@given(st.integers(1, 50), st.integers(1, 100), st.floats(0, 0.2))
def test_who_waits_as_long_as_they_are_told_to_is_never_in_excess(rate: int, burst: int, pause: float) -> None:
    allowance = Allowance(rate, burst, 0.0)
    now, taken = 0.0, 0
    for _ in range(500):
        wait = allowance.take(now)
        taken += wait == 0.0
        now += ceil(wait * 1000) / 1000 or pause
        assert allowance.excess_s() < 1
    assert taken >= 250


def test_who_asks_again_before_that_is_in_excess_also_if_some_are_taken() -> None:
    allowance = Allowance(20, 40, 0.0)
    for tick in range(15 * 100):
        allowance.take(tick / 100)
    assert allowance.excess_s() > 10


def test_a_pause_makes_up_for_it() -> None:
    allowance = Allowance(1, 1, 0.0)
    for tick in range(90):
        allowance.take(tick / 10)
    assert allowance.excess_s() > 8
    allowance.take(20.0)
    for _ in range(3):
        allowance.take(20.0)
    assert allowance.excess_s() == 0


def test_who_was_never_refused_has_no_excess() -> None:
    assert Allowance(1, 1, 0.0).excess_s() < 0


@given(st.integers(1, 50), st.integers(1, 100), st.lists(st.floats(0, 2), max_size=200))
def test_no_more_is_ever_taken_than_burst_and_rate_allow(rate: int, burst: int, pauses: list[float]) -> None:
    allowance = Allowance(rate, burst, 0.0)
    now, taken = 0.0, 0
    for pause in pauses:
        now += pause
        taken += allowance.take(now) == 0.0
        assert taken <= burst + rate * now + 1e-6
