"""Random bytes, 10 000 times: whatever comes in, there is an answer or a close code, and never a fault of ours."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hostile.rough import Rough, Server, frame, guest
from server.hall.quiet_house import open_house
from stampede.protocol.codec import JSON, MSGPACK, BadMessage, Encoding, Undecodable
from stampede.protocol.problems import Close
from stampede.server.gate.addresses import Addresses
from stampede.server.gate.pages import Pages
from stampede.server.gate.wire import Wire

COMMANDS: list[dict[str, object]] = [
    {"type": "hello", "id": 1, "name": "Ann", "kind": "bot", "token": "x" * 43},
    {"type": "rooms", "follow": True},
    {"type": "open", "deal": "YU1-C", "settings": {"undo": 5, "grade": "easy", "title": "Café", "passphrase": "p"}},
    {"type": "join", "room": "abcdefgh", "role": "watcher", "passphrase": None},
    {"type": "play", "id": 2**53 - 1, "n": 1, "do": {"move": "TD", "to": "5"}},
    {"type": "play", "n": 1, "do": {"draw": True}},
    {"type": "targets", "card": "AS"},
    {"type": "say", "text": "\u202e", "x": [1.5, None, {"y": -1}]},
    {"type": "ready", "ready": False},
    {"type": "replay", "room": "abcdefgh", "player": "x"},
    {"type": "ping", "t": [[{"a": 1e300}], "\U0001f600"]},
    *({"type": kind} for kind in ("leave", "start", "sync", "forfeit", "rematch")),
]


def damaged(encode: Callable[[Any], bytes]) -> st.SearchStrategy[bytes]:
    """Random bytes, by themselves or somewhere in a command, over or between its own."""
    whole = [b"", *map(encode, COMMANDS)]

    def damage(base: int, at: int, noise: bytes, over: bool) -> bytes:
        data = whole[base]
        at %= len(data) + 1
        return data[:at] + noise + data[at + len(noise) * over :]

    return st.builds(damage, st.integers(0, len(whole) - 1), st.integers(0, 150), st.binary(max_size=24), st.booleans())


def check(encoding: Encoding, data: bytes) -> None:
    try:
        command = encoding.decode_command(data)
    except Undecodable:
        return
    except BadMessage as bad:
        problem = bad.problem
    else:
        assert encoding.decode_command(encoding.encode(command)) == command
        return
    assert problem.code in ("message.unknown_type", "message.bad_field")
    encoding.encode(problem)


@settings(max_examples=5000, database=None)
@given(damaged(JSON.encode))
def test_any_bytes_are_json_or_not(data: bytes) -> None:
    check(JSON, data)


@settings(max_examples=5000, database=None)
@given(damaged(MSGPACK.encode))
def test_any_bytes_are_messagepack_or_not(data: bytes) -> None:
    check(MSGPACK, data)


class Line(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.ended = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name == "peername" else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.ended
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def abort(self) -> None:
        self.ended = True


HELLO = (
    b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

messages = damaged(JSON.encode)
frames = st.builds(
    frame,
    messages,
    st.sampled_from([*range(16), 1, 1, 1, 1, 0, 9]),
    fin=st.booleans(),
    reserved=st.sampled_from([0, 0, 0, 0, 1, 4]),
    masked=st.sampled_from([True, True, True, False]),
)
streams = st.lists(frames | messages.map(frame) | st.binary(max_size=40), max_size=4).map(b"".join)


@settings(max_examples=400, database=None)
@given(stream=streams, greeted=st.booleans(), cut=st.integers(1, 60))
def test_any_stream_of_bytes_is_answered_or_closed(stream: bytes, greeted: bool, cut: int) -> None:
    """Cut into pieces, at every stage of a connection; the server never has an incident of its own."""
    faults: list[object] = []

    async def told() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
        house = await open_house()
        line = Line()
        wire = Wire(house, Pages(house), Addresses(0), Addresses(0), set())
        wire.connection_made(line)
        if greeted:
            wire.data_received(HELLO + frame(b'{"type":"hello","name":"Ann"}'))
            assert b"welcome" in line.written
        for piece in filter(None, (stream[:cut], stream[cut:])):
            wire.data_received(piece)
            await asyncio.sleep(0)
        for _ in range(4):
            await asyncio.sleep(0)
        assert b"server.internal" not in line.written
        wire.connection_lost(None)
        await house.close()

    asyncio.run(told())
    assert not faults, faults


async def test_random_bytes_over_sockets_disturb_nobody(server: Server) -> None:
    async with guest(server, "Ann") as ann:
        chance = Random(7)
        whole = [frame(JSON.encode(command)) for command in COMMANDS]
        for _ in range(200):
            data = bytearray(b"".join(chance.choices(whole, k=3)))
            for _ in range(chance.randrange(4)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            stream = bytes(data) if chance.random() < 0.8 else chance.randbytes(100)
            rough = await Rough.open(server)
            rough.send(stream)
            if rough.writer.can_write_eof():
                rough.writer.write_eof()
            heard = await rough.until_closed()
            assert heard.code in (None, 1000, 1002, Close.WRONG_FRAME_TYPE, Close.UNDECODABLE, Close.TOO_BIG)
            rough.drop()
        assert (await ann.ask(type="ping"))["type"] == "pong"
