"""Lines as few bytes, to keep thousands of them for re-checking.

A card that goes home is one byte (its suit: which card is next the reader knows), a card that goes to a column two
(card, column), a run of draws one. Rows of lines are kept together, compressed.
"""

import lzma
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from stampede.patience.solver.law import name, number

_DRAWS: Final = 64  # and the number of them, 1 to 127
_HOME: Final = 200  # and the suit


def pack(lines: Iterable[Sequence[str]]) -> bytes:
    """Lines, each a row of actions in the notation of `notation`, as one compressed piece."""
    packed = bytearray()
    for line in lines:
        coded = _coded(line)
        packed += len(coded).to_bytes(2, "big") + coded
    return lzma.compress(bytes(packed), preset=6 | lzma.PRESET_EXTREME)


def unpack(packed: bytes) -> Iterator[list[str]]:
    """The lines again, in their order."""
    plain = lzma.decompress(packed)
    at = 0
    while at < len(plain):
        length = int.from_bytes(plain[at : at + 2], "big")
        yield _read(plain[at + 2 : at + 2 + length])
        at += 2 + length


def _coded(line: Sequence[str]) -> bytes:
    coded = bytearray()
    for action, run in groupby(line):
        if action == "draw":
            coded.append(_DRAWS + len(list(run)))
            continue
        card, _, to = action.partition(" ")
        if to == "home":
            coded.append(_HOME + (number(card) & 3))
        else:
            coded += bytes((number(card), int(to) - 1))
    return bytes(coded)


def _read(coded: bytes) -> list[str]:
    line: list[str] = []
    home = [0, 0, 0, 0]
    codes = iter(coded)
    for code in codes:
        if code >= _HOME:
            suit = code - _HOME
            line.append(f"{name(home[suit] * 4 + suit)} home")
            home[suit] += 1
        elif code >= _DRAWS:
            line += ["draw"] * (code - _DRAWS)
        else:
            if home[code & 3] > code >> 2:
                home[code & 3] -= 1  # it comes back from its foundation
            line.append(f"{name(code)} {next(codes) + 1}")
    return line
