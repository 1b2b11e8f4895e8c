"""The linger: how long a commit to the disk, or a pipeline to Redis, waits for company.

Either costs the processor as much as several moves, and the disk more, however little is in it. So while entries come
quickly, some are let come together: `_COMPANY` of them, or as many as come in `LONGEST_S`. Where that would not even
be two, nobody waits for anybody. Nor where entries only come quickly because they are answered quickly, from a few who
each wait for their answer: then hardly anybody comes late in a linger, and after a few of those there is none for a
while.
"""

from collections.abc import Callable, Iterator
from typing import Final

LONGEST_S: Final = 0.008
"""Two commits begin no further apart than this for the sake of company; half a picture on a screen."""
_SHORTEST_S: Final = 0.004
"""Under load they begin at least so far apart."""
_COMPANY: Final = 10.0
_PAIR: Final = 2.0
_MEMORY: Final = 0.8
"""How much of what was known of the rate is kept at each commit."""
_EARLY_S: Final = 0.002
"""Who was just answered and goes on at once comes within this."""
_LOOKED_AT: Final = 8
"""One linger in so many is taken in two parts, to see who comes late; every one, once too few did."""
_WORTH: Final = 2
"""So many at least have to come late for a linger to be worth it."""
_BARREN: Final = 6
"""After so many lingers in a row that were not worth it ..."""
_REST_S: Final = 2.0
"""... nobody waits for so long."""


class Linger:
    """Of one log. Times are seconds of any clock that never runs backwards.

    Before a commit let each of `pauses_s` pass, then tell `began`.
    """

    def __init__(self) -> None:
        self._per_s = 0.0
        """Entries a second, lately."""
        self._began = float("-inf")
        self._lingers = 0
        self._barren = 0
        self._rests_until = float("-inf")

    def pauses_s(self, waiting: Callable[[], int], clock: Callable[[], float]) -> Iterator[float]:
        """What a commit should wait, one after the other; in between it is seen how many are `waiting` by then."""
        wait = self._wait_s(clock())
        if not wait:
            return
        looked_at = self._barren > 0 or self._lingers % _LOOKED_AT == 0
        self._lingers += 1
        if looked_at and wait > _EARLY_S:
            yield _EARLY_S
            came_early = waiting()
            yield wait - _EARLY_S
            self._came(came_early, waiting(), clock())
        else:
            yield wait

    def began(self, now: float, entries: int) -> None:
        """A commit of so many entries begins."""
        per_s = entries / max(now - self._began, 1e-6)
        self._per_s = _MEMORY * self._per_s + (1 - _MEMORY) * per_s
        self._began = now

    def _wait_s(self, now: float) -> float:
        """How long a commit that could begin now should wait."""
        if self._per_s * LONGEST_S < _PAIR or now < self._rests_until:
            return 0.0
        apart = min(LONGEST_S, max(_SHORTEST_S, _COMPANY / self._per_s))
        return max(0.0, self._began + apart - now)

    def _came(self, early: int, all_in_all: int, now: float) -> None:
        """So many waited after the first part, and after the second."""
        self._barren = self._barren + 1 if all_in_all - early < _WORTH else 0
        if self._barren == _BARREN:
            self._barren = 0
            self._rests_until = now + _REST_S
