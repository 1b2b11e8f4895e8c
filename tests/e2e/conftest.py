"""One server for all tests that need nothing special of theirs: in memory, without limits."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from .servers import Server

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with Server("--log", "memory:") as one:
        yield one


@pytest.fixture(scope="session")
def lines() -> dict[str, list[str]]:
    """The actions that win a deal, by its code."""
    rows = map(json.loads, (VECTORS / "winnable.jsonl").read_text().splitlines())
    return {row["code"]: row["actions"] for row in rows}
