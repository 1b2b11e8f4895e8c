"""The vectors: deals, games and wins from an independent model of the rules, matched to the letter."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stampede.patience import notation
from stampede.patience.codes import dealing_order
from stampede.patience.errors import Reason, Refusal
from stampede.patience.game import Game, play, replay, start_code
from stampede.patience.table import deal
from stampede.patience.variants import CATALOGUE, parse_code

VECTORS = Path(__file__).parents[1] / "vectors"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text("ascii").splitlines()]


DEALS, GAMES, WINNABLE = lines("deals.jsonl"), lines("games.jsonl"), lines("winnable.jsonl")


def by_code(vector: dict[str, Any]) -> str:
    return vector["code"]


@pytest.mark.parametrize("vector", DEALS, ids=by_code)
def test_a_code_gives_its_deal(vector: dict[str, Any]) -> None:
    code = parse_code(vector["code"])
    order = dealing_order(code)
    assert " ".join(order) == vector["order"]

    table = deal(CATALOGUE[code.ruleset_name], order)
    assert [" ".join(column) for column in table.columns] == vector["columns"]
    assert list(table.down) == vector["down"]
    assert " ".join(table.stock) == vector["stock"]


@pytest.mark.parametrize("vector", GAMES, ids=by_code)
def test_a_game_goes_step_by_step(vector: dict[str, Any]) -> None:
    game = start_code(parse_code(vector["code"]), vector["undo_limit"])
    for number, (text, outcome, score, moves) in enumerate(vector["steps"]):
        after = play(game, notation.read(text))
        said = after.reason.value if isinstance(after, Refusal) else "ok"
        game = game if isinstance(after, Refusal) else after
        assert (said, game.score, game.moves) == (outcome, score, moves), f"step {number}: {text}"
    assert view(game) == vector["end"]


@pytest.mark.parametrize("vector", WINNABLE, ids=by_code)
def test_a_winnable_deal_is_won(vector: dict[str, Any]) -> None:
    code = parse_code(vector["code"])
    game = replay(start_code(code), map(notation.read, vector["actions"]))
    assert isinstance(game, Game)
    assert game.won
    assert (game.score, game.moves) == (vector["score"], vector["moves"])


def test_the_vectors_cover_every_variant_and_nearly_every_reason() -> None:
    assert {parse_code(vector["code"]).ruleset_name for vector in GAMES} == set(CATALOGUE)
    met = Counter(outcome for vector in GAMES for _, outcome, _, _ in vector["steps"])
    # These three come up too seldom in random games; `test_referee` and `test_game` have them.
    assert {reason.value for reason in Reason} - set(met) == {
        Reason.GAME_OVER,
        Reason.GROUP_TOO_LARGE,
        Reason.NOTHING_LEFT,
    }


def view(game: Game) -> dict[str, Any]:
    table = game.table
    return {
        "columns": [list(table.seen(column)) for column in range(7)],
        "home": dict(zip("SHDC", table.home, strict=True)),
        "stock": len(table.stock),
        "waste": list(table.waste),
    }
