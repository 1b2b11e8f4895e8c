"""What a player types, and what is meant by it."""

import re
from dataclasses import dataclass
from typing import Final

from stampede.patience.cards import Card, named
from stampede.patience.game import Action, Draw, Move, Undo
from stampede.patience.referee import PLACES

HELP: Final = """\
td 5       move the ten of diamonds, with what lies on it, to column 5
as home    bring the ace of spades home (or: as h)
td         find a place for the ten of diamonds
?td        where can the ten of diamonds go?
d          draw from the stock, or turn the waste over
u          take back the latest move
ff         forfeit the race, and stay to watch
ready      ready to race (unready: not any more)
start      begin the countdown (the host)
say ...    say something to all in the room
rematch    the same again on a fresh deal, when the race is over
(enter)    show the table again
quit       leave; once the race has begun your seat is kept: `stampede join ROOM` brings you back
A card is its rank (A 2 ... 9 T J Q K) and its suit (S H D C): td, 7h, as."""


@dataclass(frozen=True, slots=True)
class FindPlace:
    """Send a card where a double click would."""

    card: Card


@dataclass(frozen=True, slots=True)
class WhereTo:
    """Show where a card can go."""

    card: Card


@dataclass(frozen=True, slots=True)
class Ready:
    """Ready to race, or not any more."""

    ready: bool


@dataclass(frozen=True, slots=True)
class Say:
    """Chat."""

    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """One of the plain words: `forfeit`, `start`, `rematch`, `show`, `help`, `quit`."""

    word: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """Nothing that can be done; a sentence says what would be right."""

    text: str


Typed = Action | FindPlace | WhereTo | Ready | Say | Word | Unclear

_WORDS: Final[dict[str, Typed]] = {
    "": Word("show"),
    "show": Word("show"),
    "d": Draw(),
    "draw": Draw(),
    "u": Undo(),
    "undo": Undo(),
    "ff": Word("forfeit"),
    "forfeit": Word("forfeit"),
    "ready": Ready(True),
    "unready": Ready(False),
    "start": Word("start"),
    "rematch": Word("rematch"),
    "help": Word("help"),
    "?": Word("help"),
    "quit": Word("quit"),
    "q": Word("quit"),
    "exit": Word("quit"),
}
_SYMBOLS: Final = str.maketrans("♠♥♦♣♡♢", "SHDCHD")
_CARD: Final = re.compile(r"(?P<rank>10|[A2-9TJQK])(?P<suit>[SHDC])", re.IGNORECASE)


def understood(line: str) -> Typed:
    """What a typed line means; case and extra spaces do not matter."""
    text = " ".join(line.split())
    if (known := _WORDS.get(text.lower())) is not None:
        return known
    first, _, rest = text.partition(" ")
    if first.lower() == "say":
        return Say(rest) if rest else Unclear("Say what? Type: say hello")
    if text.startswith("?"):
        asked = _card(text[1:].strip())
        return WhereTo(asked) if asked else _no_card(text[1:].strip())
    card = _card(first)
    if card is None:
        return _no_card(first)
    if not rest:
        return FindPlace(card)
    to = {"h": "home"}.get(rest.lower(), rest.lower())
    if to not in PLACES:
        return Unclear(f"{rest!r} is no place to go: columns are 1 to 7, and the foundations are home.")
    return Move(card, to)


def _card(text: str) -> Card | None:
    found = _CARD.fullmatch(text.translate(_SYMBOLS))
    return named(found["rank"].replace("10", "T").upper() + found["suit"].upper()) if found else None


def _no_card(text: str) -> Unclear:
    return Unclear(f"{text[:40]!r} is neither a card (rank then suit, like td or 7h) nor a word known here; see: help")
