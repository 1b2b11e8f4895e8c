"""A race that was won, for the tests that look at finished ones."""

import json
from pathlib import Path

import pytest

from stampede.protocol.events import ReplayAnswer

from .races import Racer, race

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture(scope="session")
def won() -> ReplayAnswer:
    """A dead heat of two on a deal whose solution is known."""
    known = json.loads((VECTORS / "winnable.jsonl").read_text().splitlines()[0])
    actions = [(number * 100, action) for number, action in enumerate(known["actions"], 1)]
    return race(Racer("Ada", "finished", 1, actions), Racer("Bob", "finished", 1, actions), code=known["code"])
