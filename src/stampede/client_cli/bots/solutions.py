"""Solutions: deals that are known to be won, and how; and a mind that plays them."""

import json
from collections.abc import Collection, Iterator
from importlib import resources
from typing import NamedTuple

from stampede.client_cli.bots.mind import Mind
from stampede.patience import notation
from stampede.patience.game import Action
from stampede.protocol.events import Board


class Solution(NamedTuple):
    """A deal and the actions that win it."""

    code: str
    actions: tuple[Action, ...]


def solutions(variant: str = "") -> Iterator[Solution]:
    """All that are known of a variant, or of all of them."""
    text = resources.files("stampede.client_cli.bots").joinpath("solutions.jsonl").read_text("ascii")
    for line in text.splitlines():
        known = json.loads(line)
        if known["code"].startswith(f"{variant}-" if variant else ""):
            yield Solution(known["code"], tuple(notation.read(action) for action in known["actions"]))


def solution_of(code: str) -> Solution | None:
    """The solution of a deal, if it is known."""
    return next((known for known in solutions() if known.code == code), None)


class ByHeart:
    """Plays a known solution; should it not fit what has been played already, another mind goes on."""

    def __init__(self, solution: Solution, otherwise: Mind) -> None:
        self._actions = solution.actions
        self._otherwise = otherwise
        self._lost = False

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The action that comes next in the solution."""
        at = board.n
        self._lost = self._lost or at >= len(self._actions) or self._actions[at] in barred
        return self._otherwise.choose(board, barred) if self._lost else self._actions[at]
