"""A server that is killed in mid-race and started again on the same file serves the same race."""

import asyncio
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import ConnectionClosed

from .model import Model
from .servers import Server
from .third_party import Client, pile, race


class Racer:
    """A racer with a ledger of what was acknowledged, who comes back after every crash."""

    def __init__(self, name: str, encoding: str, line: list[str], deal: str) -> None:
        self.name = name
        self.encoding = encoding
        self.line = line
        self.model = Model(deal)
        self.said = 0
        """Actions said so far."""
        self.acknowledged = 0
        self.elapsed_ms = 0
        self.client = Client("", name, encoding=encoding)

    async def arrive(self, url: str) -> None:
        self.client = Client(url, self.name, encoding=self.encoding, token=self.client.token)
        await self.client.connect()
        await self.client.hello()

    async def come_back(self, url: str, room: str) -> None:
        """Take the seat again, and see that nothing acknowledged is missing and nothing was done twice."""
        await self.arrive(url)
        assert self.client.seats == [room]
        await self.client.join(room)
        await self.client.wait("board")
        board = self.client.board
        assert self.acknowledged <= board["n"] <= self.said
        for action in self.line[self.acknowledged : board["n"]]:
            assert self.model.act(action) == "ok"
        assert pile(board) == self.model.view()
        assert (board["score"], board["moves"]) == (self.model.score, board["n"])
        assert board["undo_left"] == self.model.undo_left
        assert board["elapsed_ms"] >= self.elapsed_ms
        self.acknowledged = self.said = board["n"]

    async def run(self, pause_s: float) -> None:
        """Play on until the line breaks or the game is won."""
        while self.acknowledged < len(self.line):
            action = self.line[self.acknowledged]
            self.said = self.acknowledged + 1
            try:
                answer = await self.client.play(action, self.said)
            except (ConnectionError, ConnectionClosed):
                return
            assert (answer["type"], answer["n"]) == ("played", self.said)
            assert self.model.act(action) == "ok"
            assert answer["elapsed_ms"] >= self.elapsed_ms
            self.acknowledged, self.elapsed_ms = self.said, answer["elapsed_ms"]
            await asyncio.sleep(pause_s)


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_race_survives_being_killed_again_and_again(
    seed: int, tmp_path: Path, lines: dict[str, list[str]]
) -> None:
    chance = Random(seed)
    deal = [code for code in lines if code.startswith("YU1-C")][seed]
    names = ("Ann", "json"), ("Bob", "msgpack"), ("Cid", "msgpack")
    racers = [Racer(name, encoding, lines[deal], deal) for name, encoding in names]
    log = f"sqlite:{tmp_path / 'race.db'}"
    server = Server("--log", log).start()
    try:
        for racer in racers:
            await racer.arrive(server.url)
        room = await race([racer.client for racer in racers], deal, tail_s=0, limit_s=600)
        await racers[0].client.ask("sync")
        began = racers[0].client.room["starts_at_ms"]
        for _ in range(5):
            runs = [asyncio.create_task(racer.run(0.004 * (at + 1))) for at, racer in enumerate(racers)]
            await asyncio.sleep(chance.uniform(0.01, 0.15))
            await asyncio.to_thread(server.kill)
            await asyncio.gather(*runs)
            for racer in racers:
                await racer.client.close()
            server = await asyncio.to_thread(Server("--log", log, port=server.port).start)
            for racer in racers:
                await racer.come_back(server.url, room)
                assert racer.client.room["starts_at_ms"] == began
                assert racer.client.room["phase"] == "racing"
            assert [one["name"] for one in racers[-1].client.room["entrants"]] == ["Ann", "Bob", "Cid"]
        await racers[0].run(0)
        assert racers[0].model.won
        result = await racers[1].client.wait("result")
        assert result["winner"] == [racers[0].client.player]
        assert result["standings"][0]["home"] == 52
        replay = await racers[2].client.ask("replay", room=room)
        for racer, told in zip(racers, replay["racers"], strict=True):
            assert told["name"] == racer.name
            actions = [f"{do['move']} {do['to']}" for _, do in told["actions"]]
            assert actions == racer.line[: racer.acknowledged]
            times = [elapsed for elapsed, _ in told["actions"]]
            assert times == sorted(times)
        for racer in racers:
            await racer.client.close()
    finally:
        await asyncio.to_thread(server.__exit__, None, None, None)


async def test_a_win_whose_acknowledgement_was_lost_is_a_win(tmp_path: Path, lines: dict[str, list[str]]) -> None:
    deal = next(iter(lines))
    log = f"sqlite:{tmp_path / 'race.db'}"
    with Server("--log", log) as server:
        bob = Client(server.url, "Bob")
        async with Client(server.url, "Ann") as ann:
            await bob.connect()
            await bob.hello()
            room = await race([ann, bob], deal, tail_s=0)
            for action in lines[deal][:-1]:
                await bob.play(action)
            await bob.say_play(lines[deal][-1])
            await ann.wait("finish")
            bob.abort()
            await bob.closed()
    with Server("--log", log, port=server.port) as server:
        async with Client(server.url, "Bob", token=bob.token) as again:
            await again.join(room)
            result = await again.wait("result")
            assert result["winner"] == [bob.player]
            answer = await again.ask(
                "play", n=len(lines[deal]), do=dict(zip(("move", "to"), lines[deal][-1].split(), strict=True))
            )
            assert (answer["type"], answer["n"]) == ("board", len(lines[deal]))


async def test_lobbies_passphrases_and_lists_survive_too(tmp_path: Path, lines: dict[str, list[str]]) -> None:
    deal = next(iter(lines))
    log = f"sqlite:{tmp_path / 'race.db'}"
    with Server("--log", log) as server:
        async with Client(server.url, "Ann") as ann:
            room = await ann.open(deal, listed=True, passphrase="sesame", title="Friends")
            await asyncio.to_thread(server.kill)
    with Server("--log", log, port=server.port) as server:
        async with Client(server.url, "Bob") as bob, Client(server.url, "Ann", token=ann.token) as again:
            (row,) = (await bob.ask("rooms"))["rooms"]
            assert (row["id"], row["title"], row["passphrase"]) == (room, "Friends", True)
            assert await bob.code("join", room=room) == "room.passphrase"
            await bob.join(room, passphrase="sesame")
            assert again.seats == [room]
            await again.join(room)
            assert [(one["name"], one["away"]) for one in again.room["entrants"]] == [("Ann", False), ("Bob", False)]


async def test_the_log_holds_no_token_and_no_passphrase(tmp_path: Path, lines: dict[str, list[str]]) -> None:
    with Server("--log", f"sqlite:{tmp_path / 'race.db'}") as server:
        async with Client(server.url, "Ann") as ann:
            await ann.open(next(iter(lines)), passphrase="a secret phrase")
            token = ann.token or "?"
        server.terminate()
        assert server.wait() == 0
        written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"Ann" in written
        for secret in (token, "a secret phrase"):
            assert secret.encode() not in written
            assert secret not in "".join(server.output)
