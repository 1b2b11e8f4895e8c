"""The leak test once more, over real sockets: two servers whose deals agree on what was seen say the same."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from e2e.servers import Server
from server.race.plots import Plot
from stampede.patience.variants import CATALOGUE
from stampede.protocol.codec import JSON, MSGPACK, Encoding
from stampede.protocol.commands import Play

PLOTS = 3
"""For each variant and encoding."""

# Deals what a file says, whatever the code is: the only thing about these servers that is not real.
_DEALT = """
import json, os
from stampede.patience import game
orders = json.loads(open(os.environ["TEST_ORDERS"]).read())
game.dealing_order = lambda code: tuple(orders[code.payload])
"""


class Player:
    """A connection that keeps every message it was sent."""

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self._socket = socket
        self._encoding = encoding
        self.heard: list[bytes] = []
        self._numbers = 0
        self.n = 0

    async def ask(self, **command: Any) -> dict[str, Any]:
        self._numbers += 1
        command["id"] = self._numbers
        await self._socket.send(json.dumps(command) if self._encoding.text else msgpack.packb(command))
        while (event := await self.hear()).get("re") != self._numbers:
            pass
        return event

    async def hear(self) -> dict[str, Any]:
        data = await asyncio.wait_for(self._socket.recv(decode=False), 60)
        self.heard.append(data)
        event = read(data, self._encoding)
        if event["type"] in ("board", "played"):
            self.n = event["n"]
        return event

    async def wait_for(self, kind: str) -> dict[str, Any]:
        while (event := await self.hear())["type"] != kind:
            pass
        return event


def read(data: bytes, encoding: Encoding) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(data) if encoding.text else msgpack.unpackb(data)
    return event


def levelled(value: Any, room: str) -> Any:
    """The same with times and the room's id held fixed; everything else stays as it is, and in its order."""
    if isinstance(value, dict):
        return {key: 0 if str(key).endswith("_ms") else levelled(inner, room) for key, inner in value.items()}
    if isinstance(value, list):
        return [levelled(inner, room) for inner in value]
    return value.replace(room, "ROOM") if isinstance(value, str) else value


@contextlib.asynccontextmanager
async def connected(server: Server, encoding: Encoding, salt: str, *names: str) -> AsyncIterator[list[Player]]:
    async with contextlib.AsyncExitStack() as stack:
        players = []
        for name in names:
            socket = await stack.enter_async_context(
                connect(server.url, subprotocols=[Subprotocol(encoding.subprotocol)], compression=None, proxy=None)
            )
            player = Player(socket, encoding)
            await player.ask(type="hello", name=name, token=(name + salt + "A" * 43)[:43])
            players.append(player)
        yield players


async def told(server: Server, plot: Plot, encoding: Encoding) -> list[list[bytes]]:
    """What the player and the watcher hear of a race, with times and ids held fixed, without progress.

    (Progress comes by the clock; that it says the same is tested where there is none.)
    """
    async with connected(server, encoding, plot.code.payload, "Player", "Rival", "Watcher") as everyone:
        player, rival, watcher = everyone
        settings = {"countdown_s": 0, "capacity": 2, "winnable": False}
        opened = await player.ask(type="open", deal=str(plot.code), settings=settings)
        room = opened["room"]["id"]
        await rival.ask(type="join", room=room)
        await watcher.ask(type="join", room=room, role="watcher")
        await player.ask(type="start")
        await asyncio.gather(*(one.wait_for("board") for one in (player, rival)))
        who = {"player": player, "rival": rival}
        for name, command in plot.script():
            one = who[name]
            said = read(JSON.encode(command), JSON)
            if isinstance(command, Play):
                said["n"] = one.n + 1
            await one.ask(**said)
        for one in everyone:
            await one.ask(type="ping")
        return [
            [
                json.dumps(level).encode() if encoding.text else msgpack.packb(level)
                for level in (levelled(read(data, encoding), room) for data in one.heard)
                if level["type"] != "progress"
            ]
            for one in (player, watcher)
        ]


@pytest.mark.parametrize("encoding", [JSON, MSGPACK], ids=["json", "msgpack"])
async def test_hidden_cards_make_no_difference_to_what_comes_out_of_a_socket(
    encoding: Encoding, tmp_path: Path
) -> None:
    first = 0 if encoding.text else 500
    plots = [
        Plot(rules, number, sealed=False) for rules in CATALOGUE.values() for number in range(first, first + PLOTS)
    ]
    (tmp_path / "sitecustomize.py").write_text(_DEALT)
    heard = []
    for deal in (0, 1):
        orders = tmp_path / f"orders{deal}.json"
        orders.write_text(json.dumps({plot.code.payload: plot.orders[deal] for plot in plots}))
        source = str(Path(__file__).parents[2] / "src")
        with Server("--log", "memory:", PYTHONPATH=f"{tmp_path}:{source}", TEST_ORDERS=str(orders)) as server:
            heard.append([await told(server, plot, encoding) for plot in plots])
    assert heard[0] == heard[1]
    assert any(plot.differ for plot in plots)
    for _, watched in heard[0]:
        assert not re.search(rb'[A2-9TJQK][SHDC]"', b"".join(watched))


async def test_a_sealed_code_is_nowhere_before_the_end_and_can_be_checked_after_it(tmp_path: Path) -> None:
    with Server("--log", f"sqlite:{tmp_path}/rooms.db") as server:
        async with connected(server, JSON, "", "Host", "Rival", "Watcher") as everyone:
            host, rival, watcher = everyone
            settings = {"countdown_s": 0, "sealed": True, "winnable": False, "listed": True, "title": "Sealed"}
            picture = (await host.ask(type="open", deal="YU1-C", settings=settings))["room"]
            room, deal = picture["id"], picture["deal"]
            assert set(deal) == {"variant", "commitment"}
            await rival.ask(type="join", room=room)
            await watcher.ask(type="join", room=room, role="watcher")
            await host.ask(type="start")
            board = await host.wait_for("board")
            pages = [server.page(path) for path in (f"/races/{room}.json", "/readyz", "/metrics", f"/races/{room}")]
            assert server.page(f"/races/{room}.json") == server.page("/races/aaaaaaaa.json")
            top = [column[-1] for column in board["columns"]]
            for card in top:
                for to in ("1", "4", "home"):
                    await host.ask(type="play", n=host.n + 1, do={"move": card, "to": to})
                await host.ask(type="targets", card=card)
            for one in everyone:
                for command in ("sync", "rooms", "forfeit", "rematch", "start"):
                    if one is not host or command != "forfeit":
                        await one.ask(type=command)
                await one.ask(type="replay", room=room)
            assert (await watcher.ask(type="replay", room=room))["code"] == "race.not_over"
            before = b"".join(data for one in everyone for data in one.heard)
            said = "".join(server.output) + repr(pages)
            await host.ask(type="forfeit")
            code = (await watcher.wait_for("result"))["code"]
            assert re.fullmatch(r"YU1-C-[A-Z2-7]{26}", code)
            assert sha256(code.encode("ascii")).hexdigest() == deal["commitment"]
            payload = code.rpartition("-")[2]
            assert payload.encode() not in before
            assert payload not in said
            assert payload not in "".join(server.output)
            status, text = server.page(f"/races/{room}.json")
            assert (status, json.loads(text)["code"]) == (200, code)
