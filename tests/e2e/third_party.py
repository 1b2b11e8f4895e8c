"""A third party's client, written from the description of the protocol alone: `websockets`, `msgpack` and `json`.

It checks on the way what every client may rely on: the type comes first, every command gets exactly one answer, and
piles are simply overwritten with what is sent.
"""

import asyncio
import itertools
import json
from collections.abc import Callable
from types import TracebackType
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from .servers import PATIENCE_S

Message = dict[str, Any]


class Client:
    """One connection. `async with Client(url, "Ann") as ann:` says hello."""

    def __init__(self, url: str, name: str = "", *, encoding: str = "msgpack", token: str | None = None) -> None:
        self.url = url
        self.name = name
        self.encoding = encoding
        self.token = token
        self.player = ""
        self.seats: list[str] = []
        self.room: Message = {}
        self.board: Message = {}
        self.heard: list[Message] = []
        """Everything so far, answers too."""
        self._ids = itertools.count(1)
        self._answers: dict[int, Message] = {}
        self._news = asyncio.Event()
        self._ended = False

    # The line.

    async def __aenter__(self) -> "Client":
        await self.connect()
        if self.name:
            await self.hello()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def connect(self) -> None:
        self.socket: ClientConnection = await connect(
            self.url,
            subprotocols=[Subprotocol(f"stampede.v1.{self.encoding}")],
            compression=None,
            proxy=None,
            open_timeout=PATIENCE_S,
            close_timeout=5,
            max_size=None,
            max_queue=None,
        )
        assert self.socket.subprotocol == f"stampede.v1.{self.encoding}"
        self._reader = asyncio.create_task(self._read())

    async def hello(self) -> Message:
        extra = {} if self.token is None else {"token": self.token}
        welcome = await self.ask("hello", name=self.name, client="a third party's", **extra)
        assert welcome["type"] == "welcome", welcome
        self.player, self.token, self.seats = welcome["player"], welcome["token"], welcome["seats"]
        return welcome

    async def close(self) -> None:
        await self.socket.close()
        await self._reader

    def abort(self) -> None:
        """Break the line without a word."""
        self.socket.transport.abort()

    async def closed(self) -> int:
        """Wait for the other side to close; the code."""
        async with asyncio.timeout(PATIENCE_S):
            await self._reader
        return self.socket.close_code or 0

    async def _read(self) -> None:
        try:
            while True:
                self._take(await self.socket.recv())
        except ConnectionClosed:
            pass
        finally:
            self._ended = True
            self._news.set()

    def _take(self, data: str | bytes) -> None:
        if self.encoding == "json":
            assert isinstance(data, str)
            message = json.loads(data)
        else:
            assert isinstance(data, bytes)
            message = msgpack.unpackb(data)
        assert next(iter(message)) == "type", message
        self.heard.append(message)
        if "re" in message:
            assert message["re"] not in self._answers, f"answered twice: {message}"
            self._answers[message["re"]] = message
        match message["type"]:
            case "board":
                self.board = {key: value for key, value in message.items() if key not in ("type", "re")}
            case "played":
                self._overwrite(message)
            case "room":
                self.room = message["room"]
        self._news.set()

    def _overwrite(self, message: Message) -> None:
        changed = message["changed"]
        board = dict(self.board)
        if "columns" in changed:
            board["columns"] = [
                changed["columns"].get(str(number), column) for number, column in enumerate(board["columns"], 1)
            ]
        if "home" in changed:
            board["home"] = board["home"] | changed["home"]
        for pile in ("stock", "waste"):
            if pile in changed:
                board[pile] = changed[pile]
        for number in ("n", "score", "moves", "elapsed_ms", "undo_left"):
            board[number] = message[number]
        self.board = board

    # Speaking.

    async def send(self, message: Any) -> None:
        """Say anything at all."""
        data: str | bytes = json.dumps(message) if self.encoding == "json" else msgpack.packb(message)
        await self.socket.send(data)

    async def say(self, kind: str, /, **fields: Any) -> int:
        """Say a command, without waiting; its id."""
        number = next(self._ids)
        await self.send({**fields, "id": number, "type": kind})
        return number

    async def answer(self, number: int) -> Message:
        """The answer to the command with this id."""
        await self.until(lambda: number in self._answers)
        return self._answers[number]

    async def ask(self, kind: str, /, **fields: Any) -> Message:
        """Say a command and wait for its answer."""
        return await self.answer(await self.say(kind, **fields))

    async def refused(self, kind: str, /, **fields: Any) -> Message:
        """Say a command that is refused."""
        answer = await self.ask(kind, **fields)
        assert answer["type"] == "error", answer
        assert answer["text"]
        return answer

    async def code(self, kind: str, /, **fields: Any) -> str:
        """The code of a refusal."""
        return str((await self.refused(kind, **fields))["code"])

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; raises `ConnectionError` if the line ends before."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():
                if self._ended:
                    raise ConnectionError(f"closed with {self.socket.close_code}")
                self._news.clear()
                await self._news.wait()

    async def wait(self, kind: str, holds: Callable[[Message], bool] = lambda message: True) -> Message:
        """The first message of a type for which something holds, past or to come."""
        found: list[Message] = []

        def look() -> bool:
            found[:] = [message for message in self.heard if message["type"] == kind and holds(message)][:1]
            return bool(found)

        await self.until(look)
        return found[0]

    def all(self, kind: str) -> list[Message]:
        return [message for message in self.heard if message["type"] == kind]

    # Playing.

    async def open(self, deal: str, role: str = "racer", **settings: Any) -> str:
        """Open a room; its name."""
        answer = await self.ask("open", deal=deal, settings={"countdown_s": 0} | settings, role=role)
        assert answer["type"] == "room", answer
        return str(self.room["id"])

    async def join(self, room: str, role: str = "racer", **fields: Any) -> Message:
        answer = await self.ask("join", room=room, role=role, **fields)
        assert answer["type"] == "room", answer
        return answer

    async def alone(self, deal: str, **settings: Any) -> str:
        """Race against nobody; the room."""
        room = await self.open(deal, capacity=1, **settings)
        assert (await self.ask("ready", ready=True))["type"] == "done"
        await self.wait("board")
        return room

    async def play(self, action: str, n: int | None = None) -> Message:
        """Play `CARD TO`, `draw` or `undo` as the next action."""
        return await self.answer(await self.say_play(action, n))

    async def say_play(self, action: str, n: int | None = None) -> int:
        do: Message = {"move": action.split()[0], "to": action.split()[-1]} if " " in action else {action: True}
        return await self.say("play", n=self.board["n"] + 1 if n is None else n, do=do)


async def race(clients: list[Client], deal: str, **settings: Any) -> str:
    """A race of these clients that has just begun, the first one its host; the room."""
    room = await clients[0].open(deal, **settings)
    for client in clients[1:]:
        await client.join(room)
    for client in clients:
        assert (await client.ask("ready", ready=True))["type"] == "done"
    for client in clients:
        await client.wait("board")
    return room


def pile(board: Message) -> Message:
    """Only the piles of a board."""
    return {key: board[key] for key in ("columns", "home", "stock", "waste")}
