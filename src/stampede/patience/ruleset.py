"""Rulesets: the questions on which games and variants differ.

A variant is one answer to each question, as data. The referee asks only these questions and never for a
game's name, so a further variant is one more entry in the catalogue (see `variants`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from stampede.patience.cards import DECK, RANK, Card

# Which suits a card of each suit may be laid on, in a column.
ALTERNATE_COLOURS: Final = {"S": "HD", "H": "SC", "D": "SC", "C": "HD"}
ANY_SUIT: Final = {"S": "SHDC", "H": "SHDC", "D": "SHDC", "C": "SHDC"}


@dataclass(frozen=True, slots=True)
class Scoring:
    """What each happening adds to the score, and how the score is shown."""

    start: int
    """The score of a fresh deal."""
    home: int
    """For a card brought home, from a column or the waste."""
    turned_up: int
    """For a face-down card turned up, added to the move that turned it."""
    waste_to_column: int
    recycle: int
    """For turning the waste over; a penalty is negative."""
    floor: int | None
    """The score never goes below this; None if it may."""
    dollars: bool = False
    """Whether the score is money."""

    def added(self, score: int, points: int) -> int:
        """The score after `points` (a penalty is negative), which the floor may soften."""
        score += points
        return score if self.floor is None or score >= self.floor else self.floor

    def shown(self, score: int) -> str:
        """The score as players read it: `625`, or `+$208`, `$0`, `-$52`."""
        if not self.dollars:
            return str(score)
        sign = "+" if score > 0 else "-" if score < 0 else ""
        return f"{sign}${abs(score)}"


@dataclass(frozen=True)
class Ruleset:
    """One variant's answers."""

    game: str
    """The game and the version of its dealing algorithm, as in deal codes: `YU1`."""
    variant: str
    """The variant as in deal codes: `C`."""
    title: str
    """The variant as people call it."""
    face_down: tuple[int, ...]
    """How many cards of each of the seven columns are dealt face down, at its bottom."""
    face_up: tuple[int, ...]
    """How many lie face up on those."""
    builds_on: Mapping[str, str]
    """Suit to the suits it may be laid on, one rank higher, in a column."""
    scoring: Scoring
    group_limit: int | None = None
    """The most cards that move together."""
    home_is_final: bool = False
    """Whether a card on a foundation is there for good."""
    aces_first: bool = False
    """Whether uncovered aces have to go home before anything else."""
    draws: int = 0
    """Cards drawn from the stock at a time; 0 if the game has no stock."""
    passes: int | None = None
    """How often the stock may be gone through; None for any number of times."""

    @property
    def name(self) -> str:
        """The name in the catalogue and on the wire: `YU1-C`."""
        return f"{self.game}-{self.variant}"

    @cached_property
    def lies_on(self) -> dict[Card, frozenset[Card]]:
        """For each card, those it may be laid on in a column."""
        return {
            card: frozenset(
                under for under in DECK if RANK[under] == RANK[card] + 1 and under[1] in self.builds_on[card[1]]
            )
            for card in DECK
        }
