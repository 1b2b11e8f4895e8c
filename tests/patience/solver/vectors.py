"""Deals that others have proven winnable, and what the tests share about lines."""

import json
from collections.abc import Iterable
from pathlib import Path

from stampede.patience.codes import Code
from stampede.patience.game import Game, replay, start_code
from stampede.patience.notation import read
from stampede.patience.variants import parse_code

_FILE = Path(__file__).parents[2] / "vectors" / "winnable.jsonl"


def winnable() -> list[tuple[Code, list[str]]]:
    """Each deal of the vectors with the line that wins it."""
    rows = map(json.loads, _FILE.read_text("utf-8").splitlines())
    return [(parse_code(row["code"]), row["actions"]) for row in rows]


def wins(code: Code, line: Iterable[str]) -> bool:
    """Whether the referee lets this line pass, and finds the game won at its end."""
    end = replay(start_code(code, undo_limit=0), map(read, line))
    return isinstance(end, Game) and end.won
