"""Opening a log by its address."""

from pathlib import Path

import pytest

from stampede.server.log.in_memory import InMemoryLog
from stampede.server.log.opening import open_log
from stampede.server.log.port import LogUnusable
from stampede.server.log.sqlite import SqliteLog


async def test_each_kind_is_opened_by_its_scheme(tmp_path: Path) -> None:
    memory = await open_log("memory:")
    sqlite = await open_log(f"sqlite:{tmp_path / 'stampede.db'}", synchronous="NORMAL")
    assert isinstance(memory, InMemoryLog)
    assert isinstance(sqlite, SqliteLog)
    await sqlite.close()


@pytest.mark.parametrize("url", ["", "stampede.db", "mysql://localhost/", "memory:x", "memory", "/tmp/x.db", "file:x"])
async def test_another_address_is_answered_with_what_is_possible(url: str) -> None:
    with pytest.raises(LogUnusable, match="memory:, sqlite:PATH, redis://"):
        await open_log(url)


@pytest.mark.parametrize("url", ["sqlite:", "sqlite:///stampede.db"])
async def test_a_sqlite_address_without_a_path_is_answered_with_an_example(url: str) -> None:
    with pytest.raises(LogUnusable, match=r"sqlite:PATH, like sqlite:stampede\.db"):
        await open_log(url)


async def test_another_durability_than_there_is_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogUnusable, match="NORMAL, FULL, EXTRA"):
        await open_log(f"sqlite:{tmp_path / 'stampede.db'}", synchronous="OFF")  # type: ignore[arg-type]
