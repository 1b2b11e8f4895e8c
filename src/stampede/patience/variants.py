"""The catalogue: one ruleset per variant, as data."""

from dataclasses import replace
from typing import Final

from stampede.patience.codes import Code, parse
from stampede.patience.ruleset import ALTERNATE_COLOURS, ANY_SUIT, Ruleset, Scoring

_YUKON_CLASSIC = Ruleset(
    game="YU1",
    variant="C",
    title="Yukon",
    face_down=(0, 1, 2, 3, 4, 5, 6),
    face_up=(1, 5, 5, 5, 5, 5, 5),
    builds_on=ALTERNATE_COLOURS,
    scoring=Scoring(start=0, home=10, turned_up=5, waste_to_column=0, recycle=0, floor=0),
    group_limit=20,
)
_KLONDIKE_DRAW_1 = Ruleset(
    game="KL1",
    variant="D1N",
    title="Klondike, draw 1",
    face_down=(0, 1, 2, 3, 4, 5, 6),
    face_up=(1, 1, 1, 1, 1, 1, 1),
    builds_on=ALTERNATE_COLOURS,
    scoring=Scoring(start=0, home=10, turned_up=5, waste_to_column=5, recycle=-100, floor=0),
    draws=1,
)
_VEGAS = Scoring(start=-52, home=5, turned_up=0, waste_to_column=0, recycle=0, floor=None, dollars=True)

CATALOGUE: Final[dict[str, Ruleset]] = {
    ruleset.name: ruleset
    for ruleset in (
        _YUKON_CLASSIC,
        replace(_YUKON_CLASSIC, variant="R", title="Yukon, relaxed", builds_on=ANY_SUIT),
        replace(_YUKON_CLASSIC, variant="T", title="Yukon, traditional", home_is_final=True, aces_first=True),
        _KLONDIKE_DRAW_1,
        replace(_KLONDIKE_DRAW_1, variant="D1V", title="Klondike, draw 1, Vegas", scoring=_VEGAS, passes=1),
        replace(_KLONDIKE_DRAW_1, variant="D3N", title="Klondike, draw 3", draws=3),
        replace(_KLONDIKE_DRAW_1, variant="D3V", title="Klondike, draw 3, Vegas", draws=3, scoring=_VEGAS, passes=1),
    )
}

VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    game: tuple(ruleset.variant for ruleset in CATALOGUE.values() if ruleset.game == game)
    for game in dict.fromkeys(ruleset.game for ruleset in CATALOGUE.values())
}
"""Each game's variants: `{"YU1": ("C", "R", "T"), ...}`."""


def parse_code(text: str) -> Code:
    """Read a deal code of the catalogue, whatever its case; raises `codes.BadCode` saying what is wrong."""
    return parse(text, VARIANTS)
