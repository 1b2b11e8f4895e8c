"""Redis' clock, as this node knows it: a sample now and then, and its own monotonic clock in between."""

import time
from collections.abc import Callable
from typing import Final

_DRIFT: Final = 0.001
"""How uncertain a sample becomes with age: seconds per second."""


class RedisClock:
    """Unix milliseconds of Redis' clock; never runs backwards, nor behind an entry that was seen."""

    __slots__ = ("_latest_ms", "_monotonic", "_offset_s", "_sampled_at", "_uncertain_s")

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._offset_s = 0.0
        self._uncertain_s = float("inf")
        self._sampled_at = 0.0
        self._latest_ms = 0

    def now_ms(self) -> int:
        """The time."""
        self._latest_ms = max(self._latest_ms, int((self._monotonic() + self._offset_s) * 1000))
        return self._latest_ms

    def seen(self, time_ms: int) -> None:
        """An entry of that time exists."""
        self._latest_ms = max(self._latest_ms, time_ms)

    def sample(self, asked_at: float, redis_s: float) -> None:
        """Redis said `redis_s` to a question of `asked_at`, by the monotonic clock; just answered."""
        now = self._monotonic()
        uncertain = (now - asked_at) / 2
        if uncertain <= self._uncertain_s + _DRIFT * (now - self._sampled_at):
            self._offset_s = redis_s - (asked_at + now) / 2
            self._uncertain_s = uncertain
            self._sampled_at = now
