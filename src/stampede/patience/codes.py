"""Deal codes: `GAME+VERSION-VARIANT-PAYLOAD`, and the dealing order they stand for.

The variant is not part of the shuffle: the same payload gives the same deal in every variant of a game.
Version 1 of the dealing algorithm never changes; a changed one gets a new digit.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from stampede.patience.cards import DECK, Card

ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""RFC 4648 base-32 symbols, five bits each."""

OPEN_LENGTH: Final = 7
"""Symbols of an open code: 35 bits, short enough to read out."""

SEALED_LENGTH: Final = 26
"""Symbols of a sealed code: 130 bits, too many to search."""

_PAYLOAD = re.compile(f"[{ALPHABET}]*")


class Code(NamedTuple):
    """A deal code, taken apart: `YU1`, `C`, `AAAAAAB`."""

    game: str
    variant: str
    payload: str

    def __str__(self) -> str:
        return f"{self.game}-{self.variant}-{self.payload}"

    @property
    def ruleset_name(self) -> str:
        """The variant with its game, as the catalogue has it: `YU1-C`."""
        return f"{self.game}-{self.variant}"


class BadCode(ValueError):
    """A text that is no deal code; `part` says which part is wrong (`form`, `game`, `variant` or `payload`)."""

    def __init__(self, part: str, text: str) -> None:
        super().__init__(text)
        self.part = part


def parse(text: str, variants: Mapping[str, Sequence[str]]) -> Code:
    """Read a deal code, whatever its case.

    `variants` maps each known game to its variants. Raises `BadCode` with a sentence that says which part is
    wrong and what it may be.
    """
    parts = text.split("-") if text.isascii() else []
    if len(parts) != 3:
        raise BadCode("form", f"A deal code is GAME-VARIANT-PAYLOAD, like YU1-C-AAAAAAB; {_quoted(text)} is not.")
    game, variant, payload = (part.upper() for part in parts)
    if game not in variants:
        raise BadCode("game", f"The game of a deal code is {_one_of(variants)}, not {_quoted(parts[0])}.")
    if variant not in variants[game]:
        one_of = _one_of(variants[game])
        raise BadCode("variant", f"The variant of a {game} code is {one_of}, not {_quoted(parts[1])}.")
    if not _PAYLOAD.fullmatch(payload):
        raise BadCode("payload", f"The payload of a deal code is made of A-Z and 2-7; {_quoted(parts[2])} is not.")
    if len(payload) not in (OPEN_LENGTH, SEALED_LENGTH):
        raise BadCode(
            "payload",
            f"The payload of a deal code has {OPEN_LENGTH} symbols (open) or {SEALED_LENGTH} (sealed), "
            f"not {len(payload)}.",
        )
    return Code(game, variant, payload)


def payload(number: int, length: int) -> str:
    """The payload of `length` symbols that writes `number` in base 32, most significant symbol first.

    `ValueError` if the number needs more symbols, or is negative.
    """
    if not 0 <= number < 32**length:
        raise ValueError(f"{number} cannot be written with {length} symbols")
    symbols = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        symbols.append(ALPHABET[digit])
    return "".join(reversed(symbols))


def dealing_order(code: Code) -> tuple[Card, ...]:
    """The 52 cards in the order they are dealt: sorted by the SHA-256 of `GAME-PAYLOAD:CARD`. Costs some 40 µs."""
    salted = sha256(f"{code.game}-{code.payload}:".encode("ascii"))

    def digest(card: Card) -> bytes:
        hashed = salted.copy()
        hashed.update(card.encode("ascii"))
        return hashed.digest()

    return tuple(sorted(DECK, key=digest))


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _one_of(names: Iterable[str]) -> str:
    *front, last = names
    return f"{', '.join(front)} or {last}" if front else last
