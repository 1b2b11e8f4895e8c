"""What the doctor finds about the Redis server of a log."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.doctor.asked import asked
from server.log.redis_server import RedisServer, binaries
from stampede.server.doctor.redis_server import durability, memory_policy


@pytest.mark.parametrize(
    ("policy", "grade"), [("noeviction", "ok"), ("allkeys-lru", "wrong"), ("volatile-ttl", "mind"), ("unknown", "mind")]
)
def test_the_memory_policy_is_judged(policy: str, grade: str) -> None:
    finding = memory_policy(policy)
    assert (finding.grade, policy in finding.text) == (grade, True)


@pytest.mark.parametrize(
    ("appendonly", "appendfsync", "grade"),
    [
        (True, "always", "ok"),
        (True, "everysec", "mind"),
        (True, "no", "mind"),
        (True, "unknown", "mind"),
        (False, "always", "wrong"),
    ],
)
def test_durability_is_judged(appendonly: bool, appendfsync: str, grade: str) -> None:
    [finding] = durability(appendonly=appendonly, appendfsync=appendfsync)
    assert finding.grade == grade


@pytest.fixture(params=sorted(binaries()))
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(binaries()[request.param], tmp_path)
    server.start()
    yield server
    server.kill()


def test_a_redis_server_is_asked(redis: RedisServer) -> None:
    code, output = asked("doctor", "--log", redis.url)
    assert code == 0, output
    assert "appendfsync always" in output
    assert "maxmemory-policy noeviction" in output
    assert "new enough" in output


def test_a_redis_server_that_would_forget_is_wrong(tmp_path: Path) -> None:
    for arguments in (("--maxmemory-policy", "allkeys-lru"), ("--appendonly", "no")):
        server = RedisServer(next(iter(binaries().values())), tmp_path, *arguments)
        server.start()
        try:
            code, output = asked("doctor", "--log", server.url)
        finally:
            server.kill()
        assert code == 1, output
        assert arguments[1] in output


def test_a_redis_server_that_is_not_there_is_wrong() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, output = asked("doctor", "--log", f"redis://:sesame@127.0.0.1:{port}/0")
    assert code == 1
    assert "sesame" not in output
