"""Stamina: how long someone plays on without a card turned or brought home."""

from typing import Final

from stampede.patience.table import Table

_ACTIONS: Final = 60
"""And one more for each card of the talon, so that all of them can be seen again."""


class Stamina:
    """One player's, in one race."""

    def __init__(self) -> None:
        self._most_home = 0
        self._least_down = 52
        self._idle = 0

    def lasts(self, table: Table) -> bool:
        """Take in the table before the next action; whether it is worth going on."""
        home, down = table.cards_home, sum(table.down)
        self._idle = 0 if home > self._most_home or down < self._least_down else self._idle + 1
        self._most_home, self._least_down = max(self._most_home, home), min(self._least_down, down)
        return self._idle <= _ACTIONS + len(table.stock) + len(table.waste)
