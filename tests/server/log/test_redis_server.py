"""What a server says of itself, and whether a log may live there."""

from dataclasses import replace

import pytest

from server.log.homes import RedisHome
from stampede.server.log.redis_server import ServerFacts, ask_server

GOOD = ServerFacts("Redis 7.0.15", 7, "master", False, "noeviction", True, "always")


async def test_a_server_tells_how_it_is_set_up(redis: RedisHome) -> None:
    facts = await ask_server(redis.server.url)
    assert facts.software.partition(" ")[0] in {"Redis", "Valkey"}
    assert replace(facts, software=GOOD.software) == GOOD


def test_a_good_server_is_not_objected_to() -> None:
    assert GOOD.objection("here") is None
    assert GOOD.survives_power_cut
    assert replace(GOOD, maxmemory_policy="volatile-ttl").objection("here") is None


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (replace(GOOD, software="Redis 6.2.14", compatible_with=6), "needs Redis 7 or later"),
        (replace(GOOD, role="slave"), "name its primary"),
        (replace(GOOD, cluster=True), "is a cluster"),
        (replace(GOOD, maxmemory_policy="allkeys-lfu"), "set it to noeviction"),
    ],
)
def test_what_will_not_do_is_said_in_a_sentence(facts: ServerFacts, sentence: str) -> None:
    objection = facts.objection("redis://here")
    assert objection is not None
    assert sentence in objection
    assert "redis://here" in objection


def test_only_fsync_always_survives_a_power_cut() -> None:
    assert not replace(GOOD, appendfsync="everysec").survives_power_cut
    assert not replace(GOOD, appendonly=False).survives_power_cut
