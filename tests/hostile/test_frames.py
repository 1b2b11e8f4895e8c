"""Frames that no websocket client may send: each ends its connection with a code that says why, and nothing else."""

import asyncio

import pytest

from hostile.rough import Rough, Server, frame, guest, handshake, http, undisturbed

PING = b'{"type":"ping"}'

MALFORMED = {
    "unmasked": (frame(PING, masked=False), 1002),
    "a reserved bit": (frame(PING, reserved=4), 1002),
    "every reserved bit": (frame(PING, reserved=7), 1002),
    "a reserved opcode": (frame(PING, 3), 1002),
    "a reserved control opcode": (frame(PING, 11), 1002),
    "a fragmented ping": (frame(b"x", 9, fin=False), 1002),
    "a fragmented close": (frame(b"\x03\xe8", 8, fin=False), 1002),
    "a long ping": (frame(b"x" * 126, 9), 1002),
    "a continuation of nothing": (frame(PING, 0), 1002),
    "a message within a message": (frame(b'{"type":', fin=False) + frame(PING), 1002),
    "a close of one byte": (frame(b"\x03", 8), 1002),
    "a close with a code of nobody's": (frame((1005).to_bytes(2), 8), 1002),
    "a close with a reason that is no UTF-8": (frame(b"\x03\xe8\xff", 8), None),
    "bad UTF-8": (frame(b'{"type":"p\xffng"}'), 1007),
    "bad UTF-8 where nobody reads": (frame(b'{"type":"ping","colour":"\xff"}'), 1007),
    "bad UTF-8 in what a pong would bring back": (frame(b'{"type":"ping","t":"\xc0\xaf"}'), 1007),
    "half a surrogate in UTF-8": (frame(b'{"type":"ping","t":"\xed\xa0\x80"}'), 1007),
    "UTF-8 split between fragments, and not finished": (
        frame(b'{"type":"ping","t":"\xe2', fin=False) + frame(b'"}', 0),
        1007,
    ),
    "the wrong kind": (frame(PING, 2), 1003),
    "one byte too many": (frame(b"x" * 4097), 1009),
    "the size of the sea": (frame(size=2**62), 1009),
    "a size with its highest bit": (frame(size=2**63 + 1), None),
    "fragments that add up": (frame(b"x" * 1000, fin=False) + frame(b"x" * 1000, 0, fin=False) * 4, 1009),
    "nothing at all": (frame(b""), 1007),
}


@pytest.mark.parametrize(("data", "code"), MALFORMED.values(), ids=MALFORMED.keys())
async def test_a_malformed_frame_ends_its_connection_with_a_code(data: bytes, code: int | None, server: Server) -> None:
    rough = await Rough.open(server)
    rough.send(data)
    heard = await rough.until_closed()
    rough.drop()
    assert heard.messages == []
    assert heard.code is not None
    assert code in (heard.code, None)


async def test_malformed_frames_disturb_nobody(server: Server) -> None:
    async with undisturbed(server):
        for _ in range(3):
            roughs = [await Rough.open(server) for _ in range(20)]
            for rough, (data, _) in zip(roughs, MALFORMED.values(), strict=False):
                rough.send(data * 50)
            await asyncio.gather(*(rough.until_closed() for rough in roughs))
            for rough in roughs:
                rough.drop()


async def test_what_comes_in_the_same_breath_as_the_request_is_answered_after_it(server: Server) -> None:
    rough = await Rough.open(server, then=frame(PING) + frame(b'{"type":"rooms"}')[:9])
    assert (await rough.answer())["type"] == "pong"
    rough.send(frame(b'{"type":"rooms"}')[9:])
    assert (await rough.answer())["code"] == "hello.first"
    rough.drop()
    rough = await Rough.open(server, then=frame(PING, masked=False))
    assert (await rough.until_closed()).code == 1002
    rough.drop()


async def test_a_message_byte_by_byte_is_a_message(server: Server) -> None:
    rough = await Rough.open(server)
    for byte in frame(PING) + frame(b'{"type":', fin=False) + frame(b"x", 9) + frame(b'"ping"}', 0):
        rough.send(bytes((byte,)))
        await rough.writer.drain()
    assert (await rough.answer())["type"] == "pong"
    kinds = {(await rough.next())[0], (await rough.next())[0]}
    assert kinds == {10, 1}, "a pong of the websocket, and one of ours; in whichever order"
    rough.drop()


async def test_endless_fragments_are_counted_like_commands_and_not_kept(server: Server) -> None:
    async with undisturbed(server):
        rough = await Rough.open(server)
        rough.send(frame(b'{"type":"ping"', fin=False), frame(b"", 0, fin=False) * 50, frame(b"}", 0))
        assert (await rough.answer())["type"] == "error"
        rough.send(frame(b"x", fin=False), frame(b"", 0, fin=False) * 20_000)
        async with guest(server, "Ann") as ann:
            assert (await ann.ask(type="ping"))["type"] == "pong"
        rough.drop()


REQUESTS = {
    "129 headers": ("".join(f"X-{number}: 1\r\n" for number in range(129)), b"431"),
    "a header line of 9 KB": (f"X: {'x' * 9000}\r\n", b"431"),
    "a foreign origin": ("Origin: https://evil.example\r\n", b"403"),
    "an origin that is none": ("Origin: null\r\n", b"403"),
    "an origin that begins like ours": ("Origin: http://127.0.0.1.evil.example\r\n", b"403"),
    "two origins, one ours": ("Origin: http://127.0.0.1\r\nOrigin: https://evil.example\r\n", b"403"),
    "only subprotocols nobody speaks": ("Sec-WebSocket-Protocol: stampede.v9\r\n", b"400"),
}


@pytest.mark.parametrize(("headers", "status"), REQUESTS.values(), ids=REQUESTS.keys())
async def test_a_request_that_asks_for_too_much_is_told_so(headers: str, status: bytes, server: Server) -> None:
    response = await http(server, handshake(server, headers))
    assert response.startswith(b"HTTP/1.1 " + status), response


async def test_a_request_with_128_headers_is_let_in(server: Server) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(handshake(server, "".join(f"X-{number}: 1\r\n" for number in range(100))))
    assert (await reader.readline()).startswith(b"HTTP/1.1 101")
    writer.transport.abort()


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",
        b"POST /ws HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        b"GET /ws\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nno colon\r\n\r\n",
        b"\n" * 100_000,
        b"GET /ws HTTP/2.0\r\n\r\n",
    ],
    ids=["TLS", "POST", "HTTP/0.9", "no colon", "line feeds", "HTTP/2"],
)
async def test_what_is_no_request_gets_a_bad_request(request_bytes: bytes, server: Server) -> None:
    response = await http(server, request_bytes)
    assert response.startswith(b"HTTP/1.1 400"), response
