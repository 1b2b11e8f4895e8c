"""Names and other texts that people choose: what they may hold, and which look alike."""

import unicodedata
from typing import Final

import regex

from stampede.protocol.commands import NAME_GRAPHEMES

_GRAPHEME: Final = regex.compile(r"\X")
_REFUSED: Final = regex.compile(r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]")


def clean_name(text: str) -> str | None:
    """The name in NFC with single spaces, or None if it may not be one.

    1 to 24 graphemes; no control, format (bidi, zero-width), private or unassigned characters.
    """
    if _REFUSED.search(text):
        return None
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    return name if 1 <= len(_GRAPHEME.findall(name)) <= NAME_GRAPHEMES else None


def clean_text(text: str) -> str | None:
    """A title or a line of chat in NFC, or None if it holds control or bidi characters or line breaks."""
    if _REFUSED.search(text):
        return None
    return unicodedata.normalize("NFC", text)


def likeness(name: str) -> str:
    """What is the same for two names that differ only by case or width."""
    return unicodedata.normalize("NFKC", name).casefold()
