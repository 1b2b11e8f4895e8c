"""The dealer: fresh deal codes for rooms that do not name one.

Proven deals come from the catalogue for open rooms. Whoever has the catalogue can look such a deal up from the first
sight of its table, so a sealed room gets one from the stock, which nobody has seen. Other deals are drawn by
chance, but for those that are known at a glance to be lost.
"""

import secrets
from typing import Final

from stampede.patience import catalogue
from stampede.patience.codes import OPEN_LENGTH, SEALED_LENGTH, Code, dealing_order, payload
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import Grade, locked
from stampede.server.hall.stock import Kind, Stock

_BITS_PER_SYMBOL: Final = 5
_CHANCE: Final = secrets.SystemRandom()


class Dealer:
    """Draws codes; sealed ones have 130 random bits."""

    def __init__(self, stock: Stock | None = None) -> None:
        self.stock = stock
        """Proven sealed deals; None if this server proves none."""

    def proves(self, variant: str, grade: str | None, *, sealed: bool) -> bool:
        """Whether there are proven deals of this kind. What the catalogue has none of is too rare to be waited for."""
        if sealed and self.stock is None:
            return False
        try:
            return any(catalogue.codes(variant, one) for one in Grade if grade in (None, one))
        except (LookupError, FileNotFoundError):
            return False

    async def deal(self, rules: Ruleset, *, sealed: bool, winnable: bool = False, grade: str | None = None) -> Code:
        """A fresh code for a variant, proven if it is to be `winnable`: ask `proves` before.

        Takes a while if it has to be proven first.
        """
        wanted = None if grade is None else Grade(grade)
        if not winnable:
            return _drawn(rules, SEALED_LENGTH if sealed else OPEN_LENGTH)
        if not sealed:
            return catalogue.pick(rules.name, wanted, _CHANCE)
        if self.stock is None:
            raise AssertionError("a server without a stock proves nothing")
        return await self.stock.take(Kind(rules.name, wanted))


def _drawn(rules: Ruleset, length: int) -> Code:
    while True:
        code = Code(rules.game, rules.variant, payload(secrets.randbits(_BITS_PER_SYMBOL * length), length))
        if locked(rules, dealing_order(code)) is None:
            return code
