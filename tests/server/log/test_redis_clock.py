"""Redis' clock, as a node knows it."""

from stampede.server.log.redis_clock import RedisClock


class Monotonic:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def sampled(clock: RedisClock, monotonic: Monotonic, redis_s: float, took_s: float = 0.0) -> None:
    asked_at = monotonic.now
    monotonic.now += took_s
    clock.sample(asked_at, redis_s)


def test_it_runs_on_from_a_sample() -> None:
    clock = RedisClock(monotonic := Monotonic())
    sampled(clock, monotonic, 5000.0)
    monotonic.now += 2.5
    assert clock.now_ms() == 5_002_500


def test_half_the_way_is_taken_off() -> None:
    clock = RedisClock(monotonic := Monotonic())
    sampled(clock, monotonic, 5000.0, took_s=0.5)
    assert clock.now_ms() == 5_000_250


def test_a_slow_sample_does_not_replace_a_quick_one_that_is_fresh() -> None:
    clock = RedisClock(monotonic := Monotonic())
    sampled(clock, monotonic, 5000.0, took_s=0.002)
    monotonic.now += 1
    sampled(clock, monotonic, 5003.0, took_s=1.0)
    assert 5_002_000 <= clock.now_ms() <= 5_002_002
    monotonic.now += 1000
    sampled(clock, monotonic, 7000.0, took_s=1.0)
    assert clock.now_ms() == 7_000_500


def test_it_never_runs_backwards_nor_behind_an_entry() -> None:
    clock = RedisClock(monotonic := Monotonic())
    sampled(clock, monotonic, 5000.0)
    assert clock.now_ms() == 5_000_000
    monotonic.now += 1
    sampled(clock, monotonic, 1400.0)
    assert clock.now_ms() == 5_000_000
    clock.seen(6_000_000)
    assert clock.now_ms() == 6_000_000
