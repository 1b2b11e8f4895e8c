"""Races between real clients in both encodings: what each of them hears, and who wins."""

import asyncio
import json
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from .model import DECK, Model
from .servers import Server
from .third_party import Client, Message, pile, race

STANDING = {"place", "player", "name", "status", "score", "moves", "home", "elapsed_ms"}


def a_deal(lines: dict[str, list[str]], variant: str = "YU1-C", at: int = 0) -> str:
    return [code for code in lines if code.startswith(variant)][at]


def no_card(messages: list[Message]) -> None:
    """None of these messages holds a card."""
    for message in messages:
        text = json.dumps(message)
        assert not [card for card in DECK if f'"{card}"' in text], message


async def test_three_racers_in_both_encodings_and_a_watcher(server: Server, lines: dict[str, list[str]]) -> None:
    deal = a_deal(lines)
    line = lines[deal]
    async with (
        Client(server.url, "Ann", encoding="json") as ann,
        Client(server.url, "Bob", encoding="msgpack") as bob,
        Client(server.url, "Cid", encoding="json") as cid,
        Client(server.url, "Dora", encoding="msgpack") as dora,
    ):
        room = await ann.open(deal, tail_s=60, title="Friends")
        assert ann.room["host"] == ann.player
        assert {"ready", "start", "leave", "say", "sync"} <= set(ann.room["you"]["may"])
        for client in (bob, cid):
            await client.join(room)
        await dora.join(room, role="watcher")
        assert dora.room["deal"] == {"variant": "YU1-C", "code": deal}
        for client in (ann, bob, cid):
            assert await client.code("targets", card="AS") == "race.not_started"
            await client.ask("ready", ready=True)
        for client in (ann, bob, cid):
            await client.wait("board")
            assert pile(client.board) == Model(deal).view()
        assert ann.board["n"] == 0

        async def runs(client: Client, actions: list[str]) -> None:
            model = Model(deal)
            for action in actions:
                assert model.act(action) == "ok"
                answer = await client.play(action)
                assert answer["type"] == "played", answer
                assert pile(client.board) == model.view()
                await asyncio.sleep(0)

        await asyncio.gather(runs(ann, line[:40]), runs(bob, line), runs(cid, line[:1]))
        finish = await ann.wait("finish")
        assert (finish["player"], finish["place"], finish["score"]) == (bob.player, 1, 625)
        closing = await ann.wait("phase", lambda message: message["phase"] == "closing")
        assert closing["ends_at_ms"] > 0
        for action in line[40:]:
            assert (await ann.play(action))["type"] == "played"
        assert (await cid.wait("finish", lambda message: message["player"] == ann.player))["place"] == 2
        assert (await cid.ask("forfeit"))["type"] == "done"
        results = [await client.wait("result") for client in (ann, bob, cid, dora)]
        assert all(result == results[0] for result in results)
        result = results[0]
        assert (result["winner"], result["code"]) == ([bob.player], deal)
        assert [(row["place"], row["name"], row["status"]) for row in result["standings"]] == [
            (1, "Bob", "finished"),
            (2, "Ann", "finished"),
            (3, "Cid", "forfeited"),
        ]
        assert all(set(row) == STANDING for row in result["standings"])
        assert result["standings"][0]["elapsed_ms"] == bob.board["elapsed_ms"] == finish["elapsed_ms"]
        assert (await dora.code("play", n=1, do={"draw": True})) == "race.over"
        no_card([message for message in dora.heard if message["type"] != "replay"])
        assert dora.all("progress")
        assert not dora.all("board") + dora.all("played")
        for client in (ann, bob, cid):
            no_card([message for message in client.heard if message["type"] not in ("board", "played")])
            for message in client.all("progress"):
                assert all(
                    set(racer) == {"player", "score", "moves", "home", "elapsed_ms"} for racer in message["racers"]
                )
            assert len(client.all("result")) == 1
        replay = await dora.ask("replay", room=room)
        assert [len(racer["actions"]) for racer in replay["racers"]] == [len(line), len(line), 1]
        status, page = server.page(f"/races/{room}.json")
        assert status == 200
        assert json.loads(page)["racers"] == replay["racers"]


async def test_the_last_progress_tells_where_everyone_is(server: Server, lines: dict[str, list[str]]) -> None:
    deal = a_deal(lines)
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
        await race([ann, bob], deal)
        for action in lines[deal][:50]:
            await ann.play(action)

        def told() -> Any:
            return [
                racer["moves"]
                for message in bob.all("progress")
                for racer in message["racers"]
                if racer["player"] == ann.player
            ]

        await bob.until(lambda: bool(told()) and told()[-1] == 50)
        assert len(told()) < 50
        assert told() == sorted(told())


async def test_equal_times_are_not_needed_for_both_to_finish_but_places_differ_by_them(
    server: Server, lines: dict[str, list[str]]
) -> None:
    deal = a_deal(lines, at=3)
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
        await race([ann, bob], deal)
        for client in (ann, bob):
            for action in lines[deal][:-1]:
                await client.play(action)
        await asyncio.gather(ann.play(lines[deal][-1]), bob.play(lines[deal][-1]))
        result = await ann.wait("result")
        times = [row["elapsed_ms"] for row in result["standings"]]
        places = [row["place"] for row in result["standings"]]
        assert times == sorted(times)
        assert places == ([1, 1] if times[0] == times[1] else [1, 2])
        assert len(result["winner"]) == places.count(1)


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
async def test_a_sealed_room_keeps_its_code_until_the_end_and_then_proves_it(server: Server, encoding: str) -> None:
    async with Client(server.url, "Ann", encoding=encoding) as ann, Client(server.url, "Bob") as bob:
        await race([ann, bob], "KL1-D3V", sealed=True)
        commitment = ann.room["deal"]["commitment"]
        assert "code" not in ann.room["deal"]
        board = pile(ann.board)
        assert pile(bob.board) == board
        await ann.ask("forfeit")
        await bob.ask("forfeit")
        code = (await ann.wait("result"))["code"]
        assert sha256(code.encode()).hexdigest() == commitment
        assert len(code.split("-")[-1]) == 26
        assert Model(code).view() == board
        for client in (ann, bob):
            before_the_end = client.heard[: client.heard.index(await client.wait("result"))]
            assert code.split("-")[-1] not in json.dumps(before_the_end)


async def test_twenty_breaks_of_one_line_in_one_race(server: Server, lines: dict[str, list[str]]) -> None:
    deal = a_deal(lines)
    line = lines[deal]
    model = Model(deal)
    chance = Random(20)
    async with Client(server.url, "Ann") as ann:
        bob = Client(server.url, "Bob")
        await bob.connect()
        await bob.hello()
        room = await race([ann, bob], deal, tail_s=0)
        for at in range(20):
            for action in line[4 * at : 4 * at + 3]:
                assert model.act(action) == "ok"
                assert (await bob.play(action))["type"] == "played"
            # The fourth one may be played or not when the line breaks.
            await bob.say_play(line[4 * at + 3])
            if chance.random() < 0.5:
                await asyncio.sleep(0.002)
            bob.abort()
            await bob.closed()
            again = Client(server.url, "Bob", encoding=chance.choice(("json", "msgpack")), token=bob.token)
            await again.connect()
            await again.hello()
            assert (again.player, again.seats) == (bob.player, [room])
            await again.join(room, role="watcher")
            await again.wait("board")
            assert again.board["n"] in (4 * at + 3, 4 * at + 4)
            assert model.act(line[4 * at + 3]) == "ok"
            answer = await again.play(line[4 * at + 3], 4 * at + 4)
            assert (answer["type"], answer["n"]) in (("played", 4 * at + 4), ("board", 4 * at + 4))
            assert pile(again.board) == model.view()
            bob = again
        for action in line[80:]:
            assert (await bob.play(action))["type"] == "played"
        result = await ann.wait("result")
        assert result["winner"] == [bob.player]
        await bob.ask("sync")
        assert [one["name"] for one in bob.room["entrants"]] == ["Ann", "Bob"]
        replay = await ann.ask("replay", room=room, player=bob.player)
        assert [f"{do['move']} {do['to']}" for _, do in replay["racers"][0]["actions"]] == line
        await bob.close()


async def test_a_second_connection_takes_over(server: Server, lines: dict[str, list[str]]) -> None:
    deal = a_deal(lines)
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as first:
        room = await race([ann, first], deal)
        await first.play(lines[deal][0])
        async with Client(server.url, "Bob", token=first.token) as second:
            assert await first.closed() == 4001
            await second.join(room)
            await second.wait("board")
            assert second.board["n"] == 1
            assert (await second.play(lines[deal][1]))["n"] == 2
            await ann.ask("sync")
            assert [(one["name"], one["away"]) for one in ann.room["entrants"]] == [("Ann", False), ("Bob", False)]


async def test_nobody_gets_a_seat_by_a_public_id_or_a_name(server: Server, lines: dict[str, list[str]]) -> None:
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
        room = await race([ann, bob], a_deal(lines))
        thief = Client(server.url, "Bob", token=bob.player)
        await thief.connect()
        assert await thief.code("hello", name="Bob", token=bob.player) == "hello.bad_token"
        thief.token = (bob.player * 3)[:43]
        await thief.hello()
        assert thief.player != bob.player
        assert await thief.code("join", room=room) == "room.started"
        assert await thief.code("join", room=room, role="watcher") == "room.name_taken"
        await thief.close()
        assert not [message for message in ann.heard if bob.token and bob.token in json.dumps(message)]


async def test_a_countdown_hides_the_cards_and_can_be_stopped(server: Server, lines: dict[str, list[str]]) -> None:
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
        room = await ann.open(a_deal(lines), countdown_s=60)
        await bob.join(room)
        await ann.ask("ready", ready=True)
        await bob.ask("ready", ready=True)
        phase = await ann.wait("phase", lambda message: message["phase"] == "countdown")
        assert 0 < phase["in_ms"] <= 60_000
        assert await ann.code("play", n=1, do={"move": "QD", "to": "1"}) == "race.not_started"
        assert await ann.code("targets", card="QD") == "race.not_started"
        async with Client(server.url, "Cid") as cid:
            assert await cid.code("join", room=room) == "room.started"
            await cid.join(room, role="watcher")
            assert cid.room["phase"] == "countdown"
        no_card(ann.heard)
        await bob.ask("ready", ready=False)
        lobby = await ann.wait("phase", lambda message: message["phase"] == "lobby")
        assert "Bob" in lobby["reason"]
        await ann.ask("leave")
        passed = await bob.wait("entrant", lambda message: message["host"] == bob.player)
        assert passed["entrant"]["player"] in (ann.player, bob.player)


async def test_the_host_starts_a_race_of_all_who_are_there(server: Server, lines: dict[str, list[str]]) -> None:
    async with Client(server.url, "Ann") as ann, Client(server.url, "Bob") as bob:
        room = await ann.open(a_deal(lines), role="watcher", start="host")
        assert await ann.code("start") == "room.empty"
        await bob.join(room)
        assert await bob.code("start") == "room.not_host"
        assert (await ann.ask("start"))["type"] == "done"
        await bob.wait("board")
        assert await ann.code("start") == "room.started"
        assert (await bob.ask("leave"))["type"] == "done"
        result = await ann.wait("result")
        assert (result["winner"], result["standings"][0]["status"]) == ([], "forfeited")


async def test_followers_of_the_list_are_kept_told(server: Server, lines: dict[str, list[str]]) -> None:
    async with Client(server.url, "Eve", encoding="json") as eve, Client(server.url, "Ann") as ann:
        first = await eve.ask("rooms", follow=True)
        assert first["type"] == "rooms"
        room = await ann.open(a_deal(lines), listed=True, title="Open to all", passphrase="sesame", capacity=3)

        def row(message: Message) -> Message:
            return next((one for one in message["rooms"] if one["id"] == room), {})

        told = row(await eve.wait("rooms", lambda message: bool(row(message))))
        assert told == {
            "id": room,
            "title": "Open to all",
            "phase": "lobby",
            "variant": "YU1-C",
            "racers": 1,
            "capacity": 3,
            "passphrase": True,
        }
        assert row(await ann.ask("rooms"))
        await ann.ask("leave")
        await eve.until(lambda: not row(eve.all("rooms")[-1]))
        count = len(eve.all("rooms"))
        await eve.ask("rooms")
        assert len(eve.all("rooms")) == count + 1


async def test_rooms_that_are_not_listed_are_not(server: Server, lines: dict[str, list[str]]) -> None:
    async with Client(server.url, "Ann") as ann:
        room = await ann.open(a_deal(lines))
        assert room not in [one["id"] for one in (await ann.ask("rooms"))["rooms"]]


async def test_a_rematch_brings_all_together_again(server: Server, lines: dict[str, list[str]]) -> None:
    async with (
        Client(server.url, "Ann") as ann,
        Client(server.url, "Bob", encoding="json") as bob,
        Client(server.url, "Cid") as cid,
    ):
        old = await race([ann, bob, cid], a_deal(lines), undo=9)
        assert await ann.code("rematch") == "race.not_over"
        for client in (ann, bob, cid):
            await client.ask("forfeit")
        assert (await bob.ask("rematch"))["type"] == "room"
        fresh = bob.room["id"]
        assert fresh != old
        assert (bob.room["host"], bob.room["settings"]["undo"]) == (bob.player, 9)
        assert bob.room["deal"]["code"] != a_deal(lines)
        for client in (ann, cid):
            invitation = await client.wait("invitation")
            assert (invitation["room"], invitation["from"]) == (fresh, bob.player)
        assert (await ann.ask("rematch"))["room"]["id"] == fresh
        await cid.join(fresh)
        assert [one["name"] for one in cid.room["entrants"]] == ["Bob", "Ann", "Cid"]


async def test_chat_reaches_everyone_in_the_room_and_nobody_else(server: Server, lines: dict[str, list[str]]) -> None:
    async with (
        Client(server.url, "Ann") as ann,
        Client(server.url, "Bob", encoding="json") as bob,
        Client(server.url, "Eve") as eve,
    ):
        room = await ann.open(a_deal(lines))
        await bob.join(room)
        assert (await ann.ask("say", text="Grüß dich 🂡"))["type"] == "done"
        said = await bob.wait("said")
        assert (said["player"], said["name"], said["text"]) == (ann.player, "Ann", "Grüß dich 🂡")
        assert await ann.wait("said")
        await eve.ask("ping")
        assert not eve.all("said")


async def test_a_ping_is_answered_with_what_it_carried(server: Server) -> None:
    for encoding in ("json", "msgpack"):
        client = Client(server.url, encoding=encoding)
        await client.connect()
        pong = await client.ask("ping", t={"at": [1, 2.5, "x", None]})
        assert pong["t"] == {"at": [1, 2.5, "x", None]}
        assert pong["time_ms"] > 1_700_000_000_000
        assert "t" not in await client.ask("ping")
        await client.close()
