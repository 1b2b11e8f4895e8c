"""The novice: a few sensible habits, and mistakes."""

import random
from collections.abc import Collection
from typing import Final

from stampede.client_cli.bots.choices import Choice, aimless, choices, comes_back
from stampede.client_cli.bots.mind import visible_table
from stampede.client_cli.bots.stamina import Stamina
from stampede.patience.game import Action, Draw, Move
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.protocol.events import Board

_SLIPS: Final = 0.2
"""How often it overlooks what its habits would have it do."""


class Novice:
    """Brings home what can go, turns what can be turned, and else moves about; sometimes does not look."""

    def __init__(self, rules: Ruleset, chance: random.Random) -> None:
        self._rules = rules
        self._chance = chance
        self._stamina = Stamina()
        self._been: set[Table] = set()

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """What a habit says, or chance; None once nothing has come of it for long."""
        table = visible_table(board)
        self._been.add(table)
        if not self._stamina.lasts(table):
            return None
        allowed = [choice for choice in choices(self._rules, table) if choice.action not in barred]
        sensible = [choice for choice in allowed if not aimless(table, choice) and not comes_back(table, choice)]
        if not sensible:
            return None
        if self._chance.random() >= _SLIPS:
            for habit in (Choice.goes_home, lambda choice: choice.turns(table), self._is_new):
                if liked := [choice for choice in sensible if habit(choice)]:
                    return self._one_of(table, liked)
        return self._chance.choice(sensible).action

    def _one_of(self, table: Table, liked: list[Choice]) -> Action:
        """One of these by chance, but rather the waste's card than another draw, and rather a draw than anything."""
        for choice in liked:
            if isinstance(choice.action, Move) and table.waste and choice.action.card == table.waste[-1]:
                return choice.action
        if self._chance.random() < 0.5:
            for choice in liked:
                if isinstance(choice.action, Draw):
                    return choice.action
        return self._chance.choice(liked).action

    def _is_new(self, choice: Choice) -> bool:
        return choice.after not in self._been
