"""Bad input: what cannot start says so in one sentence; what cannot be done is answered, and hurts nobody."""

import os
import socket
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import msgpack
import pytest

from .model import DECK, PLACES
from .servers import Server, refused
from .third_party import Client

CODE = "YU1-C-AAAAAAB"

# What cannot start


@pytest.mark.parametrize("log", ["nonsense", "sqlite:", "memory:x", "postgres://x"])
def test_a_log_that_is_none_is_refused(log: str) -> None:
    line = refused("--port", "0", "--log", log)
    assert repr(log) in line
    assert "sqlite:PATH" in line


def test_a_file_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "race.db"
    assert str(path) in refused("--port", "0", "--log", f"sqlite:{path}")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert str(tmp_path) in refused("--port", "0", "--log", f"sqlite:{tmp_path}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "race.db"
    path.touch(0o400)
    assert str(path) in refused("--port", "0", "--log", f"sqlite:{path}")


@pytest.mark.parametrize("content", [b"a letter to a friend\n" * 100, b"x", b"SQLite format 3\0" + b"\0" * 2000])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    assert str(path) in refused("--port", "0", "--log", f"sqlite:{path}")
    assert path.read_bytes() == content


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    books = sqlite3.connect(path)
    books.execute("CREATE TABLE books (title TEXT)")
    books.close()
    before = path.read_bytes()
    assert str(path) in refused("--port", "0", "--log", f"sqlite:{path}")
    assert path.read_bytes() == before


def test_a_file_that_another_server_has_is_refused(tmp_path: Path) -> None:
    log = f"sqlite:{tmp_path / 'race.db'}"
    with Server("--log", log) as server:
        assert str(tmp_path / "race.db") in refused("--port", "0", "--log", log)
        assert server.page("/livez")[0] == 200


def test_a_port_that_is_taken_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in refused("--log", "memory:", "--port", port)
        assert port in refused(STAMPEDE_LOG="memory:", STAMPEDE_PORT=port)


def test_a_server_that_cannot_listen_leaves_no_log_behind(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused("--log", f"sqlite:{tmp_path / 'race.db'}", "--port", str(taken.getsockname()[1]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    assert port in refused("--log", "memory:", "--port", port)


def test_a_host_that_is_not_here_is_refused() -> None:
    assert "192.0.2.1" in refused("--log", "memory:", "--port", "0", "--host", "192.0.2.1")
    assert "no.such.host.invalid" in refused("--log", "memory:", "--port", "0", "--host", "no.such.host.invalid")


# What cannot be done

SECRET = "sesame"


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
@pytest.mark.parametrize(
    ("command", "code", "culprit"),
    [
        ({"type": "open", "deal": "YU1-C-AAAAAA"}, "deal.bad_code", "7 symbols"),
        ({"type": "open", "deal": "YU1-C-AAAAAA1"}, "deal.bad_code", "AAAAAA1"),
        ({"type": "open", "deal": "ZZ1-C-AAAAAAB"}, "deal.bad_code", "ZZ1"),
        ({"type": "open", "deal": "YU1-Q-AAAAAAB"}, "deal.bad_code", "Q"),
        ({"type": "open", "deal": "hello"}, "deal.bad_code", "hello"),
        ({"type": "open", "deal": "KL1-D2N"}, "deal.bad_variant", "KL1-D2N"),
        ({"type": "open"}, "message.bad_field", "deal"),
        ({"type": "open", "deal": CODE, "role": "king"}, "message.bad_field", "role"),
        ({"type": "open", "deal": CODE, "settings": {"undo": 101}}, "message.bad_field", "settings.undo"),
        ({"type": "open", "deal": CODE, "settings": {"undo": "all"}}, "message.bad_field", "settings.undo"),
        ({"type": "open", "deal": CODE, "settings": {"capacity": 0}}, "message.bad_field", "settings.capacity"),
        ({"type": "open", "deal": CODE, "settings": {"capacity": 101}}, "message.bad_field", "settings.capacity"),
        ({"type": "open", "deal": CODE, "settings": {"countdown_s": 61}}, "message.bad_field", "settings.countdown_s"),
        ({"type": "open", "deal": CODE, "settings": {"limit_s": 59}}, "message.bad_field", "settings.limit_s"),
        ({"type": "open", "deal": CODE, "settings": {"tail_s": -1}}, "message.bad_field", "settings.tail_s"),
        ({"type": "open", "deal": CODE, "settings": {"start": "now"}}, "message.bad_field", "settings.start"),
        ({"type": "open", "deal": CODE, "settings": {"title": "x" * 61}}, "message.bad_field", "settings.title"),
        ({"type": "open", "deal": CODE, "settings": {"passphrase": 5}}, "message.bad_field", "settings.passphrase"),
        ({"type": "open", "deal": CODE, "settings": {"sealed": True}}, "message.bad_field", "deal"),
        ({"type": "join", "room": "zzzzzzzz"}, "room.unknown", "zzzzzzzz"),
        ({"type": "join"}, "message.bad_field", "room"),
        ({"type": "join", "room": "LOCKED"}, "room.passphrase", "passphrase"),
        ({"type": "join", "room": "LOCKED", "passphrase": "open"}, "room.passphrase", "passphrase"),
        ({"type": "replay", "room": "zzzzzzzz"}, "room.unknown", "zzzzzzzz"),
        ({"type": "replay", "room": "LOCKED"}, "race.not_over", "over"),
        ({"type": "say", "text": "hello"}, "room.not_in_one", "room"),
        ({"type": "say", "text": "x" * 281}, "message.bad_field", "text"),
        ({"type": "play", "n": 1, "do": {"fly": True}}, "message.bad_field", "do"),
        ({"type": "play", "n": 1, "do": {"move": "XX", "to": "1"}}, "message.bad_field", "do.move"),
        ({"type": "play", "n": 1, "do": {"move": "AS", "to": "0"}}, "message.bad_field", "do.to"),
        ({"type": "play", "n": "one", "do": {"undo": True}}, "message.bad_field", "n"),
        ({"type": "play", "do": {"undo": True}}, "message.bad_field", "n"),
        ({"type": "ready"}, "message.bad_field", "ready"),
        ({"type": "targets", "card": "as"}, "message.bad_field", "card"),
        ({"type": "rooms", "follow": "yes"}, "message.bad_field", "follow"),
        ({"type": "hello", "name": "Bob"}, "hello.twice", "hello"),
        ({"type": "fly"}, "message.unknown_type", "fly"),
        ({"type": 5}, "message.unknown_type", "type"),
        ({}, "message.unknown_type", "type"),
    ],
    ids=str,
)
async def test_a_wrong_command_is_answered_with_its_culprit(
    server: Server, encoding: str, command: dict[str, Any], code: str, culprit: str
) -> None:
    async with (
        Client(server.url, "Ann", encoding=encoding) as ann,
        Client(server.url, "Host", encoding=encoding) as host,
    ):
        if command.get("room") == "LOCKED":
            command = command | {"room": await host.open(CODE, passphrase=SECRET)}
        await ann.send(command | {"id": 1000})
        answer = await ann.answer(1000)
        assert (answer["type"], answer["code"]) == ("error", code)
        assert culprit in answer["text"] or culprit == answer.get("data", {}).get("field")
        assert SECRET not in str(answer)
        assert (await ann.ask("ping"))["type"] == "pong"


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        ({"name": ""}, "hello.bad_name"),
        ({"name": "x" * 25}, "hello.bad_name"),
        ({"name": "a\u202eb"}, "hello.bad_name"),
        ({"name": "a\x1b[2J"}, "hello.bad_name"),
        ({"name": "x" * 300}, "message.bad_field"),
        ({"name": None}, "message.bad_field"),
        ({}, "message.bad_field"),
        ({"name": "Ann", "token": "mine"}, "hello.bad_token"),
        ({"name": "Ann", "token": 5}, "message.bad_field"),
        ({"name": "Ann", "kind": "cat"}, "message.bad_field"),
        ({"name": "Ann", "client": "x" * 101}, "message.bad_field"),
    ],
    ids=ascii,
)
async def test_a_wrong_hello_may_be_said_again(server: Server, hello: dict[str, Any], code: str) -> None:
    guest = Client(server.url)
    await guest.connect()
    assert await guest.code("rooms") == "hello.first"
    assert await guest.code("hello", **hello) == code
    guest.name = "Ann"
    assert (await guest.hello())["name"] == "Ann"
    await guest.close()


@pytest.mark.parametrize("value", [1, 1.5, "text", None, True, [], [{"type": "ping"}]], ids=repr)
async def test_a_value_that_is_no_map_is_answered(server: Server, value: Any) -> None:
    for encoding in ("json", "msgpack"):
        async with Client(server.url, "Ann", encoding=encoding) as ann:
            await ann.send(value)
            assert (await ann.wait("error"))["code"] == "message.unknown_type"
            assert (await ann.ask("ping"))["type"] == "pong"


async def test_unknown_fields_are_ignored_and_the_type_may_be_anywhere(server: Server) -> None:
    async with Client(server.url, "Ann", encoding="json") as ann:
        await ann.socket.send('{"id": 500, "mood": {"type": "good"}, "t": 1, "type": "ping"}')
        assert (await ann.answer(500))["t"] == 1
        await ann.send({"settings": {"colour": "red"}, "deal": CODE, "id": 501, "type": "open"})
        assert (await ann.answer(501))["type"] == "room"


async def test_maps_with_other_keys_than_texts_close_nobody_elses_line(server: Server) -> None:
    async with Client(server.url, "Bob") as bob:
        ann = Client(server.url, "Ann")
        await ann.connect()
        await ann.hello()
        await ann.socket.send(msgpack.packb({1: 2, "type": "ping", "id": 700}))
        await ann.until(lambda: ann._ended or 700 in ann._answers or bool(ann.all("error")))
        assert (await bob.ask("ping"))["type"] == "pong"
        await ann.close()


# Frames

BAD_JSON = ["", "{", '{"type": "ping"', '{"type": "ping"} {}', "[1,", "nul", "\u0000", '{"type": "ping", "t": 01}']
BAD_MSGPACK = [b"", b"\xc1", b"\x81", b"\x82\xa4type\xa4ping", b"\x81\xa4type\xa4ping\x00", b"\xdf\xff\xff\xff\xff"]


@pytest.mark.parametrize("text", BAD_JSON, ids=repr)
async def test_what_is_no_json_closes_with_1007(server: Server, text: str) -> None:
    ann = Client(server.url, "Ann", encoding="json")
    await ann.connect()
    await ann.socket.send(text)
    assert await ann.closed() == 1007


@pytest.mark.parametrize("data", BAD_MSGPACK, ids=repr)
async def test_what_is_no_messagepack_closes_with_1007(server: Server, data: bytes) -> None:
    ann = Client(server.url, "Ann")
    await ann.connect()
    await ann.socket.send(data)
    assert await ann.closed() == 1007


async def test_text_that_is_no_utf_8_closes_with_1007(server: Server) -> None:
    ann = Client(server.url, "Ann", encoding="json")
    await ann.connect()
    await ann.socket.send(b'{"type": "ping", "t": "\xff"}', text=True)
    assert await ann.closed() == 1007


@pytest.mark.parametrize(("encoding", "data"), [("json", b'{"type": "ping"}'), ("msgpack", '{"type": "ping"}')])
async def test_the_other_kind_of_frame_closes_with_1003(server: Server, encoding: str, data: str | bytes) -> None:
    ann = Client(server.url, "Ann", encoding=encoding)
    await ann.connect()
    await ann.hello()
    await ann.socket.send(data)
    assert await ann.closed() == 1003


async def test_a_command_of_4_kib_is_taken_and_one_byte_more_closes_with_1009(server: Server) -> None:
    ann = Client(server.url, "Ann", encoding="json")
    await ann.connect()
    await ann.hello()
    frame = '{"type":"ping","id":9,"t":"' + "x" * (4096 - 29) + '"}'
    assert len(frame) == 4096
    await ann.socket.send(frame)
    assert len((await ann.answer(9))["t"]) == 4096 - 29
    await ann.socket.send(frame + " ")
    assert await ann.closed() == 1009


async def test_a_command_in_many_fragments_is_one_command(server: Server) -> None:
    async with Client(server.url, "Ann", encoding="json") as ann:
        await ann.socket.send(['{"type":', ' "ping", ', '"id": 77', "}"])
        assert (await ann.answer(77))["type"] == "pong"


# Exactly one answer


def some_command(chance: Random) -> dict[str, Any]:
    do: Any = chance.choice(
        ({"move": chance.choice(DECK), "to": chance.choice(PLACES)}, {"draw": True}, {"undo": True}, {}, 5)
    )
    return chance.choice(
        (
            {"type": "play", "n": chance.choice((0, 1, 2, 3, 50)), "do": do},
            {"type": "targets", "card": chance.choice((*DECK, "ZZ"))},
            {"type": "sync"},
            {"type": "rooms", "follow": chance.choice((True, False, 3))},
            {"type": "open", "deal": chance.choice((CODE, "KL1-D1N", "nonsense"))},
            {"type": "join", "room": chance.choice(("zzzzzzzz", ""))},
            {"type": "leave"},
            {"type": "ready", "ready": chance.choice((True, False, None))},
            {"type": "start"},
            {"type": "forfeit"},
            {"type": "say", "text": chance.choice(("hello", "", "\n"))},
            {"type": "replay", "room": "zzzzzzzz"},
            {"type": "rematch"},
            {"type": "ping"},
            {"type": "hello", "name": "Bob"},
            {"type": "fly"},
            {},
        )
    )


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_said_in_one_breath_is_answered_once_each_and_in_order(
    server: Server, encoding: str, seed: int
) -> None:
    chance = Random(seed)
    async with Client(server.url, "Ann", encoding=encoding) as ann:
        first = len(ann.heard)
        for number in range(1000, 1400):
            await ann.send(some_command(chance) | {"id": number})
        await ann.answer(1399)
        answered = [message["re"] for message in ann.heard[first:] if "re" in message]
        assert answered == list(range(1000, 1400))
        assert not [message for message in ann.all("error") if message["code"] == "server.internal"]
        # Silence about those that carry no id would be as wrong.
        count = len(ann.all("pong"))
        await ann.send({"type": "ping"})
        await ann.until(lambda: len(ann.all("pong")) == count + 1)
