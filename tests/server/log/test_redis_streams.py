"""The log on Redis with several nodes, and with everything that can befall the line and the server."""

import asyncio
import random
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from server.log.homes import Heard, RedisHome
from server.log.proxy import Proxy
from server.log.redis_server import RedisServer
from stampede.server.log.port import Entry, LogUnusable, StorageError, entry_id
from stampede.server.log.redis_address import Address, pack
from stampede.server.log.redis_delivery import Delivery
from stampede.server.log.redis_link import Link
from stampede.server.log.redis_replies import Replies
from stampede.server.log.redis_streams import RedisLog

HOUR_MS = 3_600_000


@asynccontextmanager
async def node(url: str, prefix: str = "stampede:") -> AsyncIterator[RedisLog]:
    log = await RedisLog.open(url, prefix=prefix)
    try:
        yield log
    finally:
        await log.close()


@asynccontextmanager
async def by_hand(server: RedisServer) -> AsyncIterator[Any]:
    """A plain client."""
    client = Redis.from_url(server.url)
    try:
        yield client
    finally:
        await client.aclose()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.002)


async def append_until_taken(log: RedisLog, stream: str, fact: bytes) -> list[Entry]:
    async with asyncio.timeout(30):
        while True:
            try:
                return await log.append(stream, [fact])
            except StorageError:
                await asyncio.sleep(0.01)


def follow(log: RedisLog, stream: str, after: int = 0) -> Heard:
    heard = Heard()
    log.follow(stream, after, heard.deliver, heard.reset)
    return heard


# Several nodes.


async def test_what_one_node_appends_the_others_hear(redis: RedisHome) -> None:
    nodes = [await redis.open() for _ in range(3)]
    heard = [follow(log, "room:A") for log in nodes]  # type: ignore[arg-type]

    async def play(number: int) -> None:
        for turn in range(100):
            entries = await nodes[number].append("room:A", [b"%d %d" % (number, turn)] * (1 + turn % 3))
            assert heard[number].entries[-1].id >= entries[-1].id

    await asyncio.gather(*map(play, range(3)))
    stored = await nodes[0].read("room:A")
    assert len(stored) == 3 * 199
    for each in heard:
        await until(lambda each=each: len(each.entries) >= len(stored))  # type: ignore[misc]
        assert each.entries == stored


async def test_nodes_know_of_each_other_until_they_fall_silent(redis: RedisHome) -> None:
    one, two = await redis.open(), await redis.open()
    await one.beat("one")
    await two.beat("two")
    assert await one.nodes() == await two.nodes() == {"one", "two"}
    async with by_hand(redis.server) as client:
        await client.zincrby(f"{redis.prefix}nodes", -20_000, "one")
    assert await two.nodes() == {"two"}
    await two.beat("two")
    async with by_hand(redis.server) as client:
        assert await client.zcard(f"{redis.prefix}nodes") == 1


async def test_databases_and_prefixes_keep_logs_apart(redis: RedisHome) -> None:
    url = redis.server.url
    async with node(url, "x:") as one, node(url[:-1] + "1", "x:") as two, node(url, "y:") as three:
        heard = [follow(log, "rooms") for log in (one, two, three)]
        for log in (one, two, three):
            await log.append("rooms", [b"first"])
        await one.append("rooms", [b"second"])
        assert [each.facts for each in heard] == [[b"first", b"second"], [b"first"], [b"first"]]
        assert [each.resets for each in heard] == [0, 0, 0]
        for log in (one, two, three):
            await log.delete("rooms")


async def test_channels_nobody_follows_are_let_go(redis: RedisHome) -> None:
    log = await redis.open()
    heard = Heard()
    async with by_hand(redis.server) as client:

        async def listeners() -> int:
            return len(await client.pubsub_channels(f"{redis.prefix}*"))

        followings = [log.follow(f"room:{number}", 0, heard.deliver, heard.reset) for number in range(1200)]
        async with asyncio.timeout(30):
            while await listeners() != 1200:
                await asyncio.sleep(0.01)
            for following in followings[1:]:
                following.close()
            while await listeners() != 1:
                await asyncio.sleep(0.01)
    await log.append("room:0", [b"a"])
    assert heard.facts == [b"a"]


async def test_a_follower_that_leaves_and_comes_back_misses_nothing(redis: RedisHome) -> None:
    here, there = await redis.open(), await redis.open()
    entries: list[Entry] = []
    for turn in range(50):
        following = here.follow("room:A", entries[-1].id if entries else 0, entries.append, lambda: None)
        waiting = there.append("room:A", [b"%d" % turn])
        if turn % 3:
            await asyncio.sleep(0)
        following.close()
        await waiting
    heard = follow(here, "room:A", entries[-1].id if entries else 0)  # type: ignore[arg-type]
    await until(lambda: len(entries) + len(heard.entries) >= 50)
    assert entries + heard.entries == await there.read("room:A")


# Lost messages.


async def test_entries_nobody_was_told_of_show_at_the_next_one(redis: RedisHome) -> None:
    log = await redis.open()
    heard = follow(log, "room:A")  # type: ignore[arg-type]
    await log.append("room:A", [b"a"])
    async with by_hand(redis.server) as client:
        for fact in (b"b", b"c"):
            await client.xadd(f"{redis.prefix}{{room:A}}:log", {"f": fact})
    await log.append("room:A", [b"d", b"e"])
    assert heard.facts == [b"a", b"b", b"c", b"d", b"e"]


async def test_entries_nobody_was_told_of_are_found_without_a_next_one(redis: RedisHome) -> None:
    log = await redis.open()
    followers = [follow(log, f"room:{number}") for number in range(20)]  # type: ignore[arg-type]
    await asyncio.gather(*(log.append(f"room:{number}", [b"a"]) for number in range(20)))
    async with by_hand(redis.server) as client:
        await client.xadd(f"{redis.prefix}{{room:17}}:log", {"f": b"b"})
    await until(lambda: followers[17].facts == [b"a", b"b"])


async def test_what_was_missed_while_deaf_is_read_as_soon_as_the_line_is_back(
    redis: RedisHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Delivery, "catch_up_some", lambda delivery: None)
    async with Proxy(redis.server.port) as proxy, node(proxy.url, redis.prefix) as here:
        there = await redis.open()
        before = await there.append("room:A", [b"a", b"b"])
        heard = follow(here, "room:A", before[0].id)
        await until(lambda: heard.facts == [b"b"])
        proxy.fall_silent()
        proxy.cut()
        await there.append("room:A", [b"c", b"d"])
        proxy.speak_again()
        await until(lambda: heard.facts == [b"b", b"c", b"d"])


async def test_somebody_elses_messages_do_no_harm(redis: RedisHome) -> None:
    log = await redis.open()
    heard = follow(log, "room:A")  # type: ignore[arg-type]
    await log.append("room:A", [b"a"])
    async with by_hand(redis.server) as client:
        for message in (b"", b"\n", b"hello", b"1-0 2-0\n", b"\xff\xff 3\n", b"1-0 2-0 x\n"):
            await client.publish(f"{redis.prefix}0:{{room:A}}:news", message)
    other = await redis.open()
    await other.append("room:A", [b"b"])
    await until(lambda: heard.facts == [b"a", b"b"])
    assert heard.resets == 0


async def test_a_line_that_is_cut_at_any_byte_costs_no_entry_and_doubles_none(redis: RedisHome) -> None:
    chance = random.Random(7)
    async with Proxy(redis.server.port) as proxy, node(proxy.url, redis.prefix) as here:
        there = await redis.open()
        heard = {name: follow(here, name) for name in ("room:A", "room:B", "room:C")}
        acknowledged: dict[str, list[Entry]] = {name: [] for name in heard}
        playing = True

        async def play_here(name: str) -> None:
            turn = 0
            while playing:
                try:
                    entries = await here.append(name, [b"here %d" % turn, b"x" * chance.randrange(60)])
                except StorageError:
                    continue
                finally:
                    turn += 1
                    await asyncio.sleep(0)
                assert heard[name].entries[-1].id >= entries[-1].id
                acknowledged[name] += entries

        async def play_there(name: str) -> None:
            turn = 0
            while playing:
                acknowledged[name] += await there.append(name, [b"there %d" % turn])
                turn += 1
                await asyncio.sleep(0.001)

        tasks = [asyncio.create_task(play(name)) for name in heard for play in (play_here, play_there)]
        for length in [*range(1, 400, 13), *(chance.randrange(4000) for _ in range(40))]:
            cuts = proxy.cuts
            proxy.cut_after(max(1, length))
            await until(lambda cuts=cuts: proxy.cuts > cuts)  # type: ignore[misc]
        playing = False
        await asyncio.gather(*tasks)
        for name, each in heard.items():
            [last] = await there.append(name, [b"last"])
            await until(lambda each=each, last=last: each.entries[-1:] == [last])  # type: ignore[misc]
            stored = await there.read(name)
            assert each.entries == stored
            assert set(acknowledged[name]) <= set(stored)
            assert each.resets == 0


async def test_a_line_that_falls_silent_is_given_up(redis: RedisHome) -> None:
    async with Proxy(redis.server.port) as proxy, node(proxy.url, redis.prefix) as here:
        there = await redis.open()
        heard = follow(here, "room:A")
        await here.append("room:A", [b"a"])
        proxy.fall_silent()
        await there.append("room:A", [b"b"])
        async with asyncio.timeout(10):
            with pytest.raises(StorageError):
                await here.append("room:A", [b"c"])
        proxy.speak_again()
        await append_until_taken(here, "room:A", b"d")
        stored = await there.read("room:A")
        assert heard.entries == stored


# The server.


async def test_with_redis_away_commands_fail_soon_and_it_comes_back_by_itself(own_server: RedisServer) -> None:
    async with node(own_server.url) as log:
        heard = follow(log, "room:A")
        await log.append("room:A", [b"a"])
        own_server.kill()
        for attempt in (lambda: log.append("room:A", [b"b"]), lambda: log.read("room:A"), log.check, log.nodes):
            began = time.monotonic()
            with pytest.raises(StorageError, match="away"):
                await attempt()  # type: ignore[operator]
            assert time.monotonic() - began < 4  # two seconds, and a busy machine
        own_server.start()
        await append_until_taken(log, "room:A", b"c")
        assert heard.facts == [b"a", b"c"]
        assert heard.resets == 0


async def test_a_server_that_hangs_fails_commands_soon(own_server: RedisServer) -> None:
    async with node(own_server.url) as log:
        heard = follow(log, "room:A")
        await log.append("room:A", [b"a"])
        own_server.kill(signal.SIGSTOP)
        began = time.monotonic()
        answers = await asyncio.gather(
            *(log.append("room:A", [b"b"]) for _ in range(10)), log.read("room:A"), return_exceptions=True
        )
        assert time.monotonic() - began < 4
        assert {type(answer) for answer in answers} == {StorageError}
        own_server.kill(signal.SIGCONT)
        await append_until_taken(log, "room:A", b"c")
        assert heard.entries == await log.read("room:A")


async def test_a_short_absence_between_commands_is_not_noticed(own_server: RedisServer) -> None:
    async with node(own_server.url) as log:
        await log.append("room:A", [b"a"])
        own_server.kill(signal.SIGTERM)
        waiting = log.append("room:A", [b"b"])
        own_server.start()
        entries = await asyncio.gather(waiting, return_exceptions=True)
        stored = [entry.fact for entry in await log.read("room:A")]
        assert stored in ([b"a", b"b"], [b"a"])
        assert (stored == [b"a", b"b"]) or isinstance(entries[0], StorageError)


async def test_whatever_was_acknowledged_survives_kill_9_of_the_server(own_server: RedisServer) -> None:
    chance = random.Random(9)
    async with node(own_server.url) as here, node(own_server.url) as there:
        heard = {name: [follow(log, name) for log in (here, there)] for name in ("room:A", "room:B")}
        acknowledged: dict[str, list[Entry]] = {name: [] for name in heard}

        async def play(log: RedisLog, name: str, playing: asyncio.Event, round_: int) -> None:
            turn = 0
            while playing.is_set():
                turn += 1
                try:
                    acknowledged[name] += await log.append(name, [b"%d %d" % (round_, turn)])
                except StorageError:
                    await asyncio.sleep(0.01)

        for round_ in range(3):
            playing = asyncio.Event()
            playing.set()
            tasks = [asyncio.create_task(play(log, name, playing, round_)) for log in (here, there) for name in heard]
            await asyncio.sleep(0.05 + chance.random() * 0.2)
            own_server.kill()
            own_server.start()
            for name in heard:
                await append_until_taken(here, name, b"back")
            playing.clear()
            await asyncio.gather(*tasks)
        for name, followers in heard.items():
            [last] = await append_until_taken(there, name, b"last")
            stored = await there.read(name)
            assert set(acknowledged[name]) <= set(stored)
            for each in followers:
                await until(lambda each=each, last=last: each.entries[-1:] == [last])  # type: ignore[misc]
                assert each.entries == stored
                assert each.resets == 0


async def test_a_server_that_comes_back_empty_resets_followers(own_server: RedisServer) -> None:
    async with node(own_server.url) as log:
        heard, silent, fresh = follow(log, "room:A"), follow(log, "room:B"), follow(log, "room:C")
        await log.append("room:A", [b"a"])
        await log.append("room:B", [b"b"])
        own_server.kill()
        own_server.forget()
        own_server.start()
        await until(lambda: heard.resets == silent.resets == 1)
        assert await log.read("room:A") == []
        again = follow(log, "room:A")
        await append_until_taken(log, "room:A", b"new")
        await append_until_taken(log, "room:C", b"first")
        assert again.facts == [b"new"]
        assert fresh.facts == [b"first"]
        assert (heard.facts, heard.resets, again.resets, fresh.resets) == ([b"a"], 1, 0, 0)


@pytest.mark.parametrize("others_go_on", [False, True])
async def test_a_server_that_lost_its_tail_resets_followers(
    own_server: RedisServer, tmp_path_factory: pytest.TempPathFactory, others_go_on: bool
) -> None:
    copy = tmp_path_factory.mktemp("copy") / "copy"
    async with Proxy(own_server.port) as proxy, node(proxy.url) as here, node(own_server.url) as there:
        heard = follow(here, "room:A")
        kept = await there.append("room:A", [b"a", b"b"])
        shutil.copytree(own_server.folder, copy)
        lost = await there.append("room:A", [b"lost"])
        await until(lambda: heard.entries == kept + lost)
        proxy.fall_silent()
        own_server.kill()
        own_server.forget()
        restore(copy, own_server.folder)
        own_server.start()
        after = await append_until_taken(there, "room:A", b"after") if others_go_on else []
        proxy.cut()
        proxy.speak_again()
        await until(lambda: heard.resets == 1)
        assert heard.entries == kept + lost
        again = follow(here, "room:A")
        await until(lambda: again.entries == kept + after)


def restore(copy: Path, folder: Path) -> None:
    shutil.copytree(copy, folder, dirs_exist_ok=True)


async def test_a_database_that_is_emptied_under_us_resets_followers(redis: RedisHome) -> None:
    here, there = await redis.open(), await redis.open()
    heard = [follow(here, "room:A"), follow(there, "room:A")]  # type: ignore[arg-type]
    await here.append("room:A", [b"a"])
    await until(lambda: all(each.facts == [b"a"] for each in heard))
    async with by_hand(redis.server) as client:
        await client.delete(f"{redis.prefix}{{room:A}}:log")
    await here.append("room:A", [b"b"])
    await until(lambda: all(each.resets == 1 for each in heard))
    assert [each.facts for each in heard] == [[b"a"], [b"a"]]


async def test_an_emptied_database_shows_without_a_next_entry(redis: RedisHome) -> None:
    log = await redis.open()
    heard = follow(log, "room:A")  # type: ignore[arg-type]
    await log.append("room:A", [b"a"])
    async with by_hand(redis.server) as client:
        await client.delete(f"{redis.prefix}{{room:A}}:log")
    await until(lambda: heard.resets == 1)


async def test_scripts_that_redis_forgot_are_given_to_it_again(redis: RedisHome) -> None:
    log = await redis.open()
    heard = follow(log, "room:A")  # type: ignore[arg-type]
    async with by_hand(redis.server) as client:
        for turn in range(3):
            await client.script_flush()
            await asyncio.gather(*(log.append("room:A", [b"%d %d" % (turn, number)]) for number in range(20)))
    assert heard.facts == [b"%d %d" % (turn, number) for turn in range(3) for number in range(20)]


async def test_time_goes_on_when_the_servers_clock_was_set_back(redis: RedisHome) -> None:
    log = await redis.open()
    ahead_ms = time.time_ns() // 1_000_000 + HOUR_MS
    async with by_hand(redis.server) as client:
        await client.xadd(f"{redis.prefix}{{room:A}}:log", {"f": b"a"}, id=f"{ahead_ms}-7")
    heard = follow(log, "room:A")  # type: ignore[arg-type]
    first, second = await log.append("room:A", [b"b", b"c"])
    assert first.id == entry_id(ahead_ms, 8)
    assert second.id == first.id + 1
    await asyncio.sleep(0.02)
    [third] = await log.append("room:A", [b"d"])
    assert ahead_ms < third.time_ms <= log.time_ms()
    [other] = await log.append("room:B", [b"e"])
    assert other.time_ms >= third.time_ms
    assert heard.facts == [b"a", b"b", b"c", b"d"]


async def test_ids_go_on_where_a_stream_was_deleted_and_the_servers_clock_set_back(redis: RedisHome) -> None:
    log = await redis.open()
    ahead_ms = time.time_ns() // 1_000_000 + HOUR_MS
    async with by_hand(redis.server) as client:
        await client.xadd(f"{redis.prefix}{{room:A}}:log", {"f": b"a"}, id=f"{ahead_ms}-7")
    await log.delete("room:A")
    [entry] = await log.append("room:A", [b"b"])
    assert entry.time_ms > ahead_ms


async def test_a_full_memory_acknowledges_nothing_and_goes_on_when_there_is_room(own_server: RedisServer) -> None:
    async with node(own_server.url) as log, by_hand(own_server) as client:
        heard = follow(log, "room:A")
        await log.append("room:A", [b"a"])
        await client.config_set("maxmemory", "1")
        for facts in ([b"b"], [b"c", b"d"]):
            with pytest.raises(StorageError, match="maxmemory"):
                await log.append("room:A", facts)
        with pytest.raises(StorageError, match="maxmemory"):
            await log.check()
        assert [entry.fact for entry in await log.read("room:A")] == [b"a"]
        await client.config_set("maxmemory", "0")
        await log.check()
        await log.append("room:A", [b"e"])
        assert heard.facts == [b"a", b"e"]


# What it refuses.


async def refusal(url: str, password: str | None = None) -> str:
    with pytest.raises(LogUnusable) as caught:
        await RedisLog.open(url, password=password)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "secret" not in sentence
    return sentence


async def test_a_server_that_would_forget_rooms_is_refused(own_server: RedisServer) -> None:
    async with by_hand(own_server) as client:
        await client.config_set("maxmemory-policy", "allkeys-lru")
        assert "set it to noeviction" in await refusal(own_server.url)
        await client.config_set("maxmemory-policy", "volatile-lru")
    async with node(own_server.url):
        pass


async def test_a_replica_is_refused(own_server: RedisServer) -> None:
    async with by_hand(own_server) as client:
        await client.replicaof("127.0.0.1", "1")
        assert "is a replica" in await refusal(own_server.url)


async def test_a_server_that_becomes_a_replica_fails_commands(own_server: RedisServer) -> None:
    async with node(own_server.url) as log, by_hand(own_server) as client:
        await log.append("room:A", [b"a"])
        await client.replicaof("127.0.0.1", "1")
        with pytest.raises(StorageError):
            await log.append("room:A", [b"b"])
        await client.replicaof("NO", "ONE")
        await append_until_taken(log, "room:A", b"c")


async def test_a_server_that_loads_fails_commands(own_server: RedisServer) -> None:
    async with node(own_server.url) as log, by_hand(own_server) as hand:
        for number in range(40):
            await log.append(f"room:{number}", [random.randbytes(4000)])
        await hand.config_set("loading-process-events-interval-bytes", 1024)
        await hand.config_set("key-load-delay", 20_000)
        reload = asyncio.create_task(hand.execute_command("DEBUG", "RELOAD"))
        refusals = []
        async with asyncio.timeout(20):
            while not reload.done():
                refused: asyncio.Future[StorageError] = asyncio.get_running_loop().create_future()
                log.submit("room:A", b"a", lambda _, error, refused=refused: refused.set_result(error))  # type: ignore[misc]
                try:
                    await log.append("room:A", [b"a"])
                except StorageError as error:
                    refusals += [str(error), str(await refused)]
        assert any("loading" in refusal for refusal in refusals)
        await append_until_taken(log, "room:A", b"b")


async def test_an_answer_that_cannot_be_read_fails_what_waits_and_nothing_else() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not (await reader.read(1000)).startswith(b"*1"):
            writer.write(b"+OK\r\n+OK\r\n")  # to what redis-py says of itself
        writer.write(answers.pop(0))
        await reader.read()
        writer.close()

    answers = [b"-MOVED\r\n", b"%1\r\n*0\r\n+b\r\n", b"!\r\n", b"+PONG\r\n"]
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        link = Link(Address.parse(f"redis://127.0.0.1:{port}"))
        async with asyncio.timeout(10):
            while len(answers) > 1:
                with pytest.raises(StorageError, match="is away"):
                    await link.call("PING")
            assert await link.call("PING") == b"PONG"
        await link.close()


async def test_all_replies_that_have_come_are_read_at_a_time(redis: RedisHome) -> None:
    connection = await Address.parse(redis.server.url).connect()
    replies = Replies(connection)
    await connection.send_packed_command([pack("ECHO", b"x" * 1000) * 1000])
    await asyncio.sleep(0.2)
    assert len(await replies.some()) > 100
    await connection.disconnect(nowait=True)


async def test_a_password_is_needed_where_there_is_one(own_server: RedisServer) -> None:
    async with by_hand(own_server) as client:
        await client.config_set("requirepass", "secret word")
    host = f"127.0.0.1:{own_server.port}/0"
    await refusal(f"redis://{host}")
    await refusal(f"redis://:wrong-secret@{host}")
    await refusal(f"redis://:secret%20word@{host}", password="wrong secret")
    for url, password in [
        (f"redis://:secret%20word@{host}", None),
        (f"redis://default:secret%20word@{host}", None),
        (f"valkey://:wrong@{host}", "secret word"),
        (f"redis://{host}", "secret word"),
    ]:
        log = await RedisLog.open(url, password=password)
        await log.append("room:A", [b"a"])
        await log.close()


async def test_a_server_that_is_not_there_is_refused_without_naming_the_password(own_server: RedisServer) -> None:
    own_server.kill()
    assert f"127.0.0.1:{own_server.port}" in await refusal(f"redis://:secret@127.0.0.1:{own_server.port}/0")


@pytest.mark.parametrize("url", ["redis://", "redis:localhost", "redis://h:port/", "redis://h/rooms", "redis:///2"])
async def test_an_address_without_a_host_or_with_a_wrong_database_is_refused(url: str) -> None:
    assert "redis://USER:PASSWORD@HOST:PORT/DATABASE" in await refusal(url)
