"""What the solver says of a deal: one of three answers, with what makes it true."""

from dataclasses import dataclass
from typing import Final, Literal

from stampede.patience.cards import Card

EXHAUSTED_SEARCH: Final = "exhausted search"
"""Every way to play was followed to its end: a program's word, which no one can check but by searching again."""


@dataclass(frozen=True, slots=True)
class LockSet:
    """Cards that can never leave the card they lie on; `lock_check` says why, and checks it."""

    cards: frozenset[Card]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a deal, all cards seen.

    - `winnable`: `line` wins it, and the referee has replayed it.
    - `unwinnable`: `certificate` is a lock set, or says that the search was exhausted.
    - `open`: the budget was spent first. That is no hint either way.
    """

    answer: Literal["winnable", "unwinnable", "open"]
    line: tuple[str, ...] = ()
    """Actions as `notation` writes them: `TD 5`, `AS home`, `draw`."""
    certificate: LockSet | Literal["exhausted search"] | None = None
    nodes: int = 0
    """Tables looked at; a slower machine gives the same answer for the same nodes."""
    seconds: float = 0.0
