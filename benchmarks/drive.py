"""Drives a real server with real sockets: rooms of players that shuttle three cards to and fro for ever.

The client side is as thin as it can be (one `asyncio.Protocol` a player, hand-made frames), so that it can saturate
a server on another core. Loopback only.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import psutil

DEAL, CARD, COLUMNS = "YU1-C-AAAAABT", "7D", ("6", "2")
"""On this deal the seven of diamonds and what lies on it go between two columns for ever."""

_pack = msgspec.msgpack.encode
_unpack = msgspec.msgpack.decode
_HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: stampede.v1.msgpack\r\n\r\n"
)
_SPREAD = 0.618034
"""Multiples of it, modulo 1, lie evenly for any part of the players, too: of one room, or of one node."""
_NO_MASK = b"\0\0\0\0"


class Player(asyncio.Protocol):
    """One player's connection."""

    def __init__(self, run: "Run", room: int) -> None:
        self.run, self.room = run, room
        self.n = 0
        self.sent = 0.0
        self.buffer = b""
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.transport: asyncio.Transport

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(_HANDSHAKE)

    def data_received(self, data: bytes) -> None:
        data = self.buffer + data
        at = 0
        if data.startswith(b"HTTP/"):
            at = data.find(b"\r\n\r\n") + 4
            if at < 4:
                self.buffer = data
                return
        while len(data) - at >= 2:
            size, head = data[at + 1], 2
            if size >= 126:
                head = 4 if size == 126 else 10
                size = int.from_bytes(data[at + 2 : at + head])
            if len(data) - at < head + size:
                break
            if data[at] == 0x82:
                self.message(data[at + head : at + head + size])
            at += head + size
        self.buffer = data[at:]

    def message(self, data: bytes) -> None:
        kind = data[7:13]  # the server writes the type first: {"type": ...
        if kind == b"played":
            now = time.perf_counter()
            self.run.acknowledged(now - self.sent)
            if self.run.closed_loop:
                self.play()
        elif kind == b"progre":
            self.run.progress += 1
        else:
            self.answers.put_nowait(_unpack(data))

    def say(self, **message: Any) -> None:
        data = _pack(message)
        self.transport.write(bytes((0x82, 0x80 | len(data))) + _NO_MASK + data)

    def play(self) -> None:
        if self.run.playing:
            self.n += 1
            self.sent = time.perf_counter()
            self.say(type="play", id=self.n, n=self.n, do={"move": CARD, "to": COLUMNS[1 - self.n % 2]})

    async def until(self, kind: str) -> dict[str, Any]:
        while True:
            message = await asyncio.wait_for(self.answers.get(), 20)
            if message["type"] == kind:
                return message
            if message["type"] == "error":
                raise RuntimeError(message)


@dataclass
class Run:
    """What happened."""

    closed_loop: bool
    playing: bool = False
    moves: int = 0
    progress: int = 0
    latencies: list[float] = field(default_factory=list)
    cpu_s: float = 0.0
    """Of the nodes."""
    log_cpu_s: float = 0.0
    """Of a log's server beside them."""
    wall_s: float = 0.0
    rss_bytes: int = 0

    def acknowledged(self, latency: float) -> None:
        self.moves += 1
        self.latencies.append(latency)

    @property
    def cpu_us_per_move(self) -> float:
        return 1e6 * self.cpu_s / max(1, self.moves)

    def latency_ms(self, share: float) -> float:
        ordered = sorted(self.latencies)
        return 1e3 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


@contextlib.contextmanager
def server(log: str = "memory:", *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server process with its limits off, pinned to the first core; yields it and its port."""
    with tempfile.TemporaryDirectory(prefix="stampede-bench-") as scratch:
        environment = dict(
            os.environ,
            STAMPEDE_COMMANDS_PER_S="0",
            STAMPEDE_CONNECTIONS_PER_ADDRESS="0",
            STAMPEDE_ROOMS_PER_PLAYER="0",
        )
        where = log.format(scratch=scratch)
        command = [sys.executable, "-m", "stampede.server", "--port", "0", "--log", where, *arguments]
        process = subprocess.Popen(
            command, env=environment, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if process.stdout is None:
            raise RuntimeError("no output to read the port from")
        try:
            for line in process.stdout:
                if found := re.search(r"ws://[^\s\"]*:(\d+)/ws", line):
                    break
            else:
                raise RuntimeError("the server did not start")
            with contextlib.suppress(AttributeError, OSError):
                os.sched_setaffinity(process.pid, {0})
            yield process, int(found[1])
        finally:
            process.terminate()
            process.wait(20)


async def seat(run: Run, ports: Sequence[int], rooms: int, players: int, *, together: bool) -> list[Player]:
    """Fill the rooms and start their races; a room's players sit together at one node, or at all of them, in turn."""
    loop = asyncio.get_running_loop()

    async def one(room: int) -> list[Player]:
        members: list[Player] = []
        room_id = ""
        for number in range(players):
            port = ports[(room if together else number) % len(ports)]
            _, player = await loop.create_connection(lambda: Player(run, room), "127.0.0.1", port)
            player.say(type="hello", name=f"r{room}p{number}", kind="bot")
            await player.until("welcome")
            if number == 0:
                settings = {"start": "host", "countdown_s": 0, "capacity": players}
                player.say(type="open", deal=DEAL, settings=settings)
                room_id = (await player.until("room"))["room"]["id"]
            else:
                player.say(type="join", room=room_id)
                await player.until("room")
            members.append(player)
        members[0].say(type="start")
        for player in members:
            await player.until("board")
        return members

    gate = asyncio.Semaphore(20)

    async def gated(room: int) -> list[Player]:
        async with gate:
            return await one(room)

    filled = await asyncio.gather(*(gated(room) for room in range(rooms)))
    return [player for members in filled for player in members]


def cpu_s(pids: Sequence[int]) -> float:
    """CPU time that processes have used."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)


async def drive(
    nodes: dict[int, int],
    *,
    rooms: int,
    players: int,
    seconds: float,
    rate: float | None = None,
    log: Sequence[int] = (),
    together: bool = False,
) -> Run:
    """Play for some seconds: each waits for the answer (closed loop), or plays `rate` moves a second.

    `nodes` are the ports of the servers by their process ids, `log` the ids of processes that keep their log. Where
    there are several nodes, those of a room sit `together` at one, or at all in turn.
    """
    run = Run(closed_loop=rate is None)
    everyone = await seat(run, list(nodes.values()), rooms, players, together=together)
    run.playing = True
    loop = asyncio.get_running_loop()
    turns = []
    if rate is None:
        for player in everyone:
            player.play()
    else:
        turns = [loop.create_task(_at(rate, player, number * _SPREAD % 1)) for number, player in enumerate(everyone)]
    await asyncio.sleep(min(1.0, seconds / 2))
    run.moves, run.progress = 0, 0
    run.latencies.clear()
    began, used, used_by_log = time.perf_counter(), cpu_s(list(nodes)), cpu_s(log)
    await asyncio.sleep(seconds)
    run.cpu_s, run.log_cpu_s = cpu_s(list(nodes)) - used, cpu_s(log) - used_by_log
    run.wall_s = time.perf_counter() - began
    run.playing = False
    run.rss_bytes = sum(psutil.Process(pid).memory_info().rss for pid in nodes)
    for turn in turns:
        turn.cancel()
    for player in everyone:
        player.transport.abort()
    return run


async def _at(rate: float, player: Player, phase: float) -> None:
    start = time.perf_counter() + phase / rate
    turn = 0
    while True:
        wait = start + turn / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        player.play()
        turn += 1


def pin_to_last_core() -> None:
    """Leave the first core to the server."""
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setaffinity(0, {(os.cpu_count() or 1) - 1})


def scratch_file(name: str) -> Path:
    """A file in the folder where benchmarks leave what they make."""
    folder = Path(__file__).parent / "out"
    folder.mkdir(exist_ok=True)
    return folder / name
