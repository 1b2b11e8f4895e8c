"""The linger: who waits for company, and for how long."""

import pytest

from stampede.server.log.linger import LONGEST_S, Linger


def after(linger: Linger, *, per_s: float, seconds: float = 3.0) -> tuple[float, list[int]]:
    """Let entries come at a steady rate; returns the time now, and how many were in each commit."""
    now, due, sizes = 0.0, 0.0, []
    while now < seconds:
        now = max(now, due) + linger.wait_s(max(now, due))
        entries = 0
        while due <= now:
            entries, due = entries + 1, due + 1 / per_s
        linger.began(now, entries)
        sizes.append(entries)
    return now, sizes


@pytest.mark.parametrize("per_s", [0.1, 1, 20, 100, 200])
def test_entries_that_come_slowly_wait_for_nobody(per_s: float) -> None:
    linger = Linger()
    now, sizes = after(linger, per_s=per_s, seconds=max(3.0, 5 / per_s))
    assert linger.wait_s(now) == 0.0
    assert set(sizes) == {1}


@pytest.mark.parametrize("per_s", [400, 1000, 2000, 30_000])
def test_entries_that_come_quickly_come_together_and_never_wait_long(per_s: float) -> None:
    linger = Linger()
    now, sizes = after(linger, per_s=per_s)
    assert 0.0 < linger.wait_s(now) <= LONGEST_S + 1e-9
    assert min(sizes[-20:]) >= min(12, int(per_s * LONGEST_S)) - 1


def test_a_burst_of_a_moment_makes_nobody_wait_later() -> None:
    linger = Linger()
    linger.began(10.0, 50)
    for second in range(11, 16):
        linger.began(float(second), 1)
    assert linger.wait_s(16.0) == 0.0


def test_who_comes_long_after_the_last_commit_waits_for_nobody() -> None:
    linger = Linger()
    now, _ = after(linger, per_s=2000)
    assert linger.wait_s(now + 1.0) == 0.0
