"""Logs of every kind to test, on real servers where they need one."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from server.log.homes import Home, InMemoryHome, RedisHome, SqliteHome
from server.log.redis_server import RedisServer, binaries


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, RedisServer]]:
    """The servers that tests share, by name; each test has a prefix of its own there."""
    started = {name: RedisServer(path, tmp_path_factory.mktemp(name)) for name, path in binaries().items()}
    for server in started.values():
        server.start()
    yield started
    for server in started.values():
        server.kill()


@pytest.fixture(params=["memory", "sqlite", "valkey", "redis"])
async def home(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Home]:
    """A home for a log, of each kind in turn."""
    made: Home
    match request.param:
        case "memory":
            made = InMemoryHome()
        case "sqlite":
            made = SqliteHome(tmp_path / "stampede.db")
        case name:
            made = RedisHome(there(request, name))
    yield made
    await made.close()


@pytest.fixture(params=["valkey", "redis"])
async def redis(request: pytest.FixtureRequest) -> AsyncIterator[RedisHome]:
    """A home on each kind of Redis."""
    made = RedisHome(there(request, request.param))
    yield made
    await made.close()


@pytest.fixture(params=["valkey", "redis"])
def own_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    """A server that a test may kill."""
    path = binaries().get(request.param)
    if path is None:
        pytest.skip(f"no {request.param} server is installed")
    server = RedisServer(path, tmp_path)
    server.start()
    yield server
    server.kill()


def there(request: pytest.FixtureRequest, name: str) -> RedisServer:
    servers: dict[str, RedisServer] = request.getfixturevalue("servers")
    if name not in servers:
        pytest.skip(f"no {name} server is installed")
    return servers[name]
