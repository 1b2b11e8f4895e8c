"""Grades: how often a blind random player wins a deal.

Of all that was tried (length, nodes, buried cards...) only this sorts deals well, and it uses nothing that is hidden
from a player. Whether it predicts what people find hard is for race results to say.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from stampede.patience.cards import Card
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import compiled
from stampede.patience.solver.compiled.search import CompiledSearch
from stampede.patience.solver.law import law_of, start_of
from stampede.patience.solver.playout import LIKINGS, won_blind
from stampede.patience.table import deal


class Grade(StrEnum):
    """How hard a deal is, easiest first."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


GAMES: Final = 200
"""Blind games a grade is made of. They are the same games on every machine, so a deal has one grade."""

AT_LEAST: Final = {Grade.EASY: 0.40, Grade.MEDIUM: 0.15, Grade.HARD: 0.03}
"""The share of blind games won from which on a deal has this grade; below all of them it is for experts."""


def graded(wins: int, games: int = GAMES) -> Grade:
    """The grade of a deal that is won so often."""
    return next((name for name, share in AT_LEAST.items() if wins >= share * games), Grade.EXPERT)


def grade(rules: Ruleset, order: Sequence[Card], *, pure: bool = False) -> Grade:
    """How hard a deal is: some 10 ms compiled, a second or more in pure Python."""
    return graded(blind_wins(rules, order, pure=pure))


def blind_wins(rules: Ruleset, order: Sequence[Card], games: int = GAMES, *, pure: bool = False) -> int:
    """How many of so many blind games are won; the first games of a longer run are those of a shorter one."""
    law, start = law_of(rules), start_of(deal(rules, order))
    engine = None if pure else compiled.load()
    if engine is not None:
        return CompiledSearch(engine, law, start).blind_wins(games, LIKINGS)
    return sum(won_blind(law, start, game) for game in range(games))
