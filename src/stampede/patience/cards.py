"""The 52 cards.

A card is its two-letter name, rank then suit: `TD` is the ten of diamonds. There is one deck, so a name
identifies its card in the whole game, and a plain interned string is all a card has to be.
"""

import sys
from typing import Final

Card = str
Suit = str

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
HIDDEN: Final = "--"

# Interned, so that looking a card up in a column mostly compares pointers.
DECK: Final[tuple[Card, ...]] = tuple(sys.intern(rank + suit) for suit in SUITS for rank in RANKS)
RANK: Final[dict[Card, int]] = {card: RANKS.index(card[0]) for card in DECK}
SUIT: Final[dict[Card, int]] = {card: SUITS.index(card[1]) for card in DECK}
"""Card to the index of its suit in `SUITS`."""

KING: Final = RANKS.index("K")
_NAMED: Final[dict[str, Card]] = {card: card for card in DECK}
_SYMBOLS: Final = dict(zip(SUITS, "♠♥♦♣", strict=True))


def named(text: str) -> Card | None:
    """The (interned) card of exactly this name, or None if no card has it."""
    return _NAMED.get(text)


def spoken(card: Card) -> str:
    """A card as people read it: `7♥`, `10♦`."""
    rank = "10" if card[0] == "T" else card[0]
    return rank + _SYMBOLS[card[1]]
