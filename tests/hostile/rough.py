"""Rough clients: bytes on a socket, as no well-behaved library would send them; and a bystander who wants to play."""

import asyncio
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import psutil
from websockets.asyncio.client import ClientConnection, connect

PATIENCE_S = 30.0
"""How long anything may take before it counts as never: no test is decided by less."""
BYSTANDER = "127.0.0.2"
"""Another address than everyone else's."""


class Server(NamedTuple):
    """A server process."""

    port: int
    process: psutil.Process

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def rss(self) -> int:
        """Bytes of memory that are its own."""
        return self.process.memory_info().rss


@contextlib.contextmanager
def serving(log: str = "memory:", **settings: object) -> Iterator[Server]:
    """A server on a port of its own, with limits as they are unless said otherwise."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STAMPEDE_")}
    environment |= {f"STAMPEDE_{name.upper()}": str(value) for name, value in settings.items()}
    command = [sys.executable, "-m", "stampede.server", "--port", "0", "--log", log]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        assert child.stdout is not None
        try:
            said = b""
            while (found := re.search(rb"ws://[^:\s]+:(\d+)/ws", said)) is None:
                line = child.stdout.readline()
                assert line, said
                said += line
            yield Server(int(found[1]), psutil.Process(child.pid))
            assert child.poll() is None, "the server is gone"
        finally:
            child.terminate()
            rest = child.communicate(timeout=PATIENCE_S)[0]
            assert b"Traceback" not in rest, rest.decode(errors="replace")


class Heard(NamedTuple):
    """What came back on a socket until it was closed, or until nothing more was expected."""

    messages: list[bytes]
    code: int | None
    """The close code; None if there was no close frame."""

    @property
    def errors(self) -> list[str]:
        """The codes of the errors among the messages, which are JSON."""
        answers = [json.loads(message) for message in self.messages]
        return [answer["code"] for answer in answers if answer["type"] == "error"]


class Rough:
    """A websocket of bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, server: Server, *, then: bytes = b"", encoding: str = "json") -> "Rough":
        """A connection that has shaken hands; `then` is sent in the same breath as the request."""
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(handshake(server, f"Sec-WebSocket-Protocol: stampede.v1.{encoding}\r\n") + then)
        status = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)
        assert status.startswith(b"HTTP/1.1 101"), status
        return cls(reader, writer)

    def send(self, *data: bytes) -> None:
        self.writer.write(b"".join(data))

    def say(self, **command: object) -> None:
        self.send(frame(json.dumps(command).encode()))

    async def next(self) -> tuple[int, bytes]:
        """The next frame: opcode and payload. `IncompleteReadError` or `ConnectionError` once there is none."""
        head = await asyncio.wait_for(self.reader.readexactly(2), PATIENCE_S)
        size = head[1]
        if size >= 126:
            size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8))
        return head[0] & 0x0F, await self.reader.readexactly(size)

    async def answer(self) -> Any:
        """The next message."""
        while True:
            opcode, payload = await self.next()
            if opcode in (1, 2):
                return json.loads(payload)
            assert opcode != 8, payload

    async def until_closed(self) -> Heard:
        """All that comes until the server hangs up."""
        messages: list[bytes] = []
        code: int | None = None
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                opcode, payload = await self.next()
                if opcode == 8:
                    code = int.from_bytes(payload[:2])
                elif opcode in (1, 2):
                    messages.append(payload)
        return Heard(messages, code)

    async def verdict(self) -> str | int | None:
        """What the server makes of what was sent: the code of its error, `pong` if it goes on, or the close code."""
        opcode, payload = await self.next()
        while opcode == 10:
            opcode, payload = await self.next()
        if opcode == 8:
            return int.from_bytes(payload[:2])
        answer = json.loads(payload) if payload[:1] == b"{" else {"type": "binary"}
        return str(answer["code"]) if answer["type"] == "error" else str(answer["type"])

    def drop(self) -> None:
        self.writer.transport.abort()


def handshake(server: Server, headers: str = "", path: str = "/ws") -> bytes:
    """A request for a websocket."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{headers}\r\n"
    ).encode()


def frame(
    payload: bytes = b"", opcode: int = 1, *, fin: bool = True, reserved: int = 0, masked: bool = True, size: int = -1
) -> bytes:
    """A frame, right or wrong; `size` is what it claims to hold."""
    size = len(payload) if size < 0 else size
    head = bytes((fin << 7 | reserved << 4 | opcode,))
    mask = 0x80 if masked else 0
    if size < 126:
        head += bytes((mask | size,))
    elif size < 65_536:
        head += bytes((mask | 126,)) + size.to_bytes(2)
    else:
        head += bytes((mask | 127,)) + size.to_bytes(8)
    # A mask of zeros is a mask, and leaves the payload readable.
    return head + (bytes(4) if masked else b"") + payload


async def http(server: Server, request: bytes) -> bytes:
    """What comes back for a request, whole."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    response = await asyncio.wait_for(reader.read(), PATIENCE_S)
    writer.transport.abort()
    return response


async def page(server: Server, path: str) -> tuple[int, bytes]:
    """Status and body of a page."""
    response = await http(server, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head, _, body = response.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), body


class Guest:
    """A well-behaved client, for what hostile ones do with good messages."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.others: list[dict[str, Any]] = []
        """What was heard beside answers."""
        self._numbers = 0

    async def ask(self, **command: object) -> dict[str, Any]:
        """Say something; returns the answer."""
        self._numbers += 1
        await self.socket.send(json.dumps(command | {"id": self._numbers}))
        while True:
            event: dict[str, Any] = await self.hear()
            if event.get("re") == self._numbers:
                return event
            self.others.append(event)

    async def hear(self) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE_S))
        return event

    async def wait_for(self, kind: str) -> dict[str, Any]:
        """The first event of a type, heard already or yet to come."""
        for at, event in enumerate(self.others):
            if event["type"] == kind:
                return self.others.pop(at)
        while (event := await self.hear())["type"] != kind:
            self.others.append(event)
        return event


@contextlib.asynccontextmanager
async def guest(server: Server, name: str = "", token: str | None = None, address: str = "127.0.0.1") -> Any:
    """A client that has said hello, if it has a name."""
    async with connect(server.url, compression=None, local_addr=(address, 0), proxy=None) as socket:
        one = Guest(socket)
        if name:
            welcome = await one.ask(type="hello", name=name, **({"token": token} if token else {}))
            assert welcome["type"] == "welcome", welcome
            one.others.append(welcome)
        yield one


async def solo_race(one: Guest, **settings: object) -> str:
    """Opens a race for one, and starts it; returns the room."""
    chosen = {"capacity": 1, "countdown_s": 0, "start": "host"} | settings
    room = await one.ask(type="open", deal="KL1-D1N-AAAAAAG", settings=chosen)
    assert room["type"] == "room", room
    assert (await one.ask(type="start"))["type"] == "done"
    await one.wait_for("board")
    return str(room["room"]["id"])


@contextlib.asynccontextmanager
async def undisturbed(server: Server, memory_mb: int = 48) -> AsyncIterator[None]:
    """While the body does its worst, a race in another room goes on, and the server's memory stays bounded.

    How long its acknowledgements take is compared with how long they take before, and generously: they have to come.
    """
    async with guest(server, "Bystander", address=BYSTANDER) as one:
        await solo_race(one)
        n = 0

        async def played() -> float:
            nonlocal n
            n += 1
            began = time.perf_counter()
            answer = await one.ask(type="play", n=n, do={"draw": True} if n % 2 else {"undo": True})
            assert answer["type"] == "played", answer
            await asyncio.sleep(0.06)  # as fast as it may, and no faster
            return time.perf_counter() - began - 0.06

        before = [await played() for _ in range(5)]
        memory, most = server.rss, server.rss
        during: list[float] = []
        over = asyncio.Event()

        async def play_on() -> None:
            nonlocal most
            while not over.is_set() or len(during) < 3:
                during.append(await played())
                most = max(most, server.rss)

        playing = asyncio.create_task(play_on())
        try:
            yield
        finally:
            over.set()
            await asyncio.wait_for(playing, PATIENCE_S)
        assert statistics.median(during) < max(1.0, 100 * statistics.median(before))
        assert most - memory < memory_mb * 2**20, f"{(most - memory) / 2**20:.0f} MB more"
