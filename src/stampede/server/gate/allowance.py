"""An allowance: so many commands a second, with bursts; and how long someone has asked for more."""

from typing import Final

_FORGOTTEN_S: Final = 1.0
"""Excess is constant as long as no second goes by without any."""


class Allowance:
    """A token bucket. Times are seconds of any clock that never runs backwards; a rate of 0 allows everything."""

    __slots__ = ("_at", "_burst", "_excess_since", "_last_excess", "_rate", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now
        self._excess_since = now
        self._last_excess = float("-inf")

    def take(self, now: float) -> float:
        """Take one; returns 0, or in how many seconds there will be one again."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        if now - self._last_excess > _FORGOTTEN_S:
            self._excess_since = now
        self._last_excess = now
        return (1 - self._tokens) / self._rate

    def excess_s(self) -> float:
        """For how long, up to the latest refusal, the excess has been constant."""
        return self._last_excess - self._excess_since
