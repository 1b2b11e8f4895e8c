"""The model the other tests compare with agrees with the vectors to the letter."""

import json
from pathlib import Path
from typing import Any

import pytest

from .model import Model

VECTORS = Path(__file__).parents[1] / "vectors"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


@pytest.mark.parametrize("deal", rows("deals.jsonl"), ids=lambda deal: deal["code"])
def test_it_deals_the_same(deal: dict[str, Any]) -> None:
    model = Model(deal["code"])
    assert [" ".join(column) for column in model.columns] == deal["columns"]
    assert (model.down, " ".join(model.stock)) == (deal["down"], deal["stock"])


def test_it_plays_the_same() -> None:
    for game in rows("games.jsonl"):
        model = Model(game["code"], game["undo_limit"])
        for action, outcome, score, moves in game["steps"]:
            assert (model.act(action), model.score, model.moves) == (outcome, score, moves), (game["code"], action)
        assert model.view() == game["end"]


def test_it_wins_the_same() -> None:
    for game in rows("winnable.jsonl")[::10]:
        model = Model(game["code"])
        assert {model.act(action) for action in game["actions"]} == {"ok"}
        assert (model.won, model.score, model.moves) == (True, game["score"], game["moves"])
