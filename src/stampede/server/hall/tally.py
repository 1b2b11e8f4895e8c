"""The tally: what has been counted on this node since it started. Plain numbers; whoever scrapes them reads them.

Counting costs an addition, and a duration one look into a list of seventeen bounds: both far below a microsecond.
"""

from bisect import bisect_left
from typing import Final

BOUNDS_S: Final = (
    0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
)  # fmt: skip
"""Upper bounds of the durations that are counted together, in seconds; one more class takes the rest."""


class Durations:
    """How many durations of each class there were, and their sum, in seconds."""

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_S) + 1)
        self.sum_s = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.sum_s += seconds


class Tally:
    """Everything that is counted. Numbers only ever grow."""

    __slots__ = (
        "accepted", "acknowledged", "appended", "incidents", "rate_limited", "refused", "resumed", "slow_dropped",
        "storage_failed", "turned_away", "welcomed",
    )  # fmt: skip

    def __init__(self) -> None:
        self.accepted = 0
        """Actions of this node's players that took effect."""
        self.refused: dict[str, int] = {}
        """Actions that did not, by the code of the refusal."""
        self.acknowledged = Durations()
        """From a `play` coming in to its `played` going out."""
        self.appended = Durations()
        """From a fact being handed to the log to its coming back, durable."""
        self.welcomed = 0
        """Connections that said hello."""
        self.resumed = 0
        """Seats taken back on a new connection."""
        self.slow_dropped = 0
        """Connections ended because their reader did not keep up."""
        self.rate_limited = 0
        """Commands refused as too many."""
        self.turned_away = 0
        """Handshakes refused because their address had all the connections it may have."""
        self.storage_failed = 0
        """Commands that the log could not take."""
        self.incidents = 0
        """Commands that failed by a fault of the server's own."""

    def refuse(self, code: str) -> None:
        """Count an action that did not take effect."""
        self.refused[code] = self.refused.get(code, 0) + 1
