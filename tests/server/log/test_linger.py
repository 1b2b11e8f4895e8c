"""The linger: who waits for company, and for how long."""

import heapq

import pytest

from stampede.server.log.linger import LONGEST_S, Linger

COMMIT_S = 0.0003
"""How long a commit takes here."""


class Log:
    """A log that commits as `Linger` tells it, in a time of its own; entries come from outside or after an answer."""

    def __init__(self) -> None:
        self.linger = Linger()
        self.now = 0.0
        self.arrivals: list[float] = []
        self.sizes: list[int] = []
        self.waits: list[float] = []
        """From each entry's arrival to the end of its commit."""
        self.quick: set[float] | None = None
        """The arrivals of those who send again once they are answered, if not all do."""

    def run(self, seconds: float, again_after: float | None = None) -> None:
        """Commit until then; with `again_after`, whoever is answered sends the next entry so much later."""
        end = self.now + seconds
        while self.arrivals and self.now < end:
            begins = self.now = max(self.now, self.arrivals[0])
            for pause_s in self.linger.pauses_s(self._waiting, lambda: self.now):
                self.now += pause_s
            assert self.now - begins <= LONGEST_S + 1e-9
            batch = [heapq.heappop(self.arrivals) for _ in range(self._waiting())]
            self.linger.began(self.now, len(batch))
            self.now += COMMIT_S
            self.sizes.append(len(batch))
            self.waits += [self.now - arrival for arrival in batch]
            if again_after is not None:
                for arrival in batch:
                    if self.quick is None or arrival in self.quick:
                        self._again(arrival, self.now + again_after)

    def _again(self, arrival: float, at: float) -> None:
        heapq.heappush(self.arrivals, at)
        if self.quick is not None:
            self.quick.remove(arrival)
            self.quick.add(at)

    def _waiting(self) -> int:
        return sum(arrival <= self.now for arrival in self.arrivals)


def steadily(per_s: float, seconds: float) -> Log:
    log = Log()
    log.arrivals = [number / per_s for number in range(int(per_s * seconds) + 1)]
    log.run(seconds)
    return log


@pytest.mark.parametrize("per_s", [0.1, 1, 20, 100, 200])
def test_entries_that_come_slowly_wait_for_nobody(per_s: float) -> None:
    log = steadily(per_s, max(3.0, 5 / per_s))
    assert set(log.sizes) == {1}
    assert max(log.waits) == pytest.approx(COMMIT_S)


@pytest.mark.parametrize("per_s", [400, 1000, 2000, 5000])
def test_entries_that_come_quickly_come_together_and_never_wait_long(per_s: float) -> None:
    log = steadily(per_s, 3.0)
    assert min(log.sizes[-20:-1]) >= min(10, int(per_s * LONGEST_S)) - 1
    assert max(log.waits) <= LONGEST_S + 2 * COMMIT_S


@pytest.mark.parametrize("clients", [1, 2, 4, 10])
def test_a_few_who_each_wait_for_their_answer_do_not_wait_for_company_too(clients: int) -> None:
    log = Log()
    log.arrivals = [0.0001 * number for number in range(clients)]
    log.run(5.0, again_after=0.0002)
    assert sum(log.waits) / len(log.waits) < 4 * COMMIT_S
    waited_long = sum(wait > 0.003 for wait in log.waits)
    assert waited_long <= clients * (8 + 6) * 3, "a few every two seconds, to see if there are others by now"


def test_someone_quick_does_not_wait_for_the_few_who_are_slow() -> None:
    log = Log()
    log.arrivals = [number / 100 for number in range(500)]
    heapq.heapify(log.arrivals)
    log.quick = {0.0}
    log.run(5.0, again_after=0.0002)
    assert len(log.waits) > 3000
    assert sum(log.waits) / len(log.waits) < 4 * COMMIT_S


def test_a_burst_of_a_moment_makes_nobody_wait_later() -> None:
    linger = Linger()
    linger.began(10.0, 50)
    for second in range(11, 16):
        linger.began(float(second), 1)
    assert not list(linger.pauses_s(lambda: 1, lambda: 16.0))


def test_who_comes_long_after_the_last_commit_waits_for_nobody() -> None:
    log = steadily(2000, 3.0)
    assert not list(log.linger.pauses_s(lambda: 1, lambda: log.now + 1.0))


def test_company_is_waited_for_again_once_there_is_some() -> None:
    log = Log()
    log.arrivals = [0.0]
    log.run(3.0, again_after=0.0002)
    since = log.now
    log.arrivals = [since + number / 2000 for number in range(8000)]
    log.run(4.0)
    assert min(log.sizes[-20:-1]) >= 9
