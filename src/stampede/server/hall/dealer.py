"""The dealer: fresh deal codes for rooms that do not name one."""

import secrets
from typing import Final

from stampede.patience.codes import OPEN_LENGTH, SEALED_LENGTH, Code, payload
from stampede.patience.ruleset import Ruleset

_BITS_PER_SYMBOL: Final = 5


class Dealer:
    """Draws codes; sealed ones have 130 random bits."""

    async def deal(self, rules: Ruleset, *, sealed: bool) -> Code:
        """A fresh code for a variant."""
        length = SEALED_LENGTH if sealed else OPEN_LENGTH
        return Code(rules.game, rules.variant, payload(secrets.randbits(_BITS_PER_SYMBOL * length), length))
