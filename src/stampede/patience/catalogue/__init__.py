"""The catalogue of proven deals: codes that can be won, by variant and grade.

Made by `tools/make_catalogue.py`, with the solver's line for each deal replayed by the referee. The lines are not here:
nothing that serves a race can give one away.

A variant's file has one row for each grade: the grade, a blank, and the payloads of seven symbols without a gap.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, Protocol

from stampede.patience.codes import OPEN_LENGTH, Code
from stampede.patience.solver.grades import Grade

VARIANTS: Final = ("YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D3N")
"""The rulesets that have a catalogue. A single pass of the stock cannot be proven often enough for one."""


class Chance(Protocol):
    """What picking asks of chance; `random.Random` and `random.SystemRandom` both have it."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to `stop` - 1."""
        ...


def pick(variant: str, grade: Grade | None, chance: Chance) -> Code:
    """A proven deal of a variant (`YU1-C`), of one grade or of any. Raises `LookupError` if there is none."""
    shelves = _shelves(variant)
    grades = list(Grade) if grade is None else [grade]
    at = chance.randrange(sum(len(shelves[name]) // OPEN_LENGTH for name in grades))
    payloads = "".join(shelves[name] for name in grades)
    game, _, short = variant.partition("-")
    return Code(game, short, payloads[at * OPEN_LENGTH : (at + 1) * OPEN_LENGTH])


def codes(variant: str, grade: Grade) -> list[Code]:
    """All proven deals of a variant and grade. Raises `LookupError` if the variant has no catalogue."""
    row = _shelves(variant)[grade]
    game, _, short = variant.partition("-")
    return [Code(game, short, row[at : at + OPEN_LENGTH]) for at in range(0, len(row), OPEN_LENGTH)]


@cache
def _shelves(variant: str) -> Mapping[Grade, str]:
    """Each grade's payloads in a row; read once, some 40 KB."""
    if variant not in VARIANTS:
        raise LookupError(f"There is no catalogue of proven deals for {variant}.")
    text = files(__name__).joinpath(f"{variant}.txt").read_text("ascii")
    rows = dict(row.split(" ") for row in text.splitlines())
    return {grade: rows[grade.value] for grade in Grade}
