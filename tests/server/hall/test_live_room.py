"""A live room: kept up with its log, its instants noted, everyone told what they are to be told."""

import asyncio
import itertools
from typing import Any

from stampede.protocol.commands import Forfeit, Join, Ready, Say, Start, Sync
from stampede.server.hall.live_room import LiveRoom, lost_seats, room_stream
from stampede.server.race import facts

from ..race.story import BEGINNING, CODE, Story, lines
from .company import Company, Guest, code_of, kind_of, kinds, settled
from .timelapse import in_no_time


def live(company: Company) -> LiveRoom:
    (room,) = company.house.rooms.awake()
    return room


async def elsewhere(company: Company, room: str, fact: facts.RoomFact) -> None:
    """What another node appends."""
    await company.log.append(room_stream(room), [facts.encode(fact)])


# Instants


@in_no_time
async def test_the_start_is_told_when_it_comes() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob", countdown_s=5)
        began = asyncio.get_running_loop().time()
        await ann.ask(Start())
        await bob.until("board")
        assert round(asyncio.get_running_loop().time() - began, 2) == 5
        assert kinds(bob.take())[-2:] == ["phase", "board"]


@in_no_time
async def test_the_limit_ends_the_race_with_nobody_playing() -> None:
    async with Company() as company:
        _, (ann,) = await company.race("Ann", limit_s=60)
        result = await ann.until("result")
        assert result.winner == []
        assert kind_of(ann.outbox.sent[-1]) == "result"
        await asyncio.sleep(10_000)
        assert len(ann.heard("result")) == 1


@in_no_time
async def test_the_tail_ends_the_race_for_the_others() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.race("Ann", "Bob", tail_s=30)
        await ann.wins()
        await bob.until("result")
        assert company.log.time_ms() - live(company).state.starts_at_ms == 30_001  # type: ignore[operator]


@in_no_time
async def test_who_stays_away_from_a_lobby_is_out_when_the_time_comes() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob")
        ann.drops()
        await asyncio.sleep(59)
        assert bob.heard("entrant")[-1].entrant.status == "waiting"
        await asyncio.sleep(2)
        told = bob.heard("entrant")[-2:]
        assert [(one.entrant.name, one.entrant.status, one.host) for one in told] == [
            ("Ann", "left", bob.player),
            ("Bob", "waiting", bob.player),
        ]


@in_no_time
async def test_an_instant_is_noted_later_if_the_log_is_away() -> None:
    async with Company() as company:
        _, (ann, _) = await company.lobby("Ann", "Bob", countdown_s=5)
        await ann.ask(Start())
        company.log.away = True
        await asyncio.sleep(20)
        assert ann.heard("board") == []
        company.log.away = False
        await ann.until("board")
        assert live(company).state.starts_at_ms == ann.heard("phase")[0].starts_at_ms


@in_no_time
async def test_a_first_move_before_anyone_has_noted_the_start_comes_after_its_board() -> None:
    async with Company() as company:
        room, (ann, _bob) = await company.lobby("Ann", "Bob", countdown_s=5)
        await ann.ask(Start())
        ann.take()
        # Another node's clock strikes first; ours hears of the start from Ann's own move.
        asyncio.get_running_loop().seconds += 5  # type: ignore[attr-defined]
        await elsewhere(company, room, facts.Acted(ann.player, ann.visitor.connection, 1, "QD 1"))
        await settled()
        assert kinds(ann.take())[:3] == ["phase", "board", "played"]
        assert live(company).state.seats[ann.player].n == 1


@in_no_time
async def test_the_same_of_a_move_asked_for_here() -> None:
    async with Company() as company:
        _, (ann, _bob) = await company.lobby("Ann", "Bob", countdown_s=5)
        await ann.ask(Start())
        ann.take()
        asyncio.get_running_loop().seconds += 5  # type: ignore[attr-defined]
        assert kind_of(await ann.play("QD 1")) == "played"
        told = ann.take()
        assert kinds(told)[:3] == ["phase", "board", "played"]
        assert (told[1].n, told[2].n) == (0, 1)


# In the log's order


@in_no_time
async def test_the_last_place_goes_to_whose_entry_came_first() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann", capacity=2)
        bob = await company.guest("Bob")
        early = elsewhere(company, room, facts.Entered("cid", "node.1", "Cid", "human", "racer"))
        answer, _ = await asyncio.gather(bob.ask(Join(room=room)), early)
        if kind_of(answer) == "error":
            assert answer.code == "room.full"
        names = [one.name for one in (await ann.ask(Sync())).room.entrants]
        assert names in (["Ann", "Bob"], ["Ann", "Cid"])
        assert ("Bob" in names) is (kind_of(answer) == "room")


@in_no_time
async def test_a_command_that_came_too_late_in_the_log_is_answered_from_there() -> None:
    async with Company() as company:
        room, (_ann,) = await company.lobby("Ann", capacity=2)
        bob = await company.guest("Bob")
        await bob.ask(Sync())
        # Both appends are under way before either is folded, Cid's first.
        cid = asyncio.ensure_future(elsewhere(company, room, facts.Entered("cid", "n.1", "Cid", "human", "racer")))
        await asyncio.sleep(0)
        room_now = live(company)
        problem = room_now.objection(facts.Entered(bob.player, bob.visitor.connection, "Bob", "human", "racer"))
        assert problem is None
        bob.visitor.enter(room_now, "racer", 77)
        await cid
        await settled()
        assert [code_of(one) for one in bob.heard("error") if one.re == 77] == ["room.full"]
        assert bob.visitor.room is None
        assert not bob.visitor.busy


@in_no_time
async def test_an_action_logged_by_another_node_first_is_answered_with_a_board() -> None:
    async with Company() as company:
        room, (ann, _) = await company.race("Ann", "Bob")
        fact = facts.Acted(ann.player, ann.visitor.connection, 1, "AS home")
        other = asyncio.ensure_future(elsewhere(company, room, facts.Acted(*_fields(fact, action="QD 1"))))
        await asyncio.sleep(0)
        answer = await ann.play("QD 1", 1)
        await other
        assert (kind_of(answer), answer.n) in (("board", 1), ("played", 1))
        assert live(company).state.seats[ann.player].n == 1


def _fields(fact: facts.Acted, action: str) -> tuple[Any, ...]:
    return (fact.player, fact.connection, fact.n, action)


@in_no_time
async def test_a_newer_connection_on_another_node_closes_the_one_here() -> None:
    async with Company() as company:
        room, (_ann, bob) = await company.race("Ann", "Bob")
        await elsewhere(company, room, facts.Entered(bob.player, "node.9", "Bob", "human", "racer"))
        await settled()
        assert bob.outbox.closed is not None
        assert bob.outbox.closed[0] == 4001
        assert not live(company).state.seats[bob.player].away


# Progress


@in_no_time
async def test_progress_goes_out_in_ticks_with_the_latest_values() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.race("Ann", "Bob")
        await asyncio.sleep(1)
        bob.take()
        clock = asyncio.get_running_loop().time
        times: list[float] = []
        send = bob.outbox.send

        def noting(event: Any) -> None:
            times.append(clock())
            send(event)

        bob.outbox.send = noting  # type: ignore[method-assign]
        for action in lines()[CODE][:50]:
            await ann.play(action)
            await asyncio.sleep(0.013)
        await asyncio.sleep(1)
        told = bob.take()
        assert set(kinds(told)) == {"progress"}
        assert all(later - earlier >= 0.1 for earlier, later in itertools.pairwise(times))
        assert len(told) <= 8
        assert [one.racers[0].moves for one in told] == sorted({one.racers[0].moves for one in told})
        assert told[-1].racers[0].moves == 50
        assert all(len(one.racers) == 1 for one in told)


@in_no_time
async def test_a_change_is_told_at_once_when_the_last_one_was_long_ago() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.race("Ann", "Bob")
        await asyncio.sleep(1)
        bob.take()
        before = asyncio.get_running_loop().time()
        await ann.play("QD 1")
        await bob.until("progress")
        assert asyncio.get_running_loop().time() - before < 0.001


@in_no_time
async def test_progress_holds_only_those_who_moved() -> None:
    async with Company() as company:
        _, (ann, bob, cid) = await company.race("Ann", "Bob", "Cid")
        await asyncio.sleep(1)
        cid.take()
        await ann.play("QD 1")
        await asyncio.sleep(0)
        await bob.play("QD 1")
        await asyncio.sleep(1)
        told = {racer.player for event in cid.take() for racer in event.racers}
        assert told == {ann.player, bob.player}


# A log that holds less than it did


@in_no_time
async def test_a_room_that_the_log_lost_is_unknown_to_those_in_it() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        ann.take()
        await company.log.delete(room_stream(room))
        await settled()
        assert [code_of(one) for one in ann.take()] == ["room.unknown"]
        assert await ann.refused(Sync()) == "room.not_in_one"
        assert await bob.refused(Join(room=room)) == "room.unknown"


@in_no_time
async def test_a_room_that_the_log_half_lost_is_folded_again_with_fresh_boards() -> None:
    async with Company() as company:
        room, (ann, _bob) = await company.race("Ann", "Bob")
        for action in lines()[CODE][:5]:
            await ann.play(action)
        stream = room_stream(room)
        kept = (await company.log.read(stream))[:-2]
        ann.take()
        company.log._streams[stream] = kept
        company.log._followers.reset(stream)
        await settled()
        told = ann.take()
        assert kinds(told)[:2] == ["room", "board"]
        assert told[1].n == 3
        ann.n = 3
        assert (await ann.play(lines()[CODE][3])).n == 4


@in_no_time
async def test_commands_are_answered_while_the_room_is_folded_again() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        company.log.slow_read_s = 1
        company.log._followers.reset(room_stream(room))
        assert code_of(await ann.play(lines()[CODE][0])) == "server.storage"
        assert await bob.refused(Say(text="what?")) == "server.storage"
        ann.take()
        await ann.until("board")
        assert kind_of(await ann.play(lines()[CODE][0])) == "played"
        assert kind_of(await bob.ask(Say(text="ah"))) == "done"


@in_no_time
async def test_commands_behind_those_that_are_given_up_are_answered_too() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        queue = [Say(id=number, text="hello") for number in range(100, 104)]

        def go_on() -> None:
            while queue and not ann.visitor.busy:
                ann.visitor.hear(queue.pop(0))

        ann.outbox.answered = go_on  # type: ignore[method-assign]
        company.log.slow = room_stream(room)
        bob.visitor.hear(Say(id=100, text="hello"))
        go_on()
        ann.take()
        company.log._followers.reset(room_stream(room))
        await ann.until("board")
        assert [(event.re, event.code) for event in ann.heard("error")] == [
            (number, "server.storage") for number in range(100, 104)
        ]
        assert not ann.visitor.busy
        assert not bob.visitor.busy


# Small things


def test_seats_are_lost_whose_connection_is_not_alive_any_more() -> None:
    story = Story("bob", "cid")
    story.breaks("cid")
    lost = lost_seats(story.room, lambda connection: connection == "ann/1")
    assert [seat.player for seat in lost] == ["bob"]


@in_no_time
async def test_nothing_is_told_to_a_visitor_who_is_gone() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.race("Ann", "Bob")
        bob.drops()
        await settled()
        bob.take()
        await ann.play("QD 1")
        await ann.ask(Forfeit())
        await asyncio.sleep(1)
        assert bob.take() == []


@in_no_time
async def test_the_clock_of_the_log_is_the_clock_of_the_race() -> None:
    async with Company() as company:
        _, (ann, _) = await company.race("Ann", "Bob")
        await asyncio.sleep(12.5)
        assert (await ann.play("QD 1")).elapsed_ms == 12_500
        assert (await ann.ask(Sync())).room.time_ms > BEGINNING


@in_no_time
async def test_ready_and_start_at_the_same_moment_are_one_start() -> None:
    async with Company() as company:
        _, (ann, bob) = await company.lobby("Ann", "Bob", countdown_s=5)
        await ann.ask(Ready(ready=True))
        answers = await asyncio.gather(bob.ask(Ready(ready=True)), ann.ask(Start()))
        assert kind_of(answers[0]) == "done"
        assert kind_of(answers[1]) == "done" or answers[1].code == "room.started"
        await ann.until("board")
        assert len([one for one in ann.heard("phase") if one.phase == "countdown"]) == 1
        assert isinstance(ann, Guest)


# A node that others took for dead


@in_no_time
async def test_who_was_said_to_be_gone_and_is_still_here_takes_the_seat_again() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        await elsewhere(company, room, facts.Broke(bob.player, bob.visitor.connection))
        assert live(company).state.seats[bob.player].away
        await asyncio.sleep(1)
        assert not live(company).state.seats[bob.player].away
        assert bob.outbox.closed is None
        await bob.play("QD 1")
        assert live(company).state.seats[bob.player].n == 1
        assert live(company).state.seats[ann.player].n == 0


@in_no_time
async def test_who_has_moved_on_to_another_node_meanwhile_is_left_there() -> None:
    async with Company() as company:
        room, (_ann, bob) = await company.race("Ann", "Bob")
        await elsewhere(company, room, facts.Broke(bob.player, bob.visitor.connection))
        await elsewhere(company, room, facts.Entered(bob.player, "node.9", "Bob", "human", "racer"))
        await asyncio.sleep(1)
        assert bob.outbox.closed is not None
        assert live(company).state.seats[bob.player].connection == "node.9"
