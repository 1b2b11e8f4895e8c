"""Refusals: every reason for which an action is not allowed, each with its sentence and its facts.

Laws of this file:
- The order of `Reason` is the order of precedence: where several apply, the first is given.
- A refusal is a value, not an exception. It is made of what its player has seen and has said, and of nothing
  else: no sentence and no fact names, counts or places a card that is hidden.
"""

from enum import StrEnum
from typing import NamedTuple

from stampede.patience.cards import RANKS, Card, spoken


class Reason(StrEnum):
    """The closed list of refusals; values are the codes that go over the wire."""

    GAME_OVER = "game.over"
    ACE_FIRST = "move.ace_first"
    NOT_AVAILABLE = "move.not_available"
    SAME_PLACE = "move.same_place"
    HOME_IS_FINAL = "move.home_is_final"
    COVERED = "move.covered"
    NOT_NEXT_HOME = "move.not_next_home"
    GROUP_TOO_LARGE = "move.group_too_large"
    KINGS_ONLY = "move.kings_only"
    DOES_NOT_FIT = "move.does_not_fit"
    NO_STOCK = "draw.no_stock"
    NOTHING_LEFT = "draw.nothing_left"
    ONE_PASS = "draw.one_pass"
    UNDO_NOTHING = "undo.nothing"


class Refusal(NamedTuple):
    """Why an action was not allowed."""

    reason: Reason
    text: str
    """One sentence for a player."""
    facts: dict[str, str | int]
    """What the sentence speaks of. A refused move always has `card` and `to`, as the player named them."""


def game_over() -> Refusal:
    """Nothing can be played or undone once the game is won."""
    return Refusal(Reason.GAME_OVER, "All 52 cards are home: the game is won and over.", {})


def ace_first(card: Card, to: str, ace: Card) -> Refusal:
    """An uncovered ace has to go home before anything else moves."""
    return Refusal(
        Reason.ACE_FIRST,
        f"{spoken(ace)} lies uncovered and has to go home first.",
        {"card": card, "to": to, "ace": ace},
    )


def not_available(card: Card, to: str) -> Refusal:
    """The card cannot be taken. One sentence for all cases: telling them apart would tell where a hidden card lies."""
    return Refusal(
        Reason.NOT_AVAILABLE,
        f"{spoken(card)} cannot be moved now: it is face down, covered in the waste or at home, or in the stock.",
        {"card": card, "to": to},
    )


def same_place(card: Card, to: str) -> Refusal:
    """The card is there already."""
    place = "home" if to == "home" else f"in column {to}"
    return Refusal(Reason.SAME_PLACE, f"{spoken(card)} is {place} already.", {"card": card, "to": to})


def home_is_final(card: Card, to: str) -> Refusal:
    """A card on a foundation is there for good."""
    return Refusal(
        Reason.HOME_IS_FINAL,
        f"A card that is home stays there: {spoken(card)} cannot come back.",
        {"card": card, "to": to},
    )


def covered(card: Card, to: str, covering: int) -> Refusal:
    """Only the last card of a column goes home; `covering` cards lie on this one."""
    lie = "1 card lies" if covering == 1 else f"{covering} cards lie"
    return Refusal(
        Reason.COVERED,
        f"{spoken(card)} cannot go home while {lie} on it.",
        {"card": card, "to": to, "covering": covering},
    )


def not_next_home(card: Card, to: str, cards_home: int) -> Refusal:
    """The foundation, with `cards_home` on it, needs another rank; it is named by rank, as it may be hidden."""
    needs = RANKS[cards_home]
    return Refusal(
        Reason.NOT_NEXT_HOME,
        f"{spoken(card)} cannot go home yet: the {_RANK_NAMES.get(needs, needs)} of its suit comes first.",
        {"card": card, "to": to, "needs": needs},
    )


def group_too_large(card: Card, to: str, cards: int, limit: int) -> Refusal:
    """More cards than may move together."""
    return Refusal(
        Reason.GROUP_TOO_LARGE,
        f"At most {limit} cards move together; {spoken(card)} and those on it are {cards}.",
        {"card": card, "to": to, "cards": cards, "limit": limit},
    )


def kings_only(card: Card, to: str) -> Refusal:
    """An empty column takes a king, alone or with the cards on it, and nothing else."""
    return Refusal(
        Reason.KINGS_ONLY,
        f"Only a king can go to an empty column; {spoken(card)} cannot.",
        {"card": card, "to": to},
    )


def does_not_fit(card: Card, to: str, on: Card) -> Refusal:
    """Wrong rank or suit for the last card of the column."""
    return Refusal(
        Reason.DOES_NOT_FIT,
        f"{spoken(card)} does not fit on {spoken(on)}.",
        {"card": card, "to": to, "on": on},
    )


def no_stock(title: str) -> Refusal:
    """The game named by `title` has no stock."""
    return Refusal(Reason.NO_STOCK, f"There is no stock to draw from in {title}.", {})


def nothing_left() -> Refusal:
    """Stock and waste are both empty."""
    return Refusal(Reason.NOTHING_LEFT, "Stock and waste are both empty: there is nothing left to draw.", {})


def one_pass(passes: int) -> Refusal:
    """The stock has been gone through as often as it may be."""
    times = "once" if passes == 1 else f"{passes} times"
    return Refusal(Reason.ONE_PASS, f"The stock is used up, and may be gone through only {times}.", {"limit": passes})


def undo_nothing(limit: int) -> Refusal:
    """No action can be taken back (any more), of the `limit` latest ones that may be."""
    text = "There is nothing (more) to undo." if limit else "This game allows no undo."
    return Refusal(Reason.UNDO_NOTHING, text, {"limit": limit})


_RANK_NAMES = {"A": "ace", "T": "10", "J": "jack", "Q": "queen", "K": "king"}
