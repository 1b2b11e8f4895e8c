"""Logs of every kind to test, on real servers where they need one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.log.homes import Home, InMemoryHome, SqliteHome


@pytest.fixture(params=["memory", "sqlite"])
async def home(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Home]:
    """A home for a log, of each kind in turn."""
    made: Home
    match request.param:
        case "memory":
            made = InMemoryHome()
        case "sqlite":
            made = SqliteHome(tmp_path / "stampede.db")
        case _:
            raise AssertionError(request.param)
    yield made
    await made.close()
