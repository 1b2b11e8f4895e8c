"""The rooms of a node: woken by replaying their log, asleep when nobody needs them."""

import asyncio

import msgspec
import pytest

from stampede.protocol.commands import Forfeit, Join, Leave, Open, Ready, Start, Sync
from stampede.server.hall.live_room import room_stream
from stampede.server.hall.rooms import new_room_id
from stampede.server.log.port import StorageError
from stampede.server.race import facts

from ..race.story import CODE, lines
from .company import UNLIMITED, Company, kind_of, settled
from .timelapse import in_no_time


def test_ids_are_easy_to_read_out_and_never_the_same() -> None:
    ids = {new_room_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(room) == 8 and room.isalnum() and room == room.lower() for room in ids)
    assert not set("".join(ids)) & set("01ilo")


@in_no_time
async def test_a_room_that_is_not_there_is_none() -> None:
    async with Company() as company:
        assert await company.house.rooms.find("abcdefgh") is None
        assert company.house.rooms.awake() == []


@in_no_time
async def test_a_room_is_found_awake_as_long_as_someone_is_in_it() -> None:
    async with Company() as company:
        room, (_ann,) = await company.lobby("Ann")
        found = await company.house.rooms.find(room)
        await asyncio.sleep(1000)
        assert await company.house.rooms.find(room) is found
        assert company.house.rooms.awake() == [found]


@in_no_time
async def test_a_room_that_nobody_needs_goes_to_sleep_and_wakes_as_it_was() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        for action in lines()[CODE][:10]:
            await ann.play(action)
        before = (await company.house.rooms.find(room)).state  # type: ignore[union-attr]
        ann.drops()
        bob.drops()
        await asyncio.sleep(10)
        assert company.house.rooms.awake() == []
        woken = await company.house.rooms.find(room)
        assert woken is not None
        assert woken.state.seats[ann.player].game == before.seats[ann.player].game
        assert woken.state.seats[ann.player].elapsed_ms == before.seats[ann.player].elapsed_ms
        assert all(seat.away for seat in woken.state.seats.values())


@in_no_time
async def test_instants_that_passed_while_it_slept_have_passed() -> None:
    async with Company() as company:
        room, (ann,) = await company.race("Ann", limit_s=60)
        ann.drops()
        await asyncio.sleep(5000)
        assert company.house.rooms.awake() == []
        again = await company.guest("Ann", ann.token)
        picture = (await again.ask(Join(room=room))).room
        assert picture.phase == "over"
        assert [one.status for one in picture.entrants] == ["never_played"]
        assert len(again.heard("result")) == 1


@in_no_time
async def test_those_who_look_for_a_room_at_once_find_the_same_one() -> None:
    async with Company() as company:
        room, (ann, bob) = await company.race("Ann", "Bob")
        ann.drops()
        bob.drops()
        await asyncio.sleep(10)
        found = await asyncio.gather(*(company.house.rooms.find(room) for _ in range(20)))
        assert len(set(map(id, found))) == 1


@in_no_time
async def test_who_stops_looking_takes_nobody_along() -> None:
    async with Company() as company:
        room, (ann,) = await company.race("Ann")
        ann.drops()
        await asyncio.sleep(10)
        impatient = asyncio.ensure_future(company.house.rooms.find(room))
        patient = asyncio.ensure_future(company.house.rooms.find(room))
        await asyncio.sleep(0)
        impatient.cancel()
        assert await patient is not None


@in_no_time
async def test_a_log_that_is_away_is_no_unknown_room() -> None:
    async with Company() as company:
        company.log.away = True
        with pytest.raises(StorageError):
            await company.house.rooms.find("abcdefgh")
        company.log.away = False
        assert await company.house.rooms.find("abcdefgh") is None


@in_no_time
async def test_a_log_without_a_beginning_is_no_room() -> None:
    async with Company() as company:
        await company.log.append(room_stream("headless"), [facts.encode(facts.TimePassed())])
        assert await company.house.rooms.find("headless") is None


@in_no_time
async def test_after_a_crash_everyone_is_away_until_they_come_back() -> None:
    async with Company() as before:
        room, (ann, _bob) = await before.race("Ann", "Bob")
        await ann.play("QD 1")
        log = before.log
        log._nodes.clear()
        async with Company(log=log) as company:
            again = await company.guest("Ann", ann.token)
            assert [seat.room for seat in await company.house.players.seats(ann.player)] == [room]
            await again.ask(Join(room=room))
            (board,) = again.heard("board")
            assert (board.n, board.moves) == (1, 1)
            await settled()
            picture = (await again.ask(Sync())).room
            assert [(one.name, one.away) for one in picture.entrants] == [("Ann", False), ("Bob", True)]


@in_no_time
async def test_a_node_that_dies_leaves_its_players_away() -> None:
    async with Company() as one, Company(log=one.log) as other:
        room, (ann,) = await one.lobby("Ann")
        bob = await other.guest("Bob")
        await bob.ask(Join(room=room))
        assert [seat.away for seat in one.house.rooms.awake()[0].state.seats.values()] == [False, False]
        await other.house.close()
        one.log._nodes.discard(other.house.node)
        await asyncio.sleep(10)
        entrant = ann.heard("entrant")[-1].entrant
        assert (entrant.name, entrant.away) == ("Bob", True)


@in_no_time
async def test_after_the_log_was_away_nobody_is_taken_for_dead_before_they_have_had_time_to_beat() -> None:
    async with Company() as one, Company(log=one.log) as other:
        room, (ann,) = await one.lobby("Ann")
        bob = await other.guest("Bob")
        await bob.ask(Join(room=room))
        one.log.away = True
        await asyncio.sleep(20)
        one.log.away = False
        one.log._nodes.clear()  # none of them was heard of lately
        for _ in range(100):
            await asyncio.sleep(0.1)
            assert await bob.refused(Start()) == "room.not_host"
            assert not [told for told in ann.heard("entrant") if told.entrant.away]
        await other.house.close()
        one.log._nodes.discard(other.house.node)
        await asyncio.sleep(10)
        entrant = ann.heard("entrant")[-1].entrant
        assert (entrant.name, entrant.away) == ("Bob", True)


@in_no_time
async def test_two_nodes_on_one_log_race_together() -> None:
    async with Company() as one, Company(log=one.log) as other:
        room, (ann,) = await one.lobby("Ann", tail_s=0)
        bob = await other.guest("Bob")
        await bob.ask(Join(room=room))
        await ann.ask(Ready(ready=True))
        await bob.ask(Ready(ready=True))
        await ann.until("board")
        await bob.until("board")
        await bob.wins()
        assert (await ann.until("result")).winner == [bob.player]


@pytest.mark.parametrize("how", ["leave", "drop", "forfeit", "fail to join", "drop while joining"])
@in_no_time
async def test_nothing_is_kept_awake_of_rooms_that_were_left_in_any_way(how: str) -> None:
    async with Company() as company:
        company.house.limits = UNLIMITED
        host = await company.guest("Host")
        kept = (await host.ask(Open(deal=CODE))).room.id
        for _ in range(50):
            ann = await company.guest("Ann")
            room = (await ann.ask(Open(deal=CODE))).room.id
            match how:
                case "leave":
                    await ann.ask(Leave())
                case "forfeit":
                    await ann.ask(Start())
                    await asyncio.sleep(6)
                    await ann.ask(Forfeit())
                case "fail to join":
                    eve = await company.guest("Ann")
                    assert kind_of(await eve.ask(Join(room=room))) == "error"
                    eve.drops()
                case "drop while joining":
                    eve = await company.guest("Eve")
                    eve.visitor.hear(Join(room=room))
                    await asyncio.sleep(0)
                    await asyncio.sleep(0)
                    eve.drops()
            ann.drops()
        await asyncio.sleep(100)
        assert [live.state.id for live in company.house.rooms.awake()] == [kept]
        assert company.house._connections == {host.visitor.connection}
        assert list(company.house._visitors) == [host.player]


@pytest.mark.parametrize("stays", [True, False])
@in_no_time
async def test_a_room_whose_newcomer_could_not_be_stored_goes_to_sleep_again(stays: bool) -> None:
    async with Company() as company:
        room, (ann,) = await company.race("Ann")
        ann.drops()
        await asyncio.sleep(10)
        assert company.house.rooms.awake() == []
        company.log.full = True
        eve = await company.guest("Eve")
        eve.visitor.hear(Join(room=room, role="watcher"))
        await asyncio.sleep(6)
        if not stays:
            eve.drops()
        await asyncio.sleep(14)
        assert [event.code for event in eve.heard("error")] == ["server.storage"]
        assert company.house.rooms.awake() == []


@in_no_time
async def test_a_room_goes_to_sleep_again_if_nobody_could_tell_which_nodes_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Company() as before:
        room, _ = await before.race("Ann")
        before.log._nodes.clear()
        async with Company(log=before.log) as company:

            async def fails() -> frozenset[str]:
                raise StorageError("the log is away")

            monkeypatch.setattr(company.log, "nodes", fails)
            with pytest.raises(StorageError):
                await company.house.rooms.find(room)
            assert len(company.house.rooms.awake()) == 1
            await asyncio.sleep(10)
            assert company.house.rooms.awake() == []


@in_no_time
async def test_a_room_that_a_newer_version_wrote_is_as_good_as_not_there() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        await ann.ask(Leave())
        await asyncio.sleep(1000)
        newer = msgspec.msgpack.encode(["what-is-not-known-yet", ann.player, "node.1"])
        await company.house.log.append(room_stream(room), [newer])
        assert await company.house.rooms.find(room) is None
        assert await company.house.replay(room) is None
        assert await company.house.players.seats(ann.player) == []
