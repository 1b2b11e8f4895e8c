"""An allowance: so many commands a second, with bursts; and how long someone has asked for more.

Whoever is refused is told how long to wait. To do so, and go on, is no excess, however often it happens; to ask again
before that is.
"""

from typing import Final

_FORGOTTEN_S: Final = 1.0
"""Excess is constant as long as no second goes by without any."""
_WHOLE: Final = 1 - 1e-9
"""Of a token: what is left out is lost in adding up."""
_HASTE_S: Final = 0.002
"""Who comes back earlier than they were told to, by more than their clock and the network may be off, is in excess."""


class Allowance:
    """A token bucket. Times are seconds of any clock that never runs backwards; a rate of 0 allows everything."""

    __slots__ = ("_at", "_burst", "_excess_since", "_last_excess", "_rate", "_ready_at", "_tokens")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now
        self._excess_since = now
        self._last_excess = float("-inf")
        self._ready_at = float("-inf")
        """When the latest one that was refused has been told to come back."""

    def take(self, now: float) -> float:
        """Take one; returns 0, or in how many seconds there will be one again."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= _WHOLE:
            self._tokens -= 1
            return 0.0
        if now < self._ready_at - _HASTE_S:
            if now - self._last_excess > _FORGOTTEN_S:
                self._excess_since = now
            self._last_excess = now
        wait = (1 - self._tokens) / self._rate
        self._ready_at = now + wait
        return wait

    def excess_s(self) -> float:
        """For how long, up to the latest refusal of someone who did not wait, the excess has been constant."""
        return self._last_excess - self._excess_since
