"""The client against a scripted server on real sockets."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from websockets.asyncio.server import ServerConnection, serve

from stampede.patience.game import Draw
from stampede.protocol import commands
from stampede.protocol.client import Client
from stampede.protocol.codec import JSON
from stampede.protocol.events import Board, Played, Room, Said
from stampede.protocol.link import Ended, Refused, Unanswered, Unreachable
from stampede.protocol.news import Disconnected, HungUp, Reconnected, SeatLost

Message = dict[str, Any]

LIMITS = {
    "commands_per_s": 20,
    "commands_burst": 40,
    "connections_per_address": 64,
    "rooms_per_player": 20,
    "watchers_per_room": 500,
    "command_bytes": 4096,
    "name_graphemes": 24,
    "say_characters": 280,
    "title_characters": 60,
    "passphrase_characters": 64,
}
SETTINGS = msgspec.to_builtins(commands.Settings()) | {"winnable": True, "passphrase": False, "grade": "easy"}
ME = {
    "player": "me",
    "name": "Ada",
    "kind": "human",
    "role": "racer",
    "status": "racing",
    "away": False,
    "score": 0,
    "moves": 0,
    "home": 0,
    "elapsed_ms": 0,
}
ROOM = {
    "type": "room",
    "room": {
        "id": "R1",
        "phase": "racing",
        "settings": SETTINGS,
        "deal": {"variant": "KL1-D1N", "code": "KL1-D1N-AAAAAAB"},
        "host": "me",
        "entrants": [ME],
        "time_ms": 5_000,
        "starts_at_ms": 4_000,
        "you": {"player": "me", "may": ["play"]},
    },
}


def welcome(hello: Message) -> Message:
    return {
        "type": "welcome",
        "re": hello["id"],
        "player": "me",
        "token": "t" * 43,
        "name": hello["name"],
        "server": "scripted",
        "time_ms": 5_000,
        "limits": LIMITS,
        "seats": [],
    }


def board(n: int, **more: Any) -> Message:
    return {
        "type": "board",
        "n": n,
        "columns": [[], [], [], [], [], [], []],
        "home": {"S": 0, "H": 0, "D": 0, "C": 0},
        "stock": 24 - n,
        "waste": [],
        "score": 0,
        "moves": n,
        "elapsed_ms": 1_000,
        "undo_left": n,
        **more,
    }


def played(play: Message) -> Message:
    n = play["n"]
    return {
        "type": "played",
        "re": play["id"],
        "n": n,
        "changed": {"stock": 24 - n},
        "score": 0,
        "moves": n,
        "elapsed_ms": 2_000,
        "undo_left": n,
    }


class Caller:
    """The server's end of one connection."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket

    async def hear(self, kind: str) -> Message:
        message: Message = msgspec.json.decode(await self.socket.recv())
        assert message["type"] == kind, message
        return message

    async def say(self, message: Message) -> None:
        await self.socket.send(msgspec.json.encode(message).decode())

    async def greet(self) -> Message:
        hello = await self.hear("hello")
        await self.say(welcome(hello))
        return hello

    async def seat(self) -> Message:
        join = await self.hear("join")
        await self.say({**ROOM, "re": join["id"]})
        return join

    def cut(self) -> None:
        """Break the line without a word."""
        self.socket.transport.abort()


Script = Callable[[Caller], Awaitable[None]]


@asynccontextmanager
async def server(*scripts: Script) -> AsyncIterator[str]:
    """A server whose first connection goes by the first script, the second by the second, and so on."""
    waiting = list(scripts)
    failures: list[BaseException] = []

    async def connection(socket: ServerConnection) -> None:
        try:
            await waiting.pop(0)(Caller(socket))
            await socket.wait_closed()
        except Exception as error:  # a failed expectation of a script fails the test
            failures.append(error)

    async with serve(connection, "127.0.0.1", 0, subprotocols=["stampede.v1.json"], compression=None) as running:
        port = next(iter(running.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/ws"
    assert not failures, failures
    assert not waiting, "some connections were never made"


class Sleeps:
    """A sleep that takes no time and remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)


def client(url: str, sleep: Sleeps | None = None, **more: Any) -> Client:
    return Client(url, "Ada", encoding=JSON, chance=random.Random(1), sleep=sleep or Sleeps(), **more)


async def test_a_question_gets_its_own_answer_whatever_comes_in_between() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        first, second = await caller.hear("targets"), await caller.hear("targets")
        await caller.say({"type": "said", "player": "x", "name": "X", "text": "hi", "time_ms": 1})
        await caller.say({"type": "targets", "re": second["id"], "card": "AS", "to": ["home"], "best": "home"})
        await caller.say({"type": "targets", "re": first["id"], "card": "KS", "to": []})

    async with server(script) as url, client(url) as ada:
        events = ada.events()
        king, ace = await asyncio.gather(
            ada.ask(commands.Targets(card="KS")),
            ada.ask(commands.Targets(card="AS")),
        )
        assert (king.card, ace.card) == ("KS", "AS")
        assert isinstance(await anext(events), Said)


async def test_a_refusal_carries_its_problem() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        join = await caller.hear("join")
        await caller.say({"type": "error", "re": join["id"], "code": "room.unknown", "text": "No such room."})

    async with server(script) as url, client(url) as ada:
        with pytest.raises(Refused, match="No such room") as refused:
            await ada.ask(commands.Join(room="NOPE"))
        assert refused.value.code == "room.unknown"


async def test_unknown_events_and_fields_are_skipped() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        await caller.say({"type": "fireworks", "colour": "red"})
        await caller.say({"type": "said", "player": "x", "name": "X", "text": "hi", "time_ms": 1, "mood": "good"})

    async with server(script) as url, client(url) as ada:
        async for event in ada.events():
            assert isinstance(event, Said)
            break


async def test_an_event_that_cannot_be_read_ends_the_line_rather_than_leaving_anyone_waiting() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        ping = await caller.hear("ping")
        await caller.say({"type": "pong", "re": ping["id"], "time_ms": "noon"})

    async with server(script) as url, client(url) as ada:
        with pytest.raises(Ended, match="cannot read"):
            await ada.ask(commands.Ping())


async def test_after_a_break_it_takes_its_seat_again_and_repeats_an_unanswered_play_with_the_same_n() -> None:
    heard: list[Message] = []

    async def breaks(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        await caller.say(board(3))
        heard.append(await caller.hear("play"))
        caller.cut()

    async def goes_on(caller: Caller) -> None:
        heard.append(await caller.greet())
        heard.append(await caller.seat())
        await caller.say(board(3))
        heard.append(await caller.hear("play"))
        await caller.say(played(heard[-1]))

    async with server(breaks, goes_on) as url, client(url) as ada:
        events = ada.events()
        assert isinstance(await ada.ask(commands.Join(room="R1")), Room)
        await ada.until(lambda sight: sight.board is not None)
        answer = await ada.play(Draw())

        assert isinstance(answer, Played)
        assert ada.sight.board is not None
        assert (ada.sight.board.n, ada.sight.board.stock) == (4, 20)
        kinds = [type(await anext(events)) for _ in range(3)]
        assert kinds == [Board, Disconnected, Reconnected] or kinds == [Board, Disconnected, Board]
    first, hello, join, again = heard
    assert hello["token"] == "t" * 43
    assert join["room"] == "R1"
    assert again == first


async def test_a_play_that_had_counted_is_answered_with_a_board() -> None:
    async def breaks(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        await caller.say(board(3))
        await caller.hear("play")
        caller.cut()

    async def knows_it_already(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        await caller.say(board(4))
        play = await caller.hear("play")
        await caller.say(board(4, re=play["id"]))

    async with server(breaks, knows_it_already) as url, client(url) as ada:
        await ada.ask(commands.Join(room="R1"))
        await ada.until(lambda sight: sight.board is not None)
        answer = await ada.play(Draw())
        assert isinstance(answer, Board)
        assert answer.n == 4


async def test_it_comes_back_twenty_times() -> None:
    async def breaks(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        caller.cut()

    async def stays(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        ping = await caller.hear("ping")
        await caller.say({"type": "pong", "re": ping["id"], "time_ms": 1})

    async with server(*[breaks] * 20, stays) as url, client(url) as ada:
        await ada.ask(commands.Join(room="R1"))
        returns = 0
        async for news in ada.events():
            returns += isinstance(news, Reconnected)
            if returns == 20:
                break
        await ada.ask(commands.Ping())


async def test_what_is_asked_while_the_line_is_broken_waits_for_its_return() -> None:
    may_come_back = asyncio.Event()

    async def breaks(caller: Caller) -> None:
        await caller.greet()
        caller.cut()

    async def answers(caller: Caller) -> None:
        await caller.greet()
        say = await caller.hear("say")
        await caller.say({"type": "done", "re": say["id"]})

    async def sleep(_: float) -> None:
        await may_come_back.wait()

    async with server(breaks, answers) as url, Client(url, "Ada", encoding=JSON, sleep=sleep) as ada:
        events = ada.events()
        assert isinstance(await anext(events), Disconnected)
        asked = asyncio.create_task(ada.ask(commands.Say(text="hello")))
        may_come_back.set()
        await asked


async def test_what_would_be_said_twice_is_not_repeated() -> None:
    async def breaks(caller: Caller) -> None:
        await caller.greet()
        await caller.hear("open")
        caller.cut()

    async with server(breaks, Caller.greet) as url, client(url) as ada:
        events = ada.events()
        with pytest.raises(Unanswered):
            await ada.ask(commands.Open(deal="YU1-C"))
        assert isinstance(await anext(events), Disconnected)
        assert isinstance(await anext(events), Reconnected)


async def test_taken_over_means_gone_for_good() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        await caller.hear("ready")
        await caller.socket.close(4001, "taken over")

    async with server(script) as url, client(url) as ada:
        events = ada.events()
        with pytest.raises(Ended, match="took over"):
            await ada.ask(commands.Ready(ready=True))
        assert [(type(news), news.code) async for news in events] == [(HungUp, 4001)]
        assert [news.code async for news in ada.events()] == [4001]
        with pytest.raises(Ended):
            await ada.ask(commands.Ping())


async def test_an_ordinary_close_by_the_server_is_the_end_too() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        await caller.socket.close(1000)

    async with server(script) as url, client(url) as ada:
        with pytest.raises(Ended):
            await ada.until(lambda sight: sight.over)


async def test_after_goodbye_it_waits_as_long_as_the_server_asks_with_jitter() -> None:
    sleep = Sleeps()

    async def restarts(caller: Caller) -> None:
        await caller.greet()
        await caller.say({"type": "goodbye", "reason": "restart", "retry_ms": 7_000})
        await caller.socket.close(1012)

    async with server(restarts, Caller.greet) as url, client(url, sleep) as ada:
        async for news in ada.events():
            if isinstance(news, Reconnected):
                break
    assert len(sleep.asked) == 1
    assert 7.0 <= sleep.asked[0] <= 14.0


async def test_a_server_that_is_not_ready_yet_is_tried_again_later() -> None:
    sleep = Sleeps()

    async def breaks(caller: Caller) -> None:
        await caller.greet()
        caller.cut()

    async def declines(caller: Caller) -> None:
        hello = await caller.hear("hello")
        error = {"type": "error", "re": hello["id"], "code": "server.storage", "text": "Later.", "retry_ms": 30_000}
        await caller.say(error)

    async with server(breaks, declines, Caller.greet) as url, client(url, sleep) as ada:
        async for news in ada.events():
            if isinstance(news, Reconnected):
                break
    assert sleep.asked[0] <= 0.5
    assert sleep.asked[1] >= 30.0


async def test_a_room_that_is_gone_is_told() -> None:
    async def breaks(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        caller.cut()

    async def knows_no_room(caller: Caller) -> None:
        await caller.greet()
        join = await caller.hear("join")
        await caller.say({"type": "error", "re": join["id"], "code": "room.unknown", "text": "No such room."})

    async with server(breaks, knows_no_room) as url, client(url) as ada:
        events = ada.events()
        await ada.ask(commands.Join(room="R1"))
        kinds = [type(await anext(events)) for _ in range(3)]
        assert kinds == [Disconnected, SeatLost, Reconnected]


async def test_it_gives_up_at_last() -> None:
    readings = iter(range(0, 100_000, 100))

    async def breaks(caller: Caller) -> None:
        await caller.greet()
        caller.cut()

    async with server(breaks) as url:
        ada = client(url, give_up_s=1_000, clock=lambda: next(readings))
        await ada.__aenter__()
        events = ada.events()
        assert isinstance(await anext(events), Disconnected)
    news = [news async for news in events]
    assert isinstance(news[-1], HungUp)
    await ada.__aexit__(None, None, None)


async def test_the_start_is_known_on_the_clients_own_clock() -> None:
    async def script(caller: Caller) -> None:
        await caller.greet()
        await caller.seat()
        await caller.say({"type": "phase", "phase": "countdown", "starts_at_ms": 9_000, "in_ms": 4_000})

    async with server(script) as url, client(url, clock=lambda: 100.0) as ada:
        await ada.ask(commands.Join(room="R1"))
        sight = await ada.until(lambda sight: sight.room is not None and sight.room.phase == "countdown")
        assert sight.starts_at == 104.0


async def test_no_server_is_a_sentence() -> None:
    with pytest.raises(Unreachable, match="nothing is listening there"):
        await client("ws://127.0.0.1:1/ws").__aenter__()


async def test_a_wrong_address_is_a_sentence() -> None:
    with pytest.raises(ValueError, match="ws://127"):
        await client("http://127.0.0.1/").__aenter__()


async def test_a_server_that_speaks_something_else_is_a_sentence() -> None:
    async def connection(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(connection, "127.0.0.1", 0, compression=None) as running:
        port = next(iter(running.sockets)).getsockname()[1]
        with pytest.raises(Unreachable, match=r"does not speak stampede\.v1\.json"):
            await client(f"ws://127.0.0.1:{port}/").__aenter__()
