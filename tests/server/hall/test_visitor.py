"""A visitor: every command gets its one answer, and what it does is seen by the others."""

import asyncio
import gc
from typing import Any

import pytest

from stampede.protocol import commands
from stampede.protocol.commands import (
    Forfeit,
    Hello,
    Join,
    Leave,
    Open,
    Ping,
    Ready,
    Rematch,
    Replay,
    Rooms,
    Say,
    Settings,
    Start,
    Sync,
    Targets,
)
from stampede.server.hall.limits import Limits

from ..race.story import CODE, lines
from .company import UNLIMITED, Company, Guest, code_of, do_of, kind_of, kinds, settled
from .timelapse import in_no_time

IN_A_ROOM = [Leave(), Ready(ready=True), Start(), Sync(), Forfeit(), Say(text="hi"), Targets(card="AS"), Rematch()]
IN_A_ROOM.append(commands.Play(n=1, do=do_of("QD 1")))
EVERYTHING = [*IN_A_ROOM, Rooms(), Open(deal="YU1-C"), Join(room="r"), Replay(room="r")]

by_type = {"ids": lambda command: type(command).__name__}

# Hello


@pytest.mark.parametrize("command", EVERYTHING, **by_type)
@in_no_time
async def test_hello_comes_first(command: Any) -> None:
    async with Company() as company:
        assert await Guest(company.house).refused(command) == "hello.first"


@in_no_time
async def test_a_ping_needs_no_hello() -> None:
    async with Company() as company:
        pong = await Guest(company.house).ask(Ping())
        assert (kind_of(pong), pong.time_ms) == ("pong", company.log.time_ms())


@in_no_time
async def test_hello_is_said_once() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        assert await ann.refused(Hello(name="Bob")) == "hello.twice"
        assert ann.visitor.name == "Ann"


@pytest.mark.parametrize("name", ["", " ", "a" * 25, "a\x1bb", "a\u202eb"], ids=ascii)
@in_no_time
async def test_a_bad_name_is_refused_and_may_be_mended(name: str) -> None:
    async with Company() as company:
        guest = Guest(company.house)
        assert await guest.refused(Hello(name=name)) == "hello.bad_name"
        await guest.hello("Ann")


@pytest.mark.parametrize("token", ["", "short", "a" * 42, "a" * 44, "a" * 42 + "+", "ä" * 43], ids=ascii)
@in_no_time
async def test_a_text_that_is_no_token_is_refused(token: str) -> None:
    async with Company() as company:
        guest = Guest(company.house)
        assert await guest.refused(Hello(name="Ann", token=token)) == "hello.bad_token"
        assert guest.player == ""


@in_no_time
async def test_a_welcome_says_who_one_is_and_what_is_allowed() -> None:
    async with Company(Limits(commands_per_s=7, rooms_per_player=3)) as company:
        welcome = await Guest(company.house).ask(Hello(name="  Ann  Lee "))
        assert (welcome.name, welcome.server, welcome.seats) == ("Ann Lee", "stampede/test", [])
        assert len(welcome.token) == 43
        assert welcome.player not in welcome.token
        assert (welcome.limits.commands_per_s, welcome.limits.commands_burst) == (7, 14)
        assert (welcome.limits.rooms_per_player, welcome.limits.command_bytes) == (3, 4096)


@in_no_time
async def test_a_token_makes_one_the_same_player_again_and_nothing_else_does() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        player, token = ann.player, ann.token
        ann.drops()
        assert (await company.guest("Anna", token)).player == player
        assert (await company.guest("Ann")).player != player


@in_no_time
async def test_a_token_that_nobody_issued_is_a_new_player() -> None:
    async with Company() as company:
        welcome = await Guest(company.house).ask(Hello(name="Ann", token="A" * 43))
        assert (kind_of(welcome), welcome.token, welcome.seats) == ("welcome", "A" * 43, [])


@in_no_time
async def test_a_welcome_lists_the_rooms_where_one_has_a_seat() -> None:
    async with Company() as company:
        first, (_ann, bob) = await company.lobby("Ann", "Bob")
        second, (cid,) = await company.lobby("Cid")
        bob.drops()
        cid.drops()
        welcome = await Guest(company.house).ask(Hello(name="Bob", token=bob.token))
        assert welcome.seats == [first]
        welcome = await Guest(company.house).ask(Hello(name="Cid", token=cid.token))
        assert welcome.seats == [second]
        await asyncio.sleep(61)
        welcome = await Guest(company.house).ask(Hello(name="Cid", token=cid.token))
        assert welcome.seats == []


# Being in no room


@pytest.mark.parametrize("command", IN_A_ROOM, **by_type)
@in_no_time
async def test_what_needs_a_room_says_so(command: Any) -> None:
    async with Company() as company:
        assert await (await company.guest("Ann")).refused(command) == "room.not_in_one"


# Opening


@in_no_time
async def test_opening_answers_with_the_room() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        room = (await ann.ask(Open(deal=CODE.lower(), settings=Settings(title="Friends", undo=3)))).room
        assert (room.deal.code, room.host, room.phase) == (CODE, ann.player, "lobby")
        assert (room.settings.title, room.settings.undo, room.settings.passphrase) == ("Friends", 3, False)
        assert [entrant.name for entrant in room.entrants] == ["Ann"]
        assert room.you.player == ann.player


@in_no_time
async def test_a_variant_draws_a_fresh_deal_each_time() -> None:
    async with Company() as company:
        codes = set()
        for _ in range(5):
            ann = await company.guest("Ann")
            codes.add((await ann.ask(Open(deal="kl1-d3v"))).room.deal.code)
        assert len(codes) == 5
        assert all(code.startswith("KL1-D3V-") and len(code) == 15 for code in codes)


@in_no_time
async def test_a_sealed_room_shows_a_commitment_and_no_code() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        deal = (await ann.ask(Open(deal="YU1-C", settings=Settings(sealed=True)))).room.deal
        assert len(deal.commitment) == 64
        assert not hasattr(deal, "code") or not isinstance(deal.code, str)


@pytest.mark.parametrize(
    ("deal", "code", "culprit"),
    [
        ("YU1-C-AAAAAA1", "deal.bad_code", "AAAAAA1"),
        ("YU1-C-AAAAAA", "deal.bad_code", "not 6"),
        ("YU2-C-AAAAAAB", "deal.bad_code", "YU2"),
        ("YU1-X-AAAAAAB", "deal.bad_code", "'X'"),
        ("YU1-C-AAAAAAB-B", "deal.bad_code", "YU1-C-AAAAAAB-B"),
        ("", "deal.bad_code", "''"),
        ("YU1", "deal.bad_code", "'YU1'"),
        ("YU1-X", "deal.bad_variant", "YU1-X"),
        ("XX1-C", "deal.bad_variant", "XX1-C"),
        ("-", "deal.bad_variant", "'-'"),
    ],
)
@in_no_time
async def test_a_bad_deal_is_named(deal: str, code: str, culprit: str) -> None:
    async with Company() as company:
        answer = await (await company.guest("Ann")).ask(Open(deal=deal))
        assert code_of(answer) == code
        assert culprit in answer.text


@in_no_time
async def test_a_sealed_room_takes_no_code() -> None:
    async with Company() as company:
        answer = await (await company.guest("Ann")).ask(Open(deal=CODE, settings=Settings(sealed=True)))
        assert code_of(answer) == "message.bad_field"
        assert answer.data["field"] == "deal"


@in_no_time
async def test_a_title_holds_no_control_characters() -> None:
    async with Company() as company:
        answer = await (await company.guest("Ann")).ask(Open(deal="YU1-C", settings=Settings(title="a\x1b[2Jb")))
        assert code_of(answer) == "message.bad_field"
        assert answer.data["field"] == "settings.title"


@in_no_time
async def test_one_is_in_one_room_at_a_time() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        other, _ = await company.lobby("Bob")
        for command in (Open(deal="YU1-C"), Join(room=other)):
            answer = await ann.ask(command)
            assert code_of(answer) == "room.in_another"
            assert answer.data == {"room": room}
        await ann.ask(Leave())
        assert kind_of(await ann.ask(Join(room=other))) == "room"


@in_no_time
async def test_a_room_that_is_over_holds_nobody() -> None:
    async with Company() as company:
        _, (ann,) = await company.race("Ann")
        await ann.ask(Forfeit())
        assert kind_of(await ann.ask(Open(deal="YU1-C"))) == "room"


@in_no_time
async def test_a_player_has_a_limited_number_of_rooms_not_over() -> None:
    async with Company(Limits(commands_per_s=0, rooms_per_player=2)) as company:
        ann = await company.guest("Ann")
        for _ in range(2):
            assert kind_of(await ann.ask(Open(deal="YU1-C"))) == "room"
            ann.drops()
            ann = await company.guest("Ann", ann.token)
        answer = await ann.ask(Open(deal="YU1-C"))
        assert code_of(answer) == "limit.rooms"
        assert answer.data == {"limit": 2}
        assert kind_of(await (await company.guest("Bob")).ask(Open(deal="YU1-C"))) == "room"
        await asyncio.sleep(61)
        assert kind_of(await ann.ask(Open(deal="YU1-C"))) == "room"


# Joining


@pytest.mark.parametrize("room", ["abcdefgh", "", "a/b", "room:x", "x" * 200, "ä"], ids=ascii)
@in_no_time
async def test_a_room_that_is_not_there_is_unknown(room: str) -> None:
    async with Company() as company:
        assert await (await company.guest("Ann")).refused(Join(room=room)) == "room.unknown"


@in_no_time
async def test_a_room_is_found_whatever_the_case_of_its_name() -> None:
    async with Company() as company:
        room, _ = await company.lobby("Ann")
        assert kind_of(await (await company.guest("Bob")).ask(Join(room=room.upper()))) == "room"


@in_no_time
async def test_a_passphrase_is_asked_of_newcomers_only() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        room = (await ann.ask(Open(deal=CODE, settings=Settings(passphrase="sesame")))).room
        assert room.settings.passphrase is True
        bob = await company.guest("Bob")
        assert await bob.refused(Join(room=room.id)) == "room.passphrase"
        assert await bob.refused(Join(room=room.id, passphrase="Sesame")) == "room.passphrase"
        assert await bob.refused(Join(room=room.id, role="watcher")) == "room.passphrase"
        assert kind_of(await bob.ask(Join(room=room.id, passphrase="sesame"))) == "room"
        bob.drops()
        bob = await company.guest("Bob", bob.token)
        assert kind_of(await bob.ask(Join(room=room.id))) == "room"


@in_no_time
async def test_a_room_has_a_limited_number_of_watchers() -> None:
    async with Company(Limits(commands_per_s=0, watchers_per_room=1)) as company:
        room, _ = await company.lobby("Ann")
        watch = Join(room=room, role="watcher")
        dora = await company.guest("Dora")
        assert kind_of(await dora.ask(watch)) == "room"
        assert await (await company.guest("Eve")).refused(watch) == "limit.watchers"
        dora.drops()
        assert kind_of(await (await company.guest("Dora", dora.token)).ask(watch)) == "room"


@in_no_time
async def test_joining_the_room_one_is_in_tells_it_again() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.lobby("Ann", "Bob")
        ann.take()
        assert kind_of(await bob.ask(Join(room=room))) == "room"
        assert ann.take() == []


@in_no_time
async def test_who_joins_a_race_again_gets_room_and_board() -> None:
    async with Company() as company:
        room, (_ann, bob) = await company.race("Ann", "Bob")
        await bob.play("QD 1")
        bob.drops()
        again = await company.guest("Bob", bob.token)
        answer = await again.ask(Join(room=room, role="watcher"))
        assert kinds(again.take()[:3]) == ["welcome", "room", "board"]
        assert next(one for one in answer.room.entrants if one.name == "Bob").role == "racer"


# What happens in a room


@in_no_time
async def test_all_in_the_room_are_told_who_comes_and_what_they_do() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        ann.take()
        bob = await company.guest("Bob")
        await bob.ask(Join(room=room))
        await bob.ask(Ready(ready=True))
        await bob.ask(Say(text="good luck"))
        bob.drops()
        await settled()
        told = ann.take()
        assert kinds(told) == ["entrant", "entrant", "said", "entrant"]
        assert [one.entrant.status for one in told if kind_of(one) == "entrant"] == ["waiting", "ready", "ready"]
        assert told[2].text == "good luck"
        assert told[3].entrant.away


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "a\x07b", "a\u202eb"], ids=ascii)
@in_no_time
async def test_what_cannot_be_said_is_refused(text: str) -> None:
    async with Company() as company:
        _, (ann,) = await company.lobby("Ann")
        answer = await ann.ask(Say(text=text))
        assert code_of(answer) == "message.bad_field"
        assert answer.data["field"] == "text"


@in_no_time
async def test_a_race_from_lobby_to_result() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob", tail_s=60, countdown_s=3)
        assert kind_of(await ann.ask(Ready(ready=True))) == "done"
        assert kind_of(await bob.ask(Ready(ready=True))) == "done"
        assert (await ann.until("phase")).in_ms == 3000
        assert await ann.refused(Targets(card="QD")) == "race.not_started"
        assert code_of(await ann.play("QD 1", 1)) == "race.not_started"
        board = await ann.until("board")
        assert board.n == 0
        assert (await ann.ask(Targets(card="QD"))).to == ("1",)
        await asyncio.sleep(10)
        await ann.wins()
        finish = await bob.until("finish")
        assert (finish.player, finish.place, finish.elapsed_ms) == (ann.player, 1, 10_000)
        assert code_of(await ann.play("undo")) == "game.over"
        assert (await ann.ask(Targets(card="QD"))).to == ()
        result = await bob.until("result")
        assert result.winner == [ann.player]
        assert [row.status for row in result.standings] == ["finished", "never_played"]
        assert code_of(await bob.play("QD 1")) == "race.over"
        assert await bob.refused(Targets(card="QD")) == "race.over"


@in_no_time
async def test_a_watcher_sees_numbers_and_no_card() -> None:
    async with Company() as company:
        room, (ann, _) = await company.race("Ann", "Bob")
        dora = await company.guest("Dora")
        await dora.ask(Join(room=room, role="watcher"))
        assert await dora.refused(Targets(card="QD")) == "race.not_racing"
        assert code_of(await dora.play("QD 1")) == "race.not_racing"
        dora.take()
        for action in lines()[CODE][:20]:
            await ann.play(action)
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        told = dora.take()
        assert set(kinds(told)) == {"progress"}
        assert told[-1].racers[0].moves == 20


@in_no_time
async def test_sync_tells_everything_again() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        await ann.play("QD 1")
        ann.take()
        assert kind_of(await ann.ask(Sync())) == "room"
        assert kinds(ann.take()) == ["room", "board"]


@in_no_time
async def test_sync_when_it_is_over_tells_the_result_too() -> None:
    async with Company() as company:
        _, (ann,) = await company.race("Ann")
        await ann.ask(Forfeit())
        ann.take()
        room = (await ann.ask(Sync())).room
        assert (room.phase, room.deal.code) == ("over", CODE)
        assert kinds(ann.take()) == ["room", "result"]


@in_no_time
async def test_an_action_said_twice_is_played_once() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        assert kind_of(await ann.play("QD 1", 1)) == "played"
        before = company.log.appended
        for _ in range(3):
            board = await ann.play("QD 1", 1)
            assert (kind_of(board), board.n, board.moves) == ("board", 1, 1)
        assert company.log.appended == before


@in_no_time
async def test_an_action_too_far_ahead_is_refused_and_a_board_follows() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        ann.take()
        assert code_of(await ann.play("QD 1", 5)) == "race.out_of_step"
        error, board = ann.take()
        assert (error.data, kind_of(board), board.n) == ({"n": 1}, "board", 0)
        assert "re" not in board.__struct_fields__ or not isinstance(board.re, int)


@in_no_time
async def test_a_refused_action_is_not_put_into_the_log() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        before = company.log.appended
        answer = await ann.play("KS home")
        assert (kind_of(answer), answer.data["card"]) == ("error", "KS")
        assert company.log.appended == before


@in_no_time
async def test_who_leaves_is_in_no_room_any_more_and_hears_nothing_of_it() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob")
        assert kind_of(await bob.ask(Leave())) == "done"
        bob.take()
        await ann.ask(Say(text="gone?"))
        assert bob.take() == []
        assert await bob.refused(Sync()) == "room.not_in_one"
        assert ann.heard("entrant")[-1].entrant.status == "left"


@in_no_time
async def test_leaving_a_race_forfeits_it() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        await bob.ask(Leave())
        assert ann.heard("entrant")[-1].entrant.status == "forfeited"
        again = (await bob.ask(Join(room=room))).room
        assert [one.status for one in again.entrants] == ["racing", "forfeited"]


# Two connections of one player


@in_no_time
async def test_a_newer_connection_takes_over() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        await bob.play("QD 1")
        newer = await company.guest("Bob", bob.token)
        await settled()
        assert bob.outbox.closed is not None
        assert bob.outbox.closed[0] == 4001
        ann.take()
        await newer.ask(Join(room=room))
        newer.n = 1
        assert kind_of(await newer.play("AS home")) == "played"
        assert [one.entrant.away for one in ann.heard("entrant")] == [False]


@in_no_time
async def test_twenty_breaks_in_one_race_lose_nothing() -> None:
    async with Company() as company:
        room, (_, bob) = await company.race("Ann", "Bob")
        for n, action in enumerate(lines()[CODE][:20], 1):
            assert (await bob.play(action)).n == n
            bob.drops()
            bob = await company.guest("Bob", bob.token)
            await bob.ask(Join(room=room))
            (board,) = bob.heard("board")
            assert (board.n, board.moves) == (n, n)
            bob.n = n
        state = company.house.rooms.awake()[0].state
        assert len(state.seats) == 2


@in_no_time
async def test_a_line_that_breaks_while_joining_leaves_no_ghost_that_seems_present() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        bob = await company.guest("Bob")
        bob.visitor.hear(Join(room=room, id=9))
        for _ in range(3):
            await asyncio.sleep(0)
        bob.drops()
        await settled()
        state = company.house.rooms.awake()[0].state
        assert all(seat.away for seat in state.seats.values() if seat.name == "Bob")
        await asyncio.sleep(61)
        assert [one.name for one in (await ann.ask(Sync())).room.entrants] == ["Ann"]


# Replays and rematches


@in_no_time
async def test_a_replay_is_open_when_the_race_is_over() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob", tail_s=0)
        eve = await company.guest("Eve")
        assert await eve.refused(Replay(room=room)) == "race.not_over"
        await bob.play("QD 1")
        await ann.wins()
        await ann.until("result")
        replay = await eve.ask(Replay(room=room.upper()))
        assert [len(racer.actions) for racer in replay.racers] == [len(lines()[CODE]), 1]
        replay = await eve.ask(Replay(room=room, player=bob.player))
        assert [racer.name for racer in replay.racers] == ["Bob"]
        assert await eve.refused(Replay(room=room, player="nobody")) == "message.bad_field"


@pytest.mark.parametrize("room", ["abcdefgh", "", "../x"])
@in_no_time
async def test_a_replay_of_no_room_is_unknown(room: str) -> None:
    async with Company() as company:
        assert await (await company.guest("Ann")).refused(Replay(room=room)) == "room.unknown"


@in_no_time
async def test_a_cancelled_room_has_no_replay() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        await ann.ask(Leave())
        assert await ann.refused(Replay(room=room)) == "room.unknown"
        assert await ann.refused(Join(room=room)) == "room.unknown"


@in_no_time
async def test_a_rematch_is_a_new_room_with_the_same_settings_on_a_fresh_deal() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob", undo=7, passphrase="sesame")
        assert await ann.refused(Rematch()) == "race.not_over"
        await ann.ask(Forfeit())
        await bob.ask(Forfeit())
        fresh = (await ann.ask(Rematch())).room
        assert fresh.id != room
        assert fresh.host == ann.player
        assert fresh.deal.code.startswith("YU1-C-")
        assert fresh.deal.code != CODE
        assert (fresh.settings.undo, fresh.settings.passphrase) == (7, True)
        invitation = await bob.until("invitation")
        assert (invitation.room, invitation.host) == (fresh.id, ann.player)
        joined = (await bob.ask(Rematch())).room
        assert joined.id == fresh.id
        assert [one.name for one in joined.entrants] == ["Ann", "Bob"]


@in_no_time
async def test_two_rematches_at_once_lead_to_one_room() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.race("Ann", "Bob")
        await ann.ask(Forfeit())
        await bob.ask(Forfeit())
        one, other = await asyncio.gather(ann.ask(Rematch()), bob.ask(Rematch()))
        assert one.room.id == other.room.id
        await settled()
        assert {seat.name for live in company.house.rooms.awake() if live.state.id == one.room.id
                for seat in live.state.seats.values()} == {"Ann", "Bob"}  # fmt: skip


@in_no_time
async def test_a_watcher_may_ask_for_a_rematch_and_watches_again() -> None:
    async with Company() as company:
        room, (ann,) = await company.race("Ann")
        dora = await company.guest("Dora")
        await dora.ask(Join(room=room, role="watcher"))
        await ann.ask(Forfeit())
        fresh = (await dora.ask(Rematch())).room
        assert [(one.name, one.role) for one in fresh.entrants] == [("Dora", "watcher")]
        joined = (await ann.ask(Rematch())).room
        assert joined.entrants[1].role == "racer"


@in_no_time
async def test_a_rematch_has_a_limited_number_of_watchers_too() -> None:
    async with Company(Limits(commands_per_s=0, watchers_per_room=1)) as company:
        room, (ann,) = await company.race("Ann")
        dora = await company.guest("Dora")
        await dora.ask(Join(room=room, role="watcher"))
        await ann.ask(Forfeit())
        fresh = (await ann.ask(Rematch())).room.id
        assert kind_of(await (await company.guest("Eve")).ask(Join(room=fresh, role="watcher"))) == "room"
        answer = await dora.ask(Rematch())
        assert (code_of(answer), answer.data) == ("limit.watchers", {"limit": 1})


# When the log is away


@pytest.mark.parametrize(
    "command",
    [Leave(), Ready(ready=True), Start(), Say(text="hi")],
    **by_type,
)
@in_no_time
async def test_what_cannot_be_stored_is_not_done_and_may_be_tried_again(command: Any) -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob")
        company.log.away = True
        bob.take()
        answer = await ann.ask(command)
        assert code_of(answer) == "server.storage"
        assert answer.retry_ms > 0
        assert bob.take() == []
        company.log.away = False
        assert kind_of(await ann.ask(command)) == "done"


@in_no_time
async def test_a_move_that_cannot_be_stored_is_not_played() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        company.log.away = True
        assert code_of(await ann.play("QD 1")) == "server.storage"
        company.log.away = False
        assert (await ann.play("QD 1")).n == 1


@in_no_time
async def test_opening_joining_and_replaying_wait_for_the_log_too() -> None:
    async with Company() as company:
        room, _ = await company.lobby("Ann")
        eve = await company.guest("Eve")
        company.log.away = True
        for command in (Open(deal="YU1-C"), Join(room=room), Join(room="elsewher"), Replay(room="elsewher")):
            assert await eve.refused(command) == "server.storage"
        company.log.away = False
        assert kind_of(await eve.ask(Join(room=room))) == "room"


@in_no_time
async def test_a_break_while_the_log_is_away_is_recorded_when_it_is_back() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob")
        company.log.away = True
        bob.drops()
        await asyncio.sleep(10)
        company.log.away = False
        await asyncio.sleep(5)
        assert ann.heard("entrant")[-1].entrant.away


# Going down


@in_no_time
async def test_a_house_that_is_going_down_takes_no_more_commands() -> None:
    async with Company() as company:
        _, (ann,) = await company.lobby("Ann")
        company.house.draining = True
        for command in EVERYTHING:
            assert await ann.refused(command) == "server.going_down"


# A fault


@in_no_time
async def test_a_fault_in_the_server_is_told_with_an_incident_and_hurts_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Company() as company:
        ann = await company.guest("Ann")

        async def fails(*_: object, **__: object) -> None:
            raise RuntimeError("a fault")

        monkeypatch.setattr(company.house.dealer, "deal", fails)
        answer = await ann.ask(Open(deal="YU1-C"))
        assert code_of(answer) == "server.internal"
        assert answer.data["incident"] in answer.text
        assert kind_of(await ann.ask(Open(deal=CODE))) == "room"


@in_no_time
async def test_a_fault_is_in_the_servers_log_also_when_nobody_waits_for_the_answer_any_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        unheard: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context["message"]))

        async def fails(*_: object, **__: object) -> None:
            try:
                await asyncio.sleep(10)
            finally:
                raise RuntimeError("a fault")

        monkeypatch.setattr(company.house.dealer, "deal", fails)
        ann.visitor.hear(Open(deal="YU1-C"))
        await asyncio.sleep(1)
        turns = ann.outbox.turns
        ann.drops()
        await settled()
        gc.collect()
        assert unheard == []
        assert company.house.tally.incidents == 1
        assert "a fault" in capsys.readouterr().out
        assert ann.outbox.turns == turns


def test_unlimited_is_without_limits() -> None:
    assert UNLIMITED.told().commands_burst == 0
