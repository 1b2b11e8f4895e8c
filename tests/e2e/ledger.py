"""A racer who keeps a ledger of what was acknowledged, and holds every server that answers later to it."""

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from .model import Model
from .servers import PATIENCE_S
from .third_party import Client, pile

BROKEN = (ConnectionError, ConnectionClosed, InvalidHandshake, OSError)


class Racer:
    """One player, who plays a known line of actions on one deal, wherever a server answers."""

    def __init__(self, name: str, deal: str, line: list[str], *, encoding: str = "msgpack") -> None:
        self.name = name
        self.deal = deal
        self.line = line
        self.encoding = encoding
        self.acknowledged = 0
        """Actions the player was told of as done."""
        self.said = 0
        """Actions said so far; beyond those acknowledged there is at most one, and nobody knows what became of it."""
        self.elapsed_ms = 0
        self.room = ""
        self.client = Client("", name, encoding=encoding)

    @property
    def finished(self) -> bool:
        return self.acknowledged == len(self.line)

    async def arrive(self, url: str) -> None:
        """Connect and say hello, as the same player as before."""
        self.client = Client(url, self.name, encoding=self.encoding, token=self.client.token)
        await self.client.connect()
        await self.client.hello()

    async def come_back(self, url: str) -> None:
        """Take the seat again, there; nothing acknowledged may be missing, nothing be done twice."""
        await self.arrive(url)
        assert self.room in self.client.seats
        await self.client.join(self.room)
        await self.client.wait("board")
        self.check()

    def check(self) -> None:
        """Hold the latest board to the ledger, which then knows of all that the board shows."""
        board = self.client.board
        assert self.acknowledged <= board["n"] <= self.said, (self.name, self.acknowledged, board["n"], self.said)
        assert board["elapsed_ms"] >= self.elapsed_ms
        self._agree(board)
        self.acknowledged = self.said = board["n"]

    def lose_tail(self) -> None:
        """The server may say that less was done than it had acknowledged; but not anything that was not done."""
        board = self.client.board
        assert board["n"] < self.acknowledged
        self._agree(board)
        self.acknowledged = self.said = board["n"]
        self.elapsed_ms = 0

    def _agree(self, board: dict[str, Any]) -> None:
        model = Model(self.deal)
        for action in self.line[: board["n"]]:
            assert model.act(action) == "ok"
        assert pile(board) == model.view()
        assert (board["score"], board["moves"]) == (model.score, board["n"])
        assert board["undo_left"] == model.undo_left

    async def step(self) -> str:
        """Play the next action once; `played`, or the code of what was said instead. Raises one of `BROKEN`."""
        self.said = self.acknowledged + 1
        answer = await self.client.play(self.line[self.acknowledged], self.said)
        match answer["type"]:
            case "played":
                assert answer["n"] == self.said
                assert answer["elapsed_ms"] >= self.elapsed_ms
                self.acknowledged, self.elapsed_ms = self.said, answer["elapsed_ms"]
                return "played"
            case "board":  # it was done already, when nobody could tell
                assert answer["n"] == self.said
                self.check()
                return "played"
        return str(answer["code"])

    async def run(self, until: Callable[[], bool] = lambda: False, pause_s: float = 0.0) -> None:
        """Play on until something holds or the game is won; what cannot be stored now is tried again."""
        async with asyncio.timeout(PATIENCE_S):
            while not (until() or self.finished):
                code = await self.step()
                assert code in ("played", "server.storage"), code
                await asyncio.sleep(pause_s if code == "played" else 0.05)

    async def close(self) -> None:
        await self.client.close()


async def begin(racers: list[Racer], urls: list[str], **settings: Any) -> str:
    """A race of these racers, each on their server, that has just begun; the room."""
    for racer, url in zip(racers, urls, strict=True):
        await racer.arrive(url)
    room = await racers[0].client.open(racers[0].deal, **{"limit_s": 600} | settings)
    for racer in racers[1:]:
        await racer.client.join(room)
    for racer in racers:
        racer.room = room
        assert (await racer.client.ask("ready", ready=True))["type"] == "done"
    for racer in racers:
        await racer.client.wait("board")
        racer.check()
    return room
