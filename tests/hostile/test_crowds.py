"""Crowds and strangers: too many connections, rooms and guesses, messages out of turn, and what belongs to others."""

import asyncio
import contextlib
import json
from collections import Counter

from hostile.rough import BYSTANDER, Rough, Server, guest, handshake, page, serving, solo_race, undisturbed


async def test_500_connections_from_one_address_get_64_and_the_others_are_told(server: Server) -> None:
    async with undisturbed(server):
        opened = []

        async def connected() -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            opened.append(writer)
            writer.write(handshake(server))
            return (await reader.readline()).split(b" ")[1]

        statuses = Counter(await asyncio.gather(*(connected() for _ in range(500))))
        assert statuses == {b"101": 64, b"429": 436}
        for writer in opened:
            writer.transport.abort()
    async with contextlib.AsyncExitStack() as stack:  # once they are gone, there is room again
        one = await stack.enter_async_context(guest(server, "Ann"))
        assert (await one.ask(type="ping"))["type"] == "pong"


async def test_thousands_of_silent_sockets_from_one_address_are_not_kept(server: Server) -> None:
    async with undisturbed(server):
        sockets = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(1100)]
        refused = 0
        for reader, _ in reversed(sockets):
            with contextlib.suppress(TimeoutError):
                refused += await asyncio.wait_for(_is_closed(reader), 0.2 if refused > 10 else 5)
                continue
            break
        assert refused >= 1100 - 16 * 64
        for _, writer in sockets:
            writer.transport.abort()


async def _is_closed(reader: asyncio.StreamReader) -> bool:
    with contextlib.suppress(ConnectionError):
        return await reader.read(1) == b""
    return True


async def test_a_forwarded_address_is_believed_of_nobody_but_listed_proxies(server: Server) -> None:
    statuses = []
    opened = []
    for number in range(70):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        opened.append(writer)
        writer.write(handshake(server, f"X-Forwarded-For: 10.0.0.{number}\r\n"))
        statuses.append((await reader.readline()).split(b" ")[1])
    assert statuses[-1] == b"429"
    for writer in opened:
        writer.transport.abort()


async def test_one_player_opens_20_rooms_and_no_thousand() -> None:
    with serving(commands_per_s=0) as server:
        async with undisturbed(server), guest(server, "Ann") as ann:
            answers = Counter()
            for _ in range(1000):
                answer = await ann.ask(type="open", deal="YU1-C-AAAAAAB")
                answers[answer.get("code", answer["type"])] += 1
                if answer["type"] == "room":
                    assert (await ann.ask(type="leave"))["type"] == "done"
            assert answers == {"room": 1000}, "a room that everyone has left is over, and does not count"

            token = ann.others[0]["token"]
            answers.clear()
            for number in range(40):
                async with guest(server, "Ann", token) as again:
                    answer = await again.ask(type="open", deal="YU1-C-AAAAAAB", settings={"title": str(number)})
                    answers[answer.get("code", answer["type"])] += 1
            assert answers == {"room": 20, "limit.rooms": 20}


async def test_guessed_rooms_and_tokens_get_equal_answers(server: Server) -> None:
    async with guest(server, "Host") as host, guest(server, "Thief") as thief:
        room = await solo_race(host, sealed=False)
        token = host.others[0]["token"]
        answers = [await thief.ask(type="join", room=guess) for guess in ("aaaaaaaa", "bbbbbbbb", "x", "room:" + room)]
        for answer, guess in zip(answers, ("aaaaaaaa", "bbbbbbbb", "x", "room:" + room), strict=True):
            assert answer["code"] == "room.unknown"
            assert answer["text"] == answers[0]["text"].replace("aaaaaaaa", guess)
        # A token of nobody's is a new player, as if it had been anyone's: nothing tells a right guess from a wrong one.
        async with guest(server, "Ghost", "A" * 43) as ghost:
            told = ghost.others[0]
            assert told["seats"] == []
            assert set(told) == set(host.others[0])
        # Neither a player's id nor a name is worth anything.
        async with guest(server) as stranger:
            answer = await stranger.ask(type="hello", name="Host", token=host.others[0]["player"])
            assert answer["code"] == "hello.bad_token"
            answer = await stranger.ask(
                type="hello", name="Host", token=token[:-1] + ("A" if token[-1] != "A" else "B")
            )
            assert (answer["type"], answer["seats"]) == ("welcome", [])
            assert (await stranger.ask(type="join", room=room))["code"] == "room.started"
            seen = json.dumps(await stranger.ask(type="join", room=room, role="watcher"))
            assert token not in seen


async def test_guesses_are_limited_by_rate(server: Server) -> None:
    rough = await Rough.open(server)
    rough.say(type="hello", name="Guesser")
    for number in range(100):
        rough.say(type="join", room=f"guess{number}", passphrase="1234")
    codes = Counter([(await rough.answer()).get("code") for _ in range(101)])
    assert codes["limit.rate"] >= 50
    assert codes["room.unknown"] <= 45
    rough.drop()


async def test_an_unfinished_race_and_none_at_all_have_the_same_page(server: Server) -> None:
    async with guest(server, "Host", address=BYSTANDER) as host:
        room = await solo_race(host)
        assert await page(server, f"/races/{room}.json") == await page(server, "/races/aaaaaaaa.json")
        assert (await page(server, f"/races/{room}.json"))[0] == 404
        assert (await host.ask(type="replay", room=room))["code"] == "race.not_over"
        assert (await host.ask(type="forfeit"))["type"] == "done"
        status, body = await page(server, f"/races/{room}.json")
        assert (status, json.loads(body)["code"]) == (200, "KL1-D1N-AAAAAAG")


async def test_nothing_but_hello_and_ping_before_hello(server: Server) -> None:
    commands = [
        {"type": "rooms"},
        {"type": "open", "deal": "YU1-C"},
        {"type": "join", "room": "abcdefgh"},
        {"type": "leave"},
        {"type": "ready", "ready": True},
        {"type": "start"},
        {"type": "play", "n": 1, "do": {"draw": True}},
        {"type": "targets", "card": "AS"},
        {"type": "sync"},
        {"type": "forfeit"},
        {"type": "say", "text": "hi"},
        {"type": "replay", "room": "abcdefgh"},
        {"type": "rematch"},
    ]
    async with guest(server) as one:
        for command in commands:
            assert (await one.ask(**command))["code"] == "hello.first", command
        assert (await one.ask(type="ping"))["type"] == "pong"
        assert (await one.ask(type="hello", name="A\u200db"))["code"] == "hello.bad_name"
        assert (await one.ask(type="hello", name="Ann"))["type"] == "welcome"
        assert (await one.ask(type="hello", name="Ann"))["code"] == "hello.twice"


async def test_commands_reach_the_room_one_is_in_and_no_other(server: Server) -> None:
    async with guest(server, "Ann") as ann, guest(server, "Bob") as bob:
        room = await solo_race(ann)
        await solo_race(bob)
        # There is no way to name another's room in a command: what looks like one is ignored.
        answer = await bob.ask(type="play", n=1, do={"draw": True}, room=room, player=ann.others[0]["player"])
        assert (answer["type"], answer["n"]) == ("played", 1)
        assert (await bob.ask(type="start", room=room))["code"] == "room.started"
        assert (await bob.ask(type="join", room=room))["code"] == "room.in_another"
        assert (await bob.ask(type="forfeit", room=room))["type"] == "done"
        board = await ann.ask(type="sync")
        assert board["room"]["phase"] == "racing"
        assert (await ann.ask(type="play", n=1, do={"draw": True}))["type"] == "played"
        async with guest(server, "Eve") as eve:
            assert (await eve.ask(type="join", room=room, role="watcher"))["type"] == "room"
            assert (await eve.ask(type="play", n=2, do={"draw": True}))["code"] == "race.not_racing"
            assert (await eve.ask(type="targets", card="AS"))["code"] == "race.not_racing"
            assert (await eve.ask(type="forfeit"))["code"] == "race.not_racing"
            assert (await eve.ask(type="start"))["code"] == "room.not_host"
            assert (await eve.ask(type="leave"))["type"] == "done"
            assert (await eve.ask(type="play", n=2, do={"draw": True}))["code"] == "room.not_in_one"


async def test_messages_played_again_or_out_of_order_do_nothing_twice(server: Server) -> None:
    rough = await Rough.open(server)
    async with guest(server, "Ann") as ann:
        room = await solo_race(ann)
        token = ann.others[0]["token"]
        assert (await ann.ask(type="play", n=1, do={"draw": True}))["n"] == 1
        again = await ann.ask(type="play", n=1, do={"draw": True})
        assert (again["type"], again["n"], again["moves"]) == ("board", 1, 1)
        ahead = await ann.ask(type="play", n=3, do={"draw": True})
        assert ahead["code"] == "race.out_of_step"
        assert (await ann.wait_for("board"))["n"] == 1
        # Everything said once more, on another connection, in the wrong order.
        rough.say(type="play", id=1, n=2, do={"draw": True})
        rough.say(type="join", id=2, room=room)
        rough.say(type="hello", id=3, name="Ann", token=token)
        rough.say(type="play", id=4, n=2, do={"draw": True})
        rough.say(type="join", id=5, room=room)
        rough.say(type="play", id=6, n=1, do={"draw": True})
        rough.say(type="play", id=7, n=2, do={"draw": True})
        rough.say(type="play", id=8, n=2, do={"undo": True})
        answers = {}
        while len(answers) < 8:
            answer = await rough.answer()
            if "re" in answer:
                answers[answer["re"]] = answer.get("code", answer["type"])
        assert answers == {
            1: "hello.first",
            2: "hello.first",
            3: "welcome",
            4: "room.not_in_one",
            5: "room",
            6: "board",
            7: "played",
            8: "board",
        }
        with contextlib.suppress(Exception):
            while True:
                await ann.hear()
        assert ann.socket.close_code == 4001
    rough.drop()
