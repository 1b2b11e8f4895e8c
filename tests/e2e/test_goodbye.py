"""A server that is asked to end says goodbye, answers what is under way, and ends well."""

import asyncio
import signal
from pathlib import Path

import pytest

from .servers import Server
from .third_party import Client, race


@pytest.mark.parametrize("log", ["memory:", "sqlite:"])
async def test_everyone_is_told_goodbye_and_seen_out(log: str, tmp_path: Path, lines: dict[str, list[str]]) -> None:
    deal = next(iter(lines))
    with Server("--log", log if log == "memory:" else f"sqlite:{tmp_path / 'race.db'}") as server:
        clients = [Client(server.url, f"Racer {at}", encoding=("json", "msgpack")[at % 2]) for at in range(6)]
        for client in clients:
            await client.connect()
            await client.hello()
        await race(clients, deal)
        lobby = Client(server.url, "In no room")
        await lobby.connect()
        silent = Client(server.url)
        await silent.connect()
        said = [await client.say_play(lines[deal][0]) for client in clients]
        server.terminate()
        for client, number in zip(clients, said, strict=True):
            goodbye = await client.wait("goodbye")
            assert goodbye["reason"]
            assert goodbye["retry_ms"] > 0
            assert (await client.answer(number))["type"] in ("played", "error")
            assert await client.closed() == 1012
        assert await lobby.closed() == 1012
        assert await silent.closed() == 1012
        assert await asyncio.to_thread(server.wait) == 0
        assert "Traceback" not in "".join(server.output)


async def test_an_interrupt_ends_it_as_well() -> None:
    with Server("--log", "memory:") as server:
        async with Client(server.url, "Ann") as ann:
            server._process.send_signal(signal.SIGINT)
            assert await ann.closed() == 1012
        assert await asyncio.to_thread(server.wait) == 0
        assert "Traceback" not in "".join(server.output)


async def test_someone_who_reads_nothing_holds_nobody_up() -> None:
    with Server("--log", "memory:") as server:
        deaf = Client(server.url, "Deaf")
        await deaf.connect()
        deaf.socket.transport.pause_reading()
        server.terminate()
        assert await asyncio.to_thread(server.wait) == 0
        deaf.abort()
        await deaf.closed()


async def test_what_was_acknowledged_before_goodbye_is_there_afterwards(
    tmp_path: Path, lines: dict[str, list[str]]
) -> None:
    deal = next(iter(lines))
    log = f"sqlite:{tmp_path / 'race.db'}"
    with Server("--log", log) as server:
        ann, bob = Client(server.url, "Ann"), Client(server.url, "Bob")
        for client in (ann, bob):
            await client.connect()
            await client.hello()
        room = await race([ann, bob], deal)
        for action in lines[deal][:10]:
            await ann.play(action)
        server.terminate()
        assert await ann.closed() == await bob.closed() == 1012
        assert await asyncio.to_thread(server.wait) == 0
    with Server("--log", log) as server:
        async with Client(server.url, "Ann", token=ann.token) as again:
            await again.join(room)
            await again.wait("board")
            assert again.board["n"] == 10
            assert {key: again.board[key] for key in ("columns", "home", "score", "moves")} == {
                key: ann.board[key] for key in ("columns", "home", "score", "moves")
            }
