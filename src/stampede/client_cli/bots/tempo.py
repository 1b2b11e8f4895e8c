"""Tempo: how long someone takes over an action. People are quick with what is plain, and now and then stop to think."""

import random
from typing import Final

from stampede.patience.game import Action, Move
from stampede.patience.referee import HOME

_PLAIN: Final = 0.6
"""For a card that goes home, a draw or an undo: so much of the pace."""
_OTHER: Final = 1.2
_THINKS: Final = 0.05
"""How often someone stops to think."""
_LONGER: Final = 3.0
_SPREAD: Final = 0.35
"""Of the logarithm of a pause: two in three are within a third of the usual one."""
_AT_MOST: Final = 6.0


def pause_s(pace_s: float, action: Action | None, chance: random.Random) -> float:
    """How long to take over an action, in seconds; `pace_s` is about the mean."""
    plain = not isinstance(action, Move) or action.to == HOME
    usual = _PLAIN if plain else _OTHER
    if chance.random() < _THINKS:
        usual *= _LONGER
    return pace_s * min(_AT_MOST, usual * chance.lognormvariate(0, _SPREAD))
