"""Those who wear a server out by waiting, or by never stopping: each has a deadline, and a code that names it."""

import asyncio
import contextlib
import json
import socket
import time
from collections import Counter
from pathlib import Path

from hostile.rough import Rough, Server, frame, guest, handshake, http, serving, undisturbed

PING = frame(b'{"type":"ping"}')
LONG = frame(b'{"type":"ping","t":"' + b"x" * 4000 + b'"}')


async def test_a_burst_of_1000_commands_is_answered_once_each(server: Server) -> None:
    async with undisturbed(server):
        rough = await Rough.open(server)
        rough.send(*(frame(b'{"type":"ping","id":%d}' % number) for number in range(1000)))
        answers = [await rough.answer() for _ in range(1000)]
        assert [answer["re"] for answer in answers] == list(range(1000))
        codes = Counter(answer.get("code", answer["type"]) for answer in answers)
        assert set(codes) == {"pong", "limit.rate"}
        assert codes["pong"] < 200
        refused = next(answer for answer in answers if answer["type"] == "error")
        assert refused["retry_ms"] > 0
        rough.drop()


async def test_all_who_wait_or_never_stop_are_seen_out(server: Server) -> None:
    """All at the same time, since each takes its seconds."""
    async with undisturbed(server):
        await asyncio.gather(
            _flood(server, PING, 4003),
            _flood(server, frame(b"x" * 125, 9), 4003),
            _deaf(server, LONG),
            _deaf(server, frame(b"x" * 125, 9) * 20),
            _silent(server),
            _no_hello(server),
            _slow_handshake(server),
            _half_closed(server),
            _unread_page(server),
        )


async def _flood(server: Server, data: bytes, code: int) -> None:
    """A thousand commands, or pings, a second, without end."""
    rough = await Rough.open(server)
    rough.say(type="hello", name="Flood")
    heard = asyncio.create_task(rough.until_closed())
    with contextlib.suppress(ConnectionError):
        while not heard.done():
            rough.send(data * 50)
            await rough.writer.drain()
            await asyncio.wait({heard}, timeout=0.05)
    assert (await heard).code == code
    rough.drop()


async def _deaf(server: Server, data: bytes) -> None:
    """Asks and asks, and never reads an answer."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(deaf, ("127.0.0.1", server.port))
    await loop.sock_sendall(deaf, handshake(server) + frame(b'{"type":"hello","name":"Deaf"}'))
    began = time.monotonic()
    with contextlib.suppress(ConnectionError):
        while time.monotonic() - began < 60:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(loop.sock_sendall(deaf, data), 1)
        raise AssertionError("never seen out")
    deaf.close()


async def _silent(server: Server) -> None:
    """Connects, and says nothing at all."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.transport.abort()


async def _no_hello(server: Server) -> None:
    rough = await Rough.open(server)
    assert (await rough.until_closed()).code == 4004
    rough.drop()


async def _slow_handshake(server: Server) -> None:
    """A byte of the request every now and then: the deadline is for all of it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    ended = asyncio.create_task(reader.read())
    with contextlib.suppress(ConnectionError):
        for byte in handshake(server, "X: " + "y" * 100 + "\r\n"):
            writer.write(bytes((byte,)))
            await writer.drain()
            done, _ = await asyncio.wait({ended}, timeout=0.2)
            if done:
                break
        else:
            raise AssertionError("let in all the same")
    with contextlib.suppress(ConnectionError):
        assert await ended == b""
    writer.transport.abort()


async def _half_closed(server: Server) -> None:
    """Says that it says no more; whatever it hears, the server is done with it."""
    rough = await Rough.open(server)
    rough.say(type="hello", name="Half")
    rough.writer.write_eof()
    heard = await rough.until_closed()
    assert heard.code in (None, 1006)
    rough.drop()


async def _unread_page(server: Server) -> None:
    assert (await http(server, b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + b"x" * 100_000)).startswith(b"HTTP/1.1 200")


async def test_who_does_not_read_loses_progress_first_and_delays_nobody() -> None:
    """A watcher who reads nothing, in the very room where others race."""
    with serving(commands_per_s=0) as server:
        async with guest(server, "Ann") as ann, guest(server, "Bob") as bob:
            settings = {"countdown_s": 0, "start": "host"}
            room = (await ann.ask(type="open", deal="KL1-D1N-AAAAAAG", settings=settings))["room"]["id"]
            assert (await bob.ask(type="join", room=room))["type"] == "room"
            deaf = await Rough.open(server)
            deaf.say(type="hello", name="Deaf")
            deaf.say(type="join", room=room, role="watcher")
            assert (await ann.wait_for("entrant"))["entrant"]["name"] == "Bob"
            assert (await ann.wait_for("entrant"))["entrant"]["name"] == "Deaf"
            deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
            assert (await ann.ask(type="start"))["type"] == "done"
            await bob.wait_for("board")
            memory = server.rss
            for n in range(1, 1500):
                answer = await bob.ask(type="play", n=n, do={"draw": True} if n % 2 else {"undo": True})
                assert answer["type"] == "played", answer
                if n % 3 == 0:
                    await ann.ask(type="say", text="x" * 280)
            assert server.rss - memory < 32 * 2**20
            deaf.drop()
            entrant = await ann.wait_for("entrant")
            assert (entrant["entrant"]["name"], entrant["entrant"]["away"]) == ("Deaf", True)


async def test_rooms_and_connections_come_and_go_and_memory_does_not_grow(tmp_path: Path) -> None:
    """The process as a whole, over real sockets; `tests/server/hall/test_memory.py` has the ten thousand."""
    with serving(commands_per_s=0, connections_per_address=0, log=f"sqlite:{tmp_path}/rooms.db") as server:

        async def visit(number: int) -> None:
            async with guest(server, f"Guest {number}") as one:
                room = await one.ask(type="open", deal="YU1-C-AAAAAAB", settings={"listed": number % 2 == 0})
                assert room["type"] == "room"
                if number % 3:
                    assert (await one.ask(type="leave"))["type"] == "done"

        async def visits(numbers: range) -> None:
            for first in numbers[::50]:
                await asyncio.gather(*(visit(number) for number in range(first, first + 50)))

        await visits(range(0, 500))
        memory = server.rss
        await visits(range(500, 1500))
        assert server.rss - memory < 24 * 2**20, json.dumps((server.rss - memory) / 2**20)
