"""The stock: sealed deals proven in secret, a few of each kind that is asked for, ready to be dealt.

Laws of this file:
- A kind is a variant with a grade, or with any grade. A kind is kept in stock once it has been asked for.
- Whoever waits comes before the shelves. Nothing here computes: provers do, elsewhere.
- A deal leaves the stock once.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from stampede.patience.codes import Code
from stampede.patience.solver.grades import Grade
from stampede.server.hall.prover_process import Proven


class Prover(Protocol):
    """Who proves deals."""

    async def prove(self, variant: str, *, graded: bool) -> Proven | None:
        """Draw one deal and prove it; None if it was none."""

    async def close(self) -> None:
        """Stop."""


class Kind(NamedTuple):
    """What can be asked for."""

    variant: str
    grade: Grade | None


class Shelf:
    """The deals of one kind, and who waits for one."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.ready: deque[tuple[float, Code]] = deque()
        """Oldest first, each with when it was put here."""
        self.waiting: deque[asyncio.Future[Code]] = deque()

    def age_s(self, now: float) -> float:
        """How long the oldest deal has been here; 0 if there is none."""
        return now - self.ready[0][0] if self.ready else 0.0

    def takes(self, proven: Proven, size: int) -> bool:
        """Whether a deal is of this kind, and wanted."""
        fits = self.kind.grade is None or self.kind.grade is proven.grade
        return fits and (bool(self.waiting) or len(self.ready) < size)


class Stock:
    """All shelves. To be made on the running event loop; `close` ends the provers."""

    def __init__(
        self, provers: Sequence[Prover], *, size: int, kinds: Iterable[Kind] = (), clock: Callable[[], float]
    ) -> None:
        self.size = size
        """Deals of each kind that are kept ready."""
        self.shelves: dict[Kind, Shelf] = {kind: Shelf(kind) for kind in kinds}
        self.clock = clock
        """In seconds; that of `Shelf.age_s`."""
        self._provers = provers
        self._wanted = asyncio.Event()
        self._work: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to fill the shelves."""
        loop = asyncio.get_running_loop()
        self._work = [loop.create_task(self._fill(prover)) for prover in self._provers]
        self._wanted.set()

    async def close(self) -> None:
        """Stop, and let no prover be left."""
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        await asyncio.gather(*(prover.close() for prover in self._provers))

    async def take(self, kind: Kind) -> Code:
        """A deal of a kind: at once if one is ready, else as soon as one has been proven."""
        shelf = self.shelves.setdefault(kind, Shelf(kind))
        self._wanted.set()
        if shelf.ready:
            return shelf.ready.popleft()[1]
        waiting: asyncio.Future[Code] = asyncio.get_running_loop().create_future()
        shelf.waiting.append(waiting)
        return await waiting

    async def _fill(self, prover: Prover) -> None:
        while True:
            wanted = self._most_wanted()
            if wanted is None:
                self._wanted.clear()
                await self._wanted.wait()
                continue
            graded = any(shelf.kind.grade is not None for shelf in self._wanting(wanted.kind.variant))
            proven = await prover.prove(wanted.kind.variant, graded=graded)
            if proven is not None:
                self._put(proven)

    def _most_wanted(self) -> Shelf | None:
        """The shelf most in need: the one with most people waiting, then the one with fewest deals."""
        wanting = self._wanting()
        return max(wanting, key=lambda shelf: (len(shelf.waiting), -len(shelf.ready)), default=None)

    def _wanting(self, variant: str | None = None) -> list[Shelf]:
        for shelf in self.shelves.values():
            while shelf.waiting and shelf.waiting[0].done():
                shelf.waiting.popleft()  # who waited is gone
        return [
            shelf
            for shelf in self.shelves.values()
            if variant in (None, shelf.kind.variant) and (shelf.waiting or len(shelf.ready) < self.size)
        ]

    def _put(self, proven: Proven) -> None:
        variant = proven.code.ruleset_name
        fitting = [shelf for shelf in self._wanting(variant) if shelf.takes(proven, self.size)]
        if not fitting:
            return
        shelf = max(fitting, key=lambda shelf: (len(shelf.waiting), -len(shelf.ready)))
        while shelf.waiting:
            waiting = shelf.waiting.popleft()
            if not waiting.done():
                waiting.set_result(proven.code)
                return
        shelf.ready.append((self.clock(), proven.code))
