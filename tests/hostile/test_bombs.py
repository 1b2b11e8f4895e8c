"""MessagePack and JSON bombs: well-formed or not, each gets a named error or a close code, and costs little."""

import json

import msgpack
import pytest

from hostile.rough import Guest, Rough, Server, frame, guest, undisturbed

DEEP = 1300
"""Brackets that fit into a command with their counterparts."""
NO_COMMAND = "message.unknown_type"
BAD_FIELD = "message.bad_field"

JSON_BOMBS: dict[str, tuple[bytes, str | int]] = {
    "brackets without end": (b"[" * 4096, 1007),
    "deep lists": (b"[" * DEEP + b"]" * DEEP, 1007),
    "deep maps": (b'{"a":' * 600 + b"1" + b"}" * 600, NO_COMMAND),
    "depth in a field": (b'{"type":"ping","t":' + b"[" * DEEP + b"]" * DEEP + b"}", 1007),
    "depth in a field of nobody": (b'{"type":"ping","x":' + b"[" * DEEP + b"]" * DEEP + b"}", 1007),
    "depth beside a wrong field": (b'{"type":"say","text":1,"x":' + b"[" * DEEP + b"]" * DEEP + b"}", 1007),
    "two types": (b'{"type":"ping","type":"hello","name":"A"}', NO_COMMAND),
    "two ids": (b'{"type":"rooms","id":1,"id":2}', "hello.first"),
    "NaN": (b'{"type":"ping","t":NaN}', 1007),
    "Infinity": (b'{"type":"ping","id":Infinity}', 1007),
    "a huge number": (b'{"type":"ping","id":' + b"9" * 3900 + b"}", BAD_FIELD),
    "a number beyond floats": (b'{"type":"ping","id":1e999}', BAD_FIELD),
    "a number of 2**64": (b'{"type":"ping","id":18446744073709551616}', BAD_FIELD),
    "an id of 2**53": (b'{"type":"ping","id":9007199254740992}', BAD_FIELD),
    "a negative id": (b'{"type":"ping","id":-1}', BAD_FIELD),
    "a true id": (b'{"type":"ping","id":true}', BAD_FIELD),
    "a broken id": (b'{"type":"ping","id":1.5}', BAD_FIELD),
    "a lone surrogate": (b'{"type":"hello","name":"\\ud800"}', 1007),
    "a lone surrogate as type": (b'{"type":"\\udfff"}', 1007),
    "a list": (b"[1]", NO_COMMAND),
    "null": (b"null", NO_COMMAND),
    "a text": (b'"ping"', NO_COMMAND),
    "no type": (b"{}", NO_COMMAND),
    "a type that is a map": (b'{"type":{"type":"ping"}}', NO_COMMAND),
    "a type with controls": (b'{"type":"\\u0000\\u001b[2J\\u202e"}', NO_COMMAND),
    "a name that is a list": (b'{"type":"hello","name":["A"]}', BAD_FIELD),
    "a name too long": (b'{"type":"hello","name":"' + b"A" * 4000 + b'"}', BAD_FIELD),
    "two messages": (b'{"type":"ping"}{"type":"ping"}', 1007),
    "a byte order mark": (b'\xef\xbb\xbf{"type":"ping"}', 1007),
    "zero bytes": (b"\0" * 100, 1007),
    "a comment": (b'{"type":"ping"/**/}', 1007),
    "an unfinished escape": (b'{"type":"ping","t":"\\', 1007),
    "many keys": (b"{" + b",".join(b'"%d":0' % at for at in range(500)) + b"}", NO_COMMAND),
}


def packed(**value: object) -> bytes:
    data: bytes = msgpack.packb(value)
    return data


MSGPACK_BOMBS: dict[str, tuple[bytes, str | int]] = {
    "deep lists": (b"\x91" * 4000 + b"\xc0", 1007),
    "deep maps": (b"\x81\xa1a" * 1300 + b"\xc0", 1007),
    "a list of four billion": (b"\xdd\xff\xff\xff\xff", 1007),
    "a map of four billion": (b"\xdf\xff\xff\xff\xff", 1007),
    "a text of four gigabytes": (b"\xdb\xff\xff\xff\xff", 1007),
    "four billion in a field": (b"\x82\xa4type\xa4ping\xa1t\xdd\xff\xff\xff\xff", 1007),
    "an extension of four gigabytes": (b"\x82\xa4type\xa4ping\xa1t\xc9\xff\xff\xff\xff\x01", 1007),
    "depth in a field": (b"\x82\xa4type\xa4ping\xa1t" + b"\x91" * 3000 + b"\xc0", 1007),
    "two types": (b"\x82\xa4type\xa4ping\xa4type\xa5rooms", NO_COMMAND),
    "NaN as an id": (packed(type="ping", id=float("nan")), BAD_FIELD),
    "a float as an id": (packed(type="ping", id=1.5), BAD_FIELD),
    "a huge number": (packed(type="ping", id=2**64 - 1), BAD_FIELD),
    "bad UTF-8": (b"\x82\xa4type\xa5hello\xa4name\xa2\xff\xfe", 1007),
    "bad UTF-8 in what a pong would bring back": (b"\x82\xa4type\xa4ping\xa1t\xa2\xff\xfe", 1007),
    "a lone surrogate": (b"\x82\xa4type\xa5hello\xa4name\xa3\xed\xa0\x80", 1007),
    "bytes as a name": (packed(type="hello", name=b"A"), BAD_FIELD),
    "bytes as a type": (packed(type=b"ping"), NO_COMMAND),
    "keys that are numbers": (msgpack.packb({1: 2, 3: 4}), NO_COMMAND),
    "the byte that means nothing": (b"\xc1", 1007),
    "two messages": (packed(type="ping") * 2, 1007),
    "a list": (msgpack.packb(["ping"]), NO_COMMAND),
    "nothing": (b"", 1007),
}


@pytest.mark.parametrize(("bomb", "verdict"), JSON_BOMBS.values(), ids=JSON_BOMBS.keys())
async def test_a_json_bomb_is_refused_by_name(bomb: bytes, verdict: str | int, server: Server) -> None:
    rough = await Rough.open(server)
    rough.send(frame(bomb))
    assert await rough.verdict() == verdict
    rough.drop()


@pytest.mark.parametrize(("bomb", "verdict"), MSGPACK_BOMBS.values(), ids=MSGPACK_BOMBS.keys())
async def test_a_messagepack_bomb_is_refused_by_name(bomb: bytes, verdict: str | int, server: Server) -> None:
    rough = await Rough.open(server, encoding="msgpack")
    rough.send(frame(bomb, 2))
    opcode, payload = await rough.next()
    heard = int.from_bytes(payload[:2]) if opcode == 8 else msgpack.unpackb(payload)["code"]
    assert heard == verdict
    rough.drop()


async def test_4_kib_and_one_byte_are_too_much_and_4_kib_are_not(server: Server) -> None:
    text = json.dumps({"type": "ping", "t": ""}).encode()
    for size, verdict in ((4096, "pong"), (4097, 1009)):
        rough = await Rough.open(server)
        rough.send(frame(text.replace(b'""', b'"' + b"x" * (size - len(text)) + b'"')))
        assert await rough.verdict() == verdict
        rough.drop()


async def test_bombs_disturb_nobody(server: Server) -> None:
    async with undisturbed(server):
        for bomb, _ in [*JSON_BOMBS.values()] * 3:
            rough = await Rough.open(server)
            rough.send(frame(bomb) * 30)
            await rough.next()
            rough.drop()


WRONG_FIELDS: list[dict[str, object]] = [
    {"type": "open", "deal": 5},
    {"type": "open", "deal": "YU1-C", "settings": {"undo": -1}},
    {"type": "open", "deal": "YU1-C", "settings": {"capacity": 10**30}},
    {"type": "open", "deal": "YU1-C", "settings": {"title": "x" * 61}},
    {"type": "open", "deal": "YU1-C", "settings": {"title": "a\nb"}},
    {"type": "open", "deal": "YU1-C", "settings": {"passphrase": "x" * 65}},
    {"type": "open", "deal": "YU1-C", "settings": []},
    {"type": "open", "deal": "YU1-C", "role": "judge"},
    {"type": "join", "room": None},
    {"type": "play", "n": 1, "do": {}},
    {"type": "play", "n": 1, "do": {"move": "TD"}},
    {"type": "play", "n": 1, "do": {"move": "TD", "to": "8"}},
    {"type": "play", "n": 1, "do": {"move": "td", "to": "1"}},
    {"type": "play", "n": 1, "do": {"move": "--", "to": "1"}},
    {"type": "play", "n": 1, "do": {"draw": True, "undo": True}},
    {"type": "play", "n": 1, "do": {"draw": 1}},
    {"type": "play", "n": -1, "do": {"draw": True}},
    {"type": "play", "do": {"draw": True}},
    {"type": "targets", "card": "--"},
    {"type": "targets", "card": "1S"},
    {"type": "say", "text": "x" * 281},
    {"type": "say", "text": "\x1b[2J"},
    {"type": "say", "text": ""},
    {"type": "ready"},
    {"type": "ready", "ready": "yes"},
]


async def test_a_wrong_field_is_named_and_the_connection_lives_on(server: Server) -> None:
    one: Guest
    async with guest(server, "Ann") as one:
        for command in WRONG_FIELDS:
            answer = await one.ask(**command)
            assert (answer["type"], answer["code"]) == ("error", BAD_FIELD), (command, answer)
            assert answer["data"]["field"], command
            if WRONG_FIELDS.index(command) % 15 == 14:
                assert (await one.ask(type="ping"))["type"] == "pong"
