"""Foresight: every action is looked at twice, early and in its place in the log; this saves the second look.

Games never change, so the same action on the same game comes to the same. What an early look found is kept until
the fold asks for it.
"""

from typing import Final

from stampede.patience.errors import Refusal
from stampede.patience.game import Action, Game, play

_MOST: Final = 256
"""Kept at most; those beyond were never asked for again (their append failed)."""


class Foresight:
    """The verdicts of early looks, for one room."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[Game, Action, Game]] = {}
        """By identity of game and action (both kept along, so that the identities stay theirs): the next game."""

    def foresee(self, game: Game, action: Action) -> Game | Refusal:
        """Judge an action, and keep what it would come to."""
        after = play(game, action)
        if not isinstance(after, Refusal):
            if len(self._seen) >= _MOST:
                self._seen.clear()
            self._seen[id(game), id(action)] = (game, action, after)
        return after

    def recall(self, game: Game, action: Action) -> Game | Refusal:
        """The verdict on an action, found early or judged now."""
        seen = self._seen.pop((id(game), id(action)), None)
        return seen[2] if seen is not None else play(game, action)
