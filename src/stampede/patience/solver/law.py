"""The law as a search asks it: one ruleset and one table, in small numbers and bit masks.

A card is `rank * 4 + suit` (ace 0, suits in the order of `cards.SUITS`), a set of cards an integer with a bit for
each. This is the solver's own shorthand; what is legal is for the referee to say, and it says so of every line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stampede.patience.cards import RANK, RANKS, SUIT, SUITS, Card
from stampede.patience.game import Action, Draw, Move
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table

HOME: Final = 7
"""The place of a move that goes home; 0 to 6 are the columns."""

KINGS: Final = 0b1111 << 48


@dataclass(frozen=True, slots=True)
class Law:
    """What one ruleset answers to the questions of a search."""

    takes: tuple[int, ...]
    """For each suit a mask of the suits that may lie on it."""
    children: tuple[int, ...]
    """For each card the set of cards that may lie on it."""
    home_is_final: bool
    aces_first: bool
    group_limit: int
    """The most cards that move together; 0 if any number may."""
    draw: int
    """Cards drawn at a time; 0 without a stock."""
    single_pass: bool

    def harmless(self, home: Sequence[int], card: int) -> bool:
        """Whether `card`, next to go home, can go at once: no card still in play can ever need it to lie on.

        So it is if the cards that fit on it are home, and no card that is home would ever have to come back for one
        that needs it: of the suits that do not fit on it, all cards two ranks lower are home too.
        """
        rank = card >> 2
        if not rank:
            return True
        fitting = self.takes[card & 3]
        for suit in range(4):
            if suit == card & 3:
                continue
            if fitting >> suit & 1:
                if home[suit] < rank:
                    return False
            elif not self.home_is_final and home[suit] < rank - 1:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Start:
    """Where a search starts: a table in numbers."""

    columns: tuple[tuple[int, ...], ...]
    down: tuple[int, ...]
    home: tuple[int, ...]
    talon: tuple[int, ...]
    """Waste (from the bottom), then stock (first to be drawn first)."""
    waste: int
    """How many of the talon's cards lie on the waste."""


def number(card: Card) -> int:
    """The number of a card."""
    return RANK[card] * 4 + SUIT[card]


def name(card: int) -> Card:
    """The name of a card's number."""
    return RANKS[card >> 2] + SUITS[card & 3]


def law_of(rules: Ruleset) -> Law:
    """The law of a ruleset. Passes: any number, or else the one that is left is taken for the last."""
    takes = tuple(
        sum(1 << above for above, suit in enumerate(SUITS) if under in rules.builds_on[suit]) for under in SUITS
    )
    return Law(
        takes=takes,
        children=tuple(takes[card & 3] << (card >> 2) * 4 - 4 if card >> 2 else 0 for card in range(52)),
        home_is_final=rules.home_is_final,
        aces_first=rules.aces_first,
        group_limit=rules.group_limit or 0,
        draw=rules.draws,
        single_pass=rules.passes is not None,
    )


def start_of(table: Table) -> Start:
    """A table in numbers, face-down cards and all."""
    return Start(
        columns=tuple(tuple(map(number, column)) for column in table.columns),
        down=table.down,
        home=table.home,
        talon=tuple(map(number, table.waste + table.stock)),
        waste=len(table.waste),
    )


def actions(moves: Sequence[int]) -> list[Action]:
    """Moves of a search as actions. A move is `card + 64 * place + 512 * draws before it`."""
    line: list[Action] = []
    for move in moves:
        line += [Draw()] * (move >> 9)
        place = move >> 6 & 7
        line.append(Move(name(move & 63), "home" if place == HOME else str(place + 1)))
    return line
