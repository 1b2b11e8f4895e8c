"""Refusals: every reason for which an action is not allowed.

The order of `Reason` is the order of precedence: where several apply, the first is given.
"""

from enum import StrEnum
from typing import NamedTuple


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
    """Why an action was not allowed.

    `text` is one sentence for a player; `facts` are the things named in it (card, to, needs, limit...). Neither
    ever names a card that the player has not seen and did not name.
    """

    reason: Reason
    text: str
    facts: dict[str, str | int]
