"""A shop of proven deals for tests: provers that answer when they are told to, and a catalogue of a few codes."""

import asyncio
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from stampede.patience.codes import OPEN_LENGTH, SEALED_LENGTH, Code, payload
from stampede.patience.solver import Grade
from stampede.server.hall.prover_process import Proven

_NUMBERS = count(1)


class Prover:
    """Proves what it is told to, in that order; waits while it has been told nothing."""

    def __init__(self, *outcomes: Grade | None) -> None:
        """An outcome is the grade of the next deal, or None for a draw that proves nothing."""
        self._outcomes: asyncio.Queue[Grade | None] = asyncio.Queue()
        self.asked: list[tuple[str, bool]] = []
        self.made: list[Code] = []
        self.closed = False
        self.find(*outcomes)

    def find(self, *outcomes: Grade | None) -> None:
        for outcome in outcomes:
            self._outcomes.put_nowait(outcome)

    async def prove(self, variant: str, *, graded: bool) -> Proven | None:
        self.asked.append((variant, graded))
        grade = await self._outcomes.get()
        if grade is None:
            return None
        game, _, short = variant.partition("-")
        code = Code(game, short, payload(next(_NUMBERS), SEALED_LENGTH))
        self.made.append(code)
        return Proven(code, grade if graded else None)

    async def close(self) -> None:
        self.closed = True


def stand_in(monkeypatch: pytest.MonkeyPatch, shelves: dict[str, list[Grade]]) -> None:
    """Let dealers have a catalogue with one deal for each variant and grade of `shelves`."""

    def codes(variant: str, grade: Grade) -> list[Code]:
        if variant not in shelves:
            raise LookupError(variant)
        return list(_codes(variant, shelves[variant], grade))

    def pick(variant: str, grade: Grade | None, chance: Any) -> Code:
        found = [code for one in Grade if grade in (None, one) for code in codes(variant, one)]
        return found[chance.randrange(len(found))]

    fake = SimpleNamespace(codes=codes, pick=pick)
    monkeypatch.setattr("stampede.server.hall.dealer.catalogue", fake)


def _codes(variant: str, grades: list[Grade], grade: Grade) -> Iterator[Code]:
    game, _, short = variant.partition("-")
    if grade in grades:
        yield Code(game, short, payload(list(Grade).index(grade), OPEN_LENGTH))
