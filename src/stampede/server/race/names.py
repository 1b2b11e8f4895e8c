"""Names and other texts that people choose: what they may hold, and which look alike.

No control, bidi, unassigned, private or invisible character gets in anywhere. Zero-width joiners and variation
selectors are let in only where they make a picture out of pictures (emoji); in titles and chat, which nobody is
known by, also the joiners that many scripts are written with.

Two names look alike if they have the same skeleton (UTS 39, on Unicode's own table) once case and width are set
aside, whichever of the two is looked at first: a capital I is an i, and it also is a small l to look at.
"""

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import regex

from stampede.protocol.commands import NAME_GRAPHEMES

_GRAPHEME: Final = regex.compile(r"\X")
_INVISIBLE: Final = regex.compile(r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]")
_EMOJI_JOINERS: Final = regex.compile(
    r"(?<=\p{Extended_Pictographic})\uFE0F"
    r"|(?<=[0-9#*])\uFE0F(?=\u20E3)"
    r"|(?<=\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?)\u200D(?=\p{Extended_Pictographic})"
)
_SCRIPT_JOINERS: Final = regex.compile(
    r"(?<=[[\p{L}\p{M}]--[\p{Latin}\p{Greek}\p{Cyrillic}\p{Han}]])[\u200C\u200D]", regex.V1
)
_MARKS: Final = 4
"""In a row, at most: more hide the lines above and below (UTS 39, 5.4)."""
_MISMARKED: Final = regex.compile(rf"^\p{{M}}|[\p{{Mn}}\p{{Me}}]{{{_MARKS + 1}}}")


def clean_name(text: str) -> str | None:
    """The name in NFC with single spaces, or None if it may not be one.

    1 to 24 graphemes, nothing in them that cannot be seen, and no heaps of marks.
    """
    name = unicodedata.normalize("NFC", " ".join(text.split()))
    if _INVISIBLE.search(_EMOJI_JOINERS.sub("", text)) or _MISMARKED.search(unicodedata.normalize("NFD", name)):
        return None
    return name if 1 <= len(_GRAPHEME.findall(name)) <= NAME_GRAPHEMES else None


def clean_text(text: str) -> str | None:
    """A title or a line of chat in NFC, or None if it holds control or bidi characters or line breaks."""
    if _INVISIBLE.search(_SCRIPT_JOINERS.sub("", _EMOJI_JOINERS.sub("", text))):
        return None
    return unicodedata.normalize("NFC", text)


def alike(one: str, other: str) -> bool:
    """Whether two names differ by nothing but case, width or look-alike letters.

    The first time costs some milliseconds, for Unicode's table.
    """
    return not _looks(one).isdisjoint(_looks(other))


@lru_cache(maxsize=4096)
def _looks(name: str) -> frozenset[str]:
    """What a name may be taken for: as it looks, and as it reads."""
    return frozenset((_plain(_skeleton(name)), _plain(name)))


def _plain(text: str) -> str:
    """The skeleton of a text without its case and width, and of that, until nothing changes."""
    for _ in range(8):
        before, text = text, _skeleton(unicodedata.normalize("NFKC", text).casefold())
        if text == before:
            break
    return text


def _skeleton(text: str) -> str:
    """UTS 39, 4: two texts that look the same have the same skeleton."""
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFD", visible.translate(_table()))


@cache
def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    for row in files(__package__).joinpath("confusables.txt").read_text("utf-8").splitlines():
        if not row.startswith("#"):
            to, _, characters = row.partition(";")
            look = "".join(chr(int(number, 16)) for number in to.split("+"))
            table.update((int(number, 16), look) for number in characters.split(" "))
    return table
