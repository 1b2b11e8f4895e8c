"""The handshake: what is offered, what is chosen, who is let in; and the pages on the same port."""

import asyncio
import json

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from .servers import Server
from .third_party import Client

JSON = Subprotocol("stampede.v1.json")
MSGPACK = Subprotocol("stampede.v1.msgpack")


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        ([JSON], JSON),
        ([MSGPACK], MSGPACK),
        ([JSON, MSGPACK], MSGPACK),
        ([MSGPACK, JSON], MSGPACK),
        ([Subprotocol("stampede.v9.json"), JSON], JSON),
    ],
)
async def test_messagepack_is_preferred_where_both_are_offered(
    server: Server, offered: list[Subprotocol], chosen: str
) -> None:
    async with connect(server.url, subprotocols=offered, proxy=None) as socket:
        assert socket.subprotocol == chosen
        ping = {"type": "ping", "id": 1}
        await socket.send(json.dumps(ping) if chosen == JSON else msgpack.packb(ping))
        answer = await socket.recv()
        pong = json.loads(answer) if isinstance(answer, str) else msgpack.unpackb(answer)
        assert isinstance(answer, str) is (chosen == JSON)
        assert (pong["type"], pong["re"]) == ("pong", 1)


async def test_who_offers_nothing_gets_json(server: Server) -> None:
    async with connect(server.url, proxy=None) as socket:
        assert socket.subprotocol is None
        await socket.send('{"type": "hello", "name": "Ann"}')
        answer = await socket.recv()
        assert isinstance(answer, str)
        assert json.loads(answer)["type"] == "welcome"


async def test_who_offers_only_what_is_not_spoken_is_told_what_is(server: Server) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        await connect(server.url, subprotocols=[Subprotocol("chess"), Subprotocol("stampede.v2.json")], proxy=None)
    response = refusal.value.response
    assert response.status_code == 400
    assert b"stampede.v1.json" in response.body
    assert b"stampede.v1.msgpack" in response.body


async def test_no_compression_is_agreed_on(server: Server) -> None:
    async with connect(server.url, compression="deflate", proxy=None) as socket:
        assert socket.protocol.extensions == []


async def test_pages_of_other_origins_are_not_let_in(server: Server) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        await connect(server.url, origin=Origin("https://evil.example"), proxy=None)
    assert refusal.value.response.status_code == 403
    async with connect(server.url, origin=Origin(f"http://127.0.0.1:{server.port}"), proxy=None):
        pass


async def test_origins_can_be_allowed_and_addresses_limited_by_the_operator() -> None:
    with Server(
        "--log", "memory:", "--origins", "https://play.example", STAMPEDE_CONNECTIONS_PER_ADDRESS="2"
    ) as server:
        async with (
            connect(server.url, origin=Origin("https://play.example"), proxy=None),
            connect(server.url, proxy=None) as second,
        ):
            with pytest.raises(InvalidStatus) as refusal:
                await connect(server.url, proxy=None)
            assert refusal.value.response.status_code == 429
            assert b"2" in refusal.value.response.body
            assert server.page("/livez")[0] == 200
            await second.close()
            async with asyncio.timeout(60):
                while True:
                    try:
                        async with connect(server.url, proxy=None):
                            break
                    except InvalidStatus:
                        await asyncio.sleep(0.01)


async def test_the_pages_of_the_port(server: Server) -> None:
    assert server.page("/livez")[0] == 200
    assert server.page("/readyz")[0] == 200
    assert server.page("/")[0] == 404
    assert server.page("/races/zzzzzzzz.json")[0] == 404
    status, _ = server.page("/ws")
    assert status in (400, 426)


async def test_limits_are_told_and_kept() -> None:
    with Server("--log", "memory:", STAMPEDE_COMMANDS_PER_S="5", STAMPEDE_ROOMS_PER_PLAYER="1") as server:
        async with Client(server.url) as ann:
            ann.name = "Ann"
            limits = (await ann.hello())["limits"]
            assert (limits["commands_per_s"], limits["commands_burst"], limits["rooms_per_player"]) == (5, 10, 1)
            numbers = [await ann.say("ping") for _ in range(30)]
            answers = [await ann.answer(number) for number in numbers]
            refused = [answer for answer in answers if answer["type"] == "error"]
            assert {answer["code"] for answer in refused} == {"limit.rate"}
            assert all(answer["retry_ms"] > 0 for answer in refused)
            assert [answer["type"] for answer in answers[:9]] == ["pong"] * 9
            await asyncio.sleep(max(answer["retry_ms"] for answer in refused) / 1000 + 1)
            assert (await ann.ask("ping"))["type"] == "pong"
