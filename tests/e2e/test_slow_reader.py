"""Who does not read is cut off, and nobody else notices anything; who reads is not cut off, however much it is."""

import json
import socket
from contextlib import AsyncExitStack

import msgpack
import pytest

from .servers import Server
from .third_party import Client, race


async def test_a_watcher_who_stops_reading_is_cut_off_while_the_others_race_on(
    server: Server, lines: dict[str, list[str]]
) -> None:
    deal = next(iter(lines))
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob", encoding="json") as bob:
        room = await race([ann, bob], deal)
        deaf = Client(server.url, "Deaf")
        await deaf.connect()
        await deaf.hello()
        await deaf.join(room, role="watcher")
        raw: socket.socket = deaf.socket.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.socket.transport.pause_reading()

        def is_away() -> bool:
            return any(
                message["entrant"]["name"] == "Deaf" and message["entrant"]["away"] for message in ann.all("entrant")
            )

        talk = 0
        for action in lines[deal]:
            assert (await ann.play(action))["type"] == "played"
            while not is_away() and talk < 20_000:
                numbers = [await bob.say("say", text="x" * 280) for _ in range(50)]
                assert (await bob.answer(numbers[-1]))["type"] == "done"
                talk += 50
                if talk % 500 == 0:
                    break
        await ann.until(is_away)
        assert len(bob.all("said")) == talk == len(ann.all("said"))
        assert (await ann.wait("finish"))["player"] == ann.player
        deaf.socket.transport.resume_reading()
        assert await deaf.closed() in (4002, 1006)


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
async def test_who_asks_for_much_in_one_breath_and_reads_it_gets_it_all(server: Server, encoding: str) -> None:
    """A burst that the limits allow, in a room so full that its answers are more than an outbox may hold."""
    async with AsyncExitStack() as crowd:
        host = await crowd.enter_async_context(Client(server.url, "Host"))
        room = await host.open("YU1-C-AAAAAAB", capacity=100)
        for at in range(60):
            racer = await crowd.enter_async_context(Client(server.url, f"Racer {at}", encoding=encoding))
            await racer.join(room)
        numbers = range(9000, 9040)
        protocol = racer.socket.protocol
        for number in numbers:
            sync = {"type": "sync", "id": number}
            if encoding == "json":
                protocol.send_text(json.dumps(sync).encode())
            else:
                protocol.send_binary(msgpack.packb(sync))
        racer.socket.transport.write(b"".join(protocol.data_to_send()))
        for number in numbers:
            assert len((await racer.answer(number))["room"]["entrants"]) == 61
