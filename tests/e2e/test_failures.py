"""Failures: nodes, the log's server and the disk die in the middle of races; the ledgers of those who race still hold.

Whatever was acknowledged is there afterwards, wherever the log's settings promise it, and nothing is there that was
not played.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from websockets.exceptions import InvalidStatus

from server.log.redis_server import RedisServer, binaries

from .ledger import BROKEN, Racer, begin
from .servers import PATIENCE_S, Server
from .third_party import Client

Lines = dict[str, list[str]]

pytestmark = pytest.mark.skipif(not binaries(), reason="no Redis or Valkey here")


@pytest.fixture
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    name = getattr(request, "param", sorted(binaries())[-1])
    folder = tmp_path / name
    folder.mkdir()
    server = RedisServer(binaries()[name], folder)
    server.start()
    yield server
    server.kill()


each_redis = pytest.mark.parametrize("redis", sorted(binaries()), indirect=True)


@pytest.fixture
def deal(lines: Lines) -> str:
    return next(iter(lines))


def racers_of(deal: str, lines: Lines, *names: str) -> list[Racer]:
    return [Racer(name, deal, lines[deal], encoding=("json", "msgpack")[at % 2]) for at, name in enumerate(names)]


def nodes_on(redis: RedisServer) -> tuple[Server, Server]:
    return Server("--log", redis.url), Server("--log", redis.url)


def entrant(client: Client, player: str) -> dict[str, Any]:
    """The latest that a client has heard of someone in its room."""
    told = [message["entrant"] for message in client.all("entrant") if message["entrant"]["player"] == player]
    return told[-1] if told else next(one for one in client.room["entrants"] if one["player"] == player)


async def within(seconds: float, holds: Callable[[], bool], client: Client) -> float:
    """Wait until something holds for what a client has heard; how long it took."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        await client.until(holds)
    return time.monotonic() - began


def not_stored(client: Client) -> Callable[[], bool]:
    """Whether the client has been told that something could not be stored."""
    return lambda: any(message.get("code") == "server.storage" for message in client.heard)


async def plays(racer: Racer, count: int) -> None:
    """Play so many more actions."""
    goal = racer.acknowledged + count
    await racer.run(lambda: racer.acknowledged >= goal)


# Nodes


async def test_a_node_is_killed_and_its_players_go_on_elsewhere(redis: RedisServer, deal: str, lines: Lines) -> None:
    ann, bob, cid = racers = racers_of(deal, lines, "Ann", "Bob", "Cid")
    one, other = nodes_on(redis)
    with one, other:
        await begin(racers, [one.url, other.url, one.url], tail_s=0)
        async with Client(other.url, "Eve") as eve:
            await eve.join(bob.room, "watcher")
            await asyncio.gather(*(plays(racer, 15) for racer in racers))
            number = await ann.client.say_play(ann.line[ann.acknowledged])  # in flight: nobody knows what becomes of it
            ann.said += 1
            bob.client.heard.clear()
            await asyncio.to_thread(one.kill)
            killed = time.monotonic()
            await ann.client.closed()
            with suppress(BROKEN):
                answer = await ann.client.answer(number)
                ann.acknowledged += answer["type"] == "played"
            await cid.client.closed()

            began = time.monotonic()
            await ann.come_back(other.url)
            assert time.monotonic() - began < 2
            await plays(ann, 5)
            await plays(bob, 5)

            # Who does not come back is seen to be away; nobody else is.
            await within(15 - (time.monotonic() - killed), lambda: entrant(eve, cid.client.player)["away"], eve)
            await within(
                15 - (time.monotonic() - killed), lambda: entrant(bob.client, cid.client.player)["away"], bob.client
            )
            assert not entrant(eve, bob.client.player)["away"]
            assert not entrant(eve, ann.client.player)["away"]
            assert {message["type"] for message in bob.client.heard} <= {"played", "progress", "entrant"}

            await cid.come_back(other.url)
            await within(PATIENCE_S, lambda: not entrant(eve, cid.client.player)["away"], eve)
            await ann.run()
            for client in (ann.client, bob.client, cid.client, eve):
                assert (await client.wait("result"))["winner"] == [ann.client.player]
            replay = await eve.ask("replay", room=ann.room)
            told = {racer["player"]: len(racer["actions"]) for racer in replay["racers"]}
            assert told == {racer.client.player: racer.acknowledged for racer in racers}
        for racer in racers:
            await racer.close()


async def test_a_node_stands_still_for_twenty_seconds_and_goes_on(redis: RedisServer, deal: str, lines: Lines) -> None:
    ann, bob, dan = racers = racers_of(deal, lines, "Ann", "Bob", "Dan")
    one, other = nodes_on(redis)
    with one, other:
        await begin(racers, [one.url, other.url, one.url], tail_s=0)
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        stopped = psutil.Process(one._process.pid)
        stopped.suspend()
        since = time.monotonic()
        old = ann.client
        # What Ann says into the void is played by nobody, once she has taken her seat elsewhere.
        for ahead in range(3):
            await old.say_play(ann.line[10 + ahead], 11 + ahead)
        await old.say("forfeit")
        await within(15, lambda: entrant(bob.client, dan.client.player)["away"], bob.client)
        began = time.monotonic()
        await ann.come_back(other.url)
        assert time.monotonic() - began < 2
        assert ann.acknowledged == 10
        await plays(ann, 2)
        await plays(bob, 5)
        await asyncio.sleep(20 - (time.monotonic() - since))  # the very thing that is tested
        stopped.resume()

        assert await old.closed() == 4001
        assert not [message for message in old.heard if message["type"] == "played" and message["n"] > 10]
        await ann.client.ask("sync")
        await ann.client.wait("board", lambda message: message["n"] >= 12)
        ann.check()
        assert ann.acknowledged == 12
        assert entrant(ann.client, ann.client.player)["status"] == "racing"
        # Dan never left: he is seen to be back, and plays on where he was.
        await within(PATIENCE_S, lambda: not entrant(bob.client, dan.client.player)["away"], bob.client)
        await plays(dan, 5)
        await ann.run()
        for racer in racers:
            assert (await racer.client.wait("result"))["winner"] == [ann.client.player]
            await racer.close()


async def test_a_node_is_asked_to_end_and_its_players_land_on_another(
    redis: RedisServer, deal: str, lines: Lines
) -> None:
    ann, bob = racers = racers_of(deal, lines, "Ann", "Bob")
    one, other = nodes_on(redis)
    with one, other:
        await begin(racers, [one.url, other.url], tail_s=0)
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        running = asyncio.create_task(bob.run(lambda: bob.acknowledged >= 60, pause_s=0.01))
        deaf = Client(one.url, "Deaf")  # whose connection has to be waited for
        await deaf.connect()
        deaf.socket.transport.pause_reading()
        one.terminate()
        goodbye = await ann.client.wait("goodbye")
        assert goodbye["retry_ms"] > 0
        assert await ann.client.closed() == 1012
        assert await asyncio.to_thread(one.page, "/readyz") == (503, "draining\n")
        with pytest.raises(InvalidStatus, match="503"):
            await Client(one.url, "Late").connect()
        assert await asyncio.to_thread(one.wait) == 0
        assert "Traceback" not in "".join(one.output)
        deaf.abort()
        began = time.monotonic()
        await ann.come_back(other.url)
        assert time.monotonic() - began < 2
        assert ann.acknowledged == 10
        await plays(ann, 5)
        await running
        await bob.run()
        assert (await ann.client.wait("result"))["winner"] == [bob.client.player]
        for racer in racers:
            await racer.close()


# Redis


@pytest.mark.parametrize(
    ("redis", "number"),
    [
        *((name, number) for name in sorted(binaries()) for number in (signal.SIGTERM, signal.SIGKILL)),
        *((name, signal.SIGSTOP) for name in sorted(binaries())[-1:]),
    ],
    indirect=["redis"],
)
async def test_redis_is_away_for_a_while_and_nothing_acknowledged_is_lost(
    number: signal.Signals, redis: RedisServer, deal: str, lines: Lines
) -> None:
    ann, bob, _ = racers = racers_of(deal, lines, "Ann", "Bob", "Cid")
    one, other = nodes_on(redis)
    with one, other:
        await begin(racers, [one.url, other.url, one.url], tail_s=0)
        goal = 30

        def reached(racer: Racer) -> Callable[[], bool]:
            return lambda: racer.acknowledged >= goal

        running = [asyncio.create_task(racer.run(reached(racer), pause_s=0.02)) for racer in racers]
        await ann.client.until(lambda: ann.client.board["n"] >= 10)
        await asyncio.to_thread(redis.kill, number)
        for racer in racers:
            # Each is told within two seconds that it cannot be stored; and is on the same socket still.
            await within(2.5, not_stored(racer.client), racer.client)
        async with Client(one.url, "Eve") as eve:
            assert await eve.code("open", deal=deal) == "server.storage"
        assert await asyncio.to_thread(one.page, "/livez") == (200, "alive\n")
        status, told = await asyncio.to_thread(one.page, "/readyz")
        assert (status, told.partition(":")[0]) == (503, "log")
        if number == signal.SIGSTOP:
            redis.kill(signal.SIGCONT)
        else:
            await asyncio.to_thread(redis.start)
        await asyncio.gather(*running)
        assert (await asyncio.to_thread(one.page, "/readyz"))[0] == 200
        for racer in racers:
            await racer.client.ask("sync")
            racer.check()
            assert racer.acknowledged >= goal
        await ann.run()
        for racer in racers:
            assert (await racer.client.wait("result"))["winner"] == [ann.client.player]
        replay = await bob.client.ask("replay", room=ann.room)
        for racer, told_of in zip(racers, replay["racers"], strict=True):
            actions = [f"{do['move']} {do['to']}" if "move" in do else next(iter(do)) for _, do in told_of["actions"]]
            assert actions == racer.line[: racer.acknowledged]
            await racer.close()


@each_redis
async def test_redis_comes_back_with_a_lost_tail(redis: RedisServer, deal: str, lines: Lines, tmp_path: Path) -> None:
    racers = racers_of(deal, lines, "Ann", "Bob")
    one, other = nodes_on(redis)
    with one, other:
        await begin(racers, [one.url, other.url])
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        await asyncio.to_thread(redis.kill, signal.SIGTERM)
        shutil.copytree(redis.folder, tmp_path / "kept")
        await asyncio.to_thread(redis.start)
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        await asyncio.to_thread(redis.kill)
        redis.forget()
        shutil.copytree(tmp_path / "kept", redis.folder, dirs_exist_ok=True)
        for racer in racers:
            racer.client.heard.clear()
        await asyncio.to_thread(redis.start)
        for racer in racers:
            # Nobody has to ask: a fresh board comes, of what is really there.
            await racer.client.wait("board")
            assert racer.client.board["n"] == 10
            racer.lose_tail()
        await asyncio.gather(*(racer.run(lambda racer=racer: racer.acknowledged >= 15) for racer in racers))
        for racer in racers:
            await racer.client.ask("sync")
            racer.check()
            assert racer.acknowledged == 15
            await racer.close()


async def test_redis_comes_back_empty(redis: RedisServer, deal: str, lines: Lines) -> None:
    ann, bob = racers = racers_of(deal, lines, "Ann", "Bob")
    one, other = nodes_on(redis)
    with one, other:
        room = await begin(racers, [one.url, other.url])
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        await asyncio.to_thread(redis.kill)
        redis.forget()
        await asyncio.to_thread(redis.start)
        for racer in racers:
            error = await racer.client.wait("error", lambda message: message["code"] == "room.unknown")
            assert "re" not in error
            assert room in error["text"]
            assert await racer.step() == "room.not_in_one"
            assert await racer.client.code("join", room=room) == "room.unknown"
        await bob.client.wait("error")
        ann.client.heard.clear()
        again = await ann.client.alone(deal)
        assert again != room
        assert (await ann.client.play(ann.line[0]))["type"] == "played"
        async with Client(other.url, "Ann", token=ann.client.token) as elsewhere:
            assert elsewhere.seats == [again]
        for racer in racers:
            await racer.close()


# The disk


def _tmpfs(folder: Path) -> bool:
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[tuple[str, Callable[[Server], None], Callable[[Server], None]]]:
    """A log's address, how to fill its disk, and how to make room again."""
    folder = tmp_path / "disk"
    ballast = folder / "ballast"
    if _tmpfs(folder):

        def fill(server: Server) -> None:
            with suppress(OSError), ballast.open("ab", buffering=0) as file:
                while True:
                    file.write(bytes(256))

        yield f"sqlite:{folder / 'race.db'}", fill, lambda server: ballast.unlink()
        subprocess.run(["umount", "-l", str(folder)], check=True)
        return

    def limit(server: Server, size: int) -> None:
        process = psutil.Process(server._process.pid)
        process.rlimit(psutil.RLIMIT_FSIZE, (size, psutil.RLIM_INFINITY))

    wal = folder / "race.db-wal"
    yield (
        f"sqlite:{folder / 'race.db'}",
        lambda server: limit(server, wal.stat().st_size),
        lambda server: limit(server, psutil.RLIM_INFINITY),
    )


async def test_the_disk_is_full_and_has_room_again(
    full_disk: tuple[str, Callable[[Server], None], Callable[[Server], None]], deal: str, lines: Lines
) -> None:
    log, fill, make_room = full_disk
    _, bob = racers = racers_of(deal, lines, "Ann", "Bob")
    with Server("--log", log, "--provers", "0") as server:
        await begin(racers, [server.url] * 2, tail_s=0)
        await asyncio.gather(*(plays(racer, 10) for racer in racers))
        fill(server)
        running = [asyncio.create_task(racer.run(lambda racer=racer: racer.acknowledged >= 40)) for racer in racers]
        for racer in racers:
            await racer.client.until(not_stored(racer.client))
        status, told = await asyncio.to_thread(server.page, "/readyz")
        assert (status, told.partition(":")[0]) == (503, "log")
        before = [racer.acknowledged for racer in racers]
        # Reading goes on.
        async with Client(server.url, "Eve") as eve:
            assert (await eve.ask("rooms"))["rooms"] == []
        assert [racer.acknowledged for racer in racers] == before, "nothing is acknowledged that was not stored"
        make_room(server)
        await asyncio.gather(*running)
        assert (await asyncio.to_thread(server.page, "/readyz"))[0] == 200
        await asyncio.to_thread(server.kill)
    with Server("--log", log, "--provers", "0") as server:
        for racer in racers:
            await racer.come_back(server.url)
            assert racer.acknowledged == 40
        await bob.run()
        for racer in racers:
            assert (await racer.client.wait("result"))["winner"] == [bob.client.player]
            await racer.close()
