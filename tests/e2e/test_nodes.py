"""Many nodes on one log: who races whom, and on which node, makes no difference to anybody."""

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis

from server.log.redis_server import RedisServer, binaries

from .ledger import BROKEN, Racer, begin
from .servers import PATIENCE_S, Server
from .third_party import Client, race

BALANCER = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"
Lines = dict[str, list[str]]


class Nodes:
    """Two nodes, and the server that holds their log."""

    def __init__(self, redis: RedisServer) -> None:
        self.redis = redis
        self.nodes = [Server("--log", redis.url) for _ in range(2)]

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    async def at_once(self, *acts: Callable[[], Awaitable[int]]) -> list[int]:
        """Say things so that their facts come to the log together; their ids.

        The log takes no writes meanwhile, so no node knows of the others' facts when it judges its own.
        """
        with Redis(port=self.redis.port, decode_responses=True) as line:
            line.execute_command("CLIENT", "PAUSE", 1000, "WRITE")
            numbers = []
            for count, act in enumerate(acts, 1):
                numbers.append(await act())
                deadline = time.monotonic() + 0.4
                while _blocked(line) < count and time.monotonic() < deadline:
                    await asyncio.sleep(0)
            line.execute_command("CLIENT", "UNPAUSE")
        return numbers


def _blocked(line: "Redis[str]") -> int:
    """How many clients wait for writes to be let in."""
    return str(line.execute_command("CLIENT", "LIST")).count(" flags=b")


@pytest.fixture(scope="module", params=sorted(binaries()))
def nodes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    redis = RedisServer(binaries()[request.param], tmp_path_factory.mktemp(request.param))
    redis.start()
    both = Nodes(redis)
    with both.nodes[0], both.nodes[1]:
        yield both
    redis.kill()


async def test_a_race_across_nodes_from_the_lobby_to_the_replay(nodes: Nodes, lines: Lines) -> None:
    here, there = nodes.urls
    deal = next(iter(lines))
    async with (
        Client(here, "Ann", encoding="json") as ann,
        Client(there, "Bob") as bob,
        Client(there, "Eve") as eve,
        Client(here, "Guy", encoding="json") as guy,
    ):
        everyone = ann, bob, eve, guy
        assert (await eve.ask("rooms", follow=True))["rooms"] == []
        room = await ann.open(deal, listed=True, title="Friends", countdown_s=1, passphrase="sesame")
        row = (await eve.wait("rooms", lambda message: bool(message["rooms"])))["rooms"][0]
        assert (row["id"], row["title"], row["racers"], row["phase"]) == (room, "Friends", 1, "lobby")
        assert await bob.code("join", room=room, passphrase="guess") == "room.passphrase"
        await bob.join(room, passphrase="sesame")
        for watcher in (eve, guy):
            await watcher.join(room, "watcher", passphrase="sesame")
        assert {one["name"] for one in guy.room["entrants"]} == {"Ann", "Bob", "Eve", "Guy"}

        await bob.ask("say", text="good luck")
        for client in everyone:
            said = await client.wait("said")
            assert (said["name"], said["text"]) == ("Bob", "good luck")

        for racer in (ann, bob):
            assert (await racer.ask("ready", ready=True))["type"] == "done"
        starts = {(await client.wait("phase"))["starts_at_ms"] for client in everyone}
        assert len(starts) == 1, "one instant for all"
        for racer in (ann, bob):
            await racer.wait("board")
        assert ann.board["columns"] == bob.board["columns"]

        line = lines[deal]
        for action in line[:5]:
            assert (await bob.play(action))["type"] == "played"
        for client in (ann, eve, guy):
            await client.wait("progress", lambda message: any(one["moves"] == 5 for one in message["racers"]))
        for action in line:
            assert (await ann.play(action))["type"] == "played"
        for client in everyone:
            finish = await client.wait("finish")
            assert (finish["player"], finish["place"]) == (ann.player, 1)
        await bob.ask("forfeit")
        results = [await client.wait("result") for client in everyone]
        assert all(result == results[0] for result in results)
        assert results[0]["winner"] == [ann.player]
        assert [one["status"] for one in results[0]["standings"]] == ["finished", "forfeited"]
        replays = [await client.ask("replay", room=room) for client in (ann, bob)]
        for replay in replays:
            del replay["re"]
        assert replays[0] == replays[1]
        assert len(replays[0]["racers"][0]["actions"]) == len(line)
        await eve.wait("rooms", lambda message: eve.heard.index(message) > 1 and message["rooms"] == [])

        answer = await ann.ask("rematch")
        assert (await bob.wait("invitation"))["room"] == answer["room"]["id"]
        assert (await bob.ask("rematch"))["room"]["id"] == answer["room"]["id"]


async def test_what_was_acknowledged_on_one_node_is_known_on_the_other_at_once(nodes: Nodes, lines: Lines) -> None:
    here, there = nodes.urls
    deal = next(iter(lines))
    async with Client(there, "Eve") as eve:
        for _ in range(10):
            async with Client(here, "Ann") as ann:
                room = await ann.open(deal, listed=True, start="host", capacity=1)
                assert room in [row["id"] for row in (await eve.ask("rooms"))["rooms"]]
                await ann.ask("start")
                await ann.wait("board")
                async with Client(there, "Ann", token=ann.token) as again:
                    assert again.seats == [room]
                    await again.join(room)
                    assert await ann.closed() == 4001
                    await again.wait("board")
                    assert (await again.play(lines[deal][0]))["n"] == 1
                    async with Client(here, "Ann", token=ann.token) as back:
                        await back.join(room)
                        await back.wait("board")
                        assert back.board == again.board | {"elapsed_ms": back.board["elapsed_ms"]}
                        await back.ask("forfeit")


async def test_who_comes_and_goes_on_one_node_is_known_on_the_other_at_once(nodes: Nodes, lines: Lines) -> None:
    here, there = nodes.urls
    async with Client(here, "Ann") as ann, Client(there, "Bob") as bob, Client(here, "Cid") as cid:
        room = await ann.open(next(iter(lines)), capacity=2)
        for _ in range(20):
            await bob.join(room)  # the last seat, which has just been given up on the other node
            await ann.ask("sync")
            assert {one["name"] for one in ann.room["entrants"]} == {"Ann", "Bob"}
            assert await cid.code("join", room=room) == "room.full"
            await bob.ask("leave")
            await cid.join(room)
            await ann.ask("sync")
            assert {one["name"] for one in ann.room["entrants"]} == {"Ann", "Cid"}
            await cid.ask("leave")


@pytest.mark.parametrize("first", ["the move", "the seat"])
async def test_moves_of_one_player_from_two_nodes_at_once(first: str, nodes: Nodes, lines: Lines) -> None:
    here, there = nodes.urls
    deal = next(iter(lines))
    async with Client(here, "Ann") as ann, Client(there, "Ann", token=ann.token) as again:
        room = await ann.alone(deal)

        async def move() -> int:
            return await ann.say_play(lines[deal][0], 1)

        async def seat() -> int:
            return await again.say("join", room=room)

        await nodes.at_once(*((move, seat) if first == "the move" else (seat, move)))
        assert await ann.closed() == 4001
        await again.wait("board")
        assert again.room["id"] == room
        answered = [message for message in ann.heard if message["type"] in ("played", "error") and "re" in message]
        done = [message["type"] for message in answered] == ["played"]
        assert again.board["n"] == int(done)
        # Both say the same next action: whoever has the seat does it.
        assert (await again.play(lines[deal][again.board["n"]]))["type"] == "played"
        await again.ask("forfeit")
        replay = await again.ask("replay", room=room)
        assert len(replay["racers"][0]["actions"]) == again.board["n"] == 1 + int(done)


async def test_two_players_race_for_the_last_seat_through_two_nodes(nodes: Nodes, lines: Lines) -> None:
    deal = next(iter(lines))
    for turn in range(6):
        async with Client(nodes.urls[0], "Ann") as ann:
            room = await ann.open(deal, capacity=2)
            async with Client(nodes.urls[0], "Bob") as bob, Client(nodes.urls[1], "Cid") as cid:
                for one in (bob, cid):
                    await one.ask("join", room="nowhere")
                pair = (bob, cid) if turn % 2 else (cid, bob)

                def joins(one: Client, room: str = room) -> Callable[[], Awaitable[int]]:
                    return lambda: one.say("join", room=room)

                numbers = await nodes.at_once(*map(joins, pair))
                answers = [await one.answer(number) for one, number in zip(pair, numbers, strict=True)]
                assert sorted(answer["type"] for answer in answers) == ["error", "room"]
                [(winner, _)] = [both for both in zip(pair, answers, strict=True) if both[1]["type"] == "room"]
                assert {answer.get("code") for answer in answers} == {None, "room.full"}
                await ann.ask("sync")
                assert [one["name"] for one in ann.room["entrants"]] == ["Ann", winner.name]


async def test_a_dead_heat_across_nodes(nodes: Nodes, lines: Lines) -> None:
    deal = next(iter(lines))
    line = lines[deal]
    for _ in range(10):
        async with Client(nodes.urls[0], "Ann") as ann, Client(nodes.urls[1], "Bob") as bob:
            await race([ann, bob], deal, tail_s=0)
            for action in line[:-1]:
                for one in (ann, bob):
                    assert (await one.play(action))["type"] == "played"
            await nodes.at_once(lambda: ann.say_play(line[-1]), lambda: bob.say_play(line[-1]))
            results = [await one.wait("result") for one in (ann, bob)]
            assert results[0] == results[1]
            first, second = results[0]["standings"]
            assert first["status"] == "finished"
            if second["status"] == "finished":
                assert first["elapsed_ms"] == second["elapsed_ms"]
                assert (first["place"], second["place"]) == (1, 1)
                assert sorted(results[0]["winner"]) == sorted([ann.player, bob.player])
                return
            assert results[0]["winner"] == [ann.player]
            assert second["home"] == 51
    raise AssertionError("never within one millisecond, ten times in a row")


@pytest.mark.skipif(not shutil.which("haproxy"), reason="no haproxy here")
async def test_behind_the_balancer_one_node_may_die(tmp_path: Path, lines: Lines, unused_tcp_port: int) -> None:
    deal = next(iter(lines))
    redis = RedisServer(next(iter(binaries().values())), tmp_path)
    redis.start()
    nodes = Nodes(redis)
    with ExitStack() as ending:
        ending.callback(redis.kill)
        for node in nodes.nodes:
            ending.enter_context(node)
        port = unused_tcp_port
        text = BALANCER.read_text().replace("bind :7117", f"bind 127.0.0.1:{port}")
        for name, node in zip("ab", nodes.nodes, strict=True):
            text = text.replace(f"node-{name}:7117", f"127.0.0.1:{node.port}")
        (tmp_path / "haproxy.cfg").write_text(text)
        with subprocess.Popen(["haproxy", "-db", "-q", "-f", tmp_path / "haproxy.cfg"]) as balancer:
            try:
                url = f"ws://127.0.0.1:{port}/ws"
                racers = [Racer(name, deal, lines[deal]) for name in ("Ann", "Bob", "Cid", "Dan")]
                deadline = time.monotonic() + PATIENCE_S
                while True:
                    try:
                        await racers[0].arrive(url)
                        break
                    except BROKEN:
                        assert time.monotonic() < deadline
                        await asyncio.sleep(0.05)
                await racers[0].close()
                await begin(racers, [url] * 4, tail_s=0)
                before = [node.page("/metrics")[1] for node in nodes.nodes]
                assert all("stampede_connections 2.0" in page for page in before), "least connections"
                assert Server.page(nodes.nodes[0], "/metrics")[0] == 200
                await asyncio.gather(*(racer.run(lambda racer=racer: racer.acknowledged >= 10) for racer in racers))
                await asyncio.to_thread(nodes.nodes[0].kill)
                for racer in racers:
                    try:
                        await racer.step()
                    except BROKEN:
                        began = time.monotonic()
                        await racer.come_back(url)
                        assert time.monotonic() - began < 2
                await racers[3].run()
                for racer in racers:
                    assert (await racer.client.wait("result"))["winner"] == [racers[3].client.player]
                    await racer.close()
            finally:
                balancer.terminate()
