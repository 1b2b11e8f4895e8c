"""What may reach a terminal: nothing that moves its cursor, turns its text around or cannot be seen."""

import unicodedata
from typing import Final

# Whatever breaks a line becomes a space, so that a text stays in its place.
_SPACES: Final = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"

# Cc: controls, C0 and C1. Cf: bidi marks, zero-width joiners, tags. Cs: lone surrogates, which no terminal takes.
_NEVER: Final = frozenset({"Cc", "Cf", "Cs"})

# Fillers and joiners that count as letters or marks, and are drawn as nothing.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u180b\u180c\u180d\u180f")


def printable(text: str) -> str:
    """`text` without control, bidi, zero-width and blank characters; tabs and line breaks become spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        " " if character in _SPACES else character
        for character in text
        if character in _SPACES or not (unicodedata.category(character) in _NEVER or character in _BLANK)
    )
