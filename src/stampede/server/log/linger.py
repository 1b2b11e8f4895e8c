"""The linger: how long a commit to the disk, or a pipeline to Redis, waits for company.

Either costs the processor as much as several moves, and the disk more, however little is in it. So while entries come
quickly, some are let come together: `_COMPANY` of them, or as many as come in `LONGEST_S`. Where that would not even
be two, nobody waits for anybody.
"""

from typing import Final

LONGEST_S: Final = 0.008
"""Two commits begin no further apart than this for the sake of company; half a picture on a screen."""
_SHORTEST_S: Final = 0.004
"""Under load they begin at least so far apart."""
_COMPANY: Final = 12.0
_PAIR: Final = 2.0
_MEMORY: Final = 0.8
"""How much of what was known of the rate is kept at each commit."""


class Linger:
    """Of one log. Times are seconds of any clock that never runs backwards."""

    def __init__(self) -> None:
        self._per_s = 0.0
        """Entries a second, lately."""
        self._began = float("-inf")

    def wait_s(self, now: float) -> float:
        """How long a commit that could begin now should wait."""
        if self._per_s * LONGEST_S < _PAIR:
            return 0.0
        apart = min(LONGEST_S, max(_SHORTEST_S, _COMPANY / self._per_s))
        return max(0.0, self._began + apart - now)

    def began(self, now: float, entries: int) -> None:
        """A commit of so many entries begins."""
        per_s = entries / max(now - self._began, 1e-6)
        self._per_s = _MEMORY * self._per_s + (1 - _MEMORY) * per_s
        self._began = now
