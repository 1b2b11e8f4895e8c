"""The directory: listed rooms that are not over, and who follows them."""

import asyncio
from typing import Any

from stampede.protocol.commands import Forfeit, Join, Leave, Open, Rooms, Settings
from stampede.server.hall import directory
from stampede.server.hall.live_room import room_stream

from ..race.story import CODE
from .company import Company, Guest, code_of, kind_of, settled
from .timelapse import in_no_time

LISTED = Settings(listed=True, title="Friends", countdown_s=0)


async def listed(guest: Guest) -> list[Any]:
    answer = await guest.ask(Rooms())
    assert kind_of(answer) == "rooms"
    return list(answer.rooms)


@in_no_time
async def test_a_listed_room_is_on_the_list_as_soon_as_it_is_open() -> None:
    async with Company() as company:
        ann, eve = await company.guest("Ann"), await company.guest("Eve")
        room = (await ann.ask(Open(deal=CODE, settings=LISTED))).room
        (row,) = await listed(eve)
        assert (row.id, row.title, row.phase, row.variant, row.racers, row.capacity, row.passphrase) == (
            room.id, "Friends", "lobby", "YU1-C", 1, 8, False,
        )  # fmt: skip


@in_no_time
async def test_a_room_is_open_when_the_list_has_it() -> None:
    async with Company() as company:
        company.log.slow = "rooms"
        ann, eve = await company.guest("Ann"), await company.guest("Eve")
        await ann.ask(Open(deal=CODE, settings=LISTED))
        assert len(await listed(eve)) == 1


@in_no_time
async def test_rooms_are_not_listed_unless_their_host_says_so() -> None:
    async with Company() as company:
        await company.lobby("Ann")
        assert await listed(await company.guest("Eve")) == []


@in_no_time
async def test_the_newest_comes_first() -> None:
    async with Company() as company:
        rooms = []
        for _ in range(3):
            ann = await company.guest("Ann")
            rooms.append((await ann.ask(Open(deal=CODE, settings=LISTED))).room.id)
        assert [row.id for row in await listed(ann)] == rooms[::-1]


@in_no_time
async def test_a_room_that_is_over_or_cancelled_is_listed_no_more() -> None:
    async with Company() as company:
        _, (ann,) = await company.race("Ann", listed=True)
        eve = await company.guest("Eve")
        (row,) = await listed(eve)
        assert row.phase == "racing"
        await ann.ask(Forfeit())
        assert await listed(eve) == []
        _, (bob,) = await company.lobby("Bob", listed=True)
        assert len(await listed(eve)) == 1
        await bob.ask(Leave())
        assert await listed(eve) == []


@in_no_time
async def test_who_follows_is_told_of_changes_at_most_once_a_second() -> None:
    async with Company() as company:
        eve = await company.guest("Eve")
        assert (await eve.ask(Rooms(follow=True))).rooms == []
        eve.take()
        guests = []
        for _ in range(5):
            guests.append(await company.guest("Ann"))
            await guests[-1].ask(Open(deal=CODE, settings=LISTED))
            await asyncio.sleep(0.1)
        await asyncio.sleep(3)
        told = eve.take()
        assert [len(one.rooms) for one in told] == [5]
        await guests[0].ask(Leave())
        await asyncio.sleep(3)
        assert [len(one.rooms) for one in eve.take()] == [4]
        await asyncio.sleep(100)
        assert eve.take() == []


@in_no_time
async def test_who_follows_is_told_when_someone_joins_or_a_race_begins() -> None:
    async with Company() as company:
        room, (_ann,) = await company.lobby("Ann", listed=True)
        eve = await company.guest("Eve")
        await eve.ask(Rooms(follow=True))
        eve.take()
        bob = await company.guest("Bob")
        await bob.ask(Join(room=room))
        await asyncio.sleep(2)
        (told,) = eve.take()
        assert told.rooms[0].racers == 2


@in_no_time
async def test_who_does_not_follow_any_more_is_told_nothing() -> None:
    async with Company() as company:
        eve, bob = await company.guest("Eve"), await company.guest("Bob")
        for guest in (eve, bob):
            await guest.ask(Rooms(follow=True))
        await eve.ask(Rooms())
        bob.drops()
        eve.take()
        await company.lobby("Ann", listed=True)
        await asyncio.sleep(3)
        assert eve.take() == []
        assert bob.heard("rooms")[1:] == []


@in_no_time
async def test_another_node_knows_the_list_too() -> None:
    async with Company() as one, Company(log=one.log) as other:
        eve = await other.guest("Eve")
        await eve.ask(Rooms(follow=True))
        room, _ = await one.lobby("Ann", listed=True)
        assert [row.id for row in await listed(eve)] == [room]


@in_no_time
async def test_the_list_outlives_the_node() -> None:
    async with Company() as before:
        room, (_ann,) = await before.lobby("Ann", listed=True)
        async with Company(log=before.log) as company:
            eve = await company.guest("Eve")
            assert [row.id for row in await listed(eve)] == [room]


@in_no_time
async def test_the_list_cannot_be_read_while_the_log_is_away_and_recovers() -> None:
    async with Company() as before:
        await before.lobby("Ann", listed=True)
        async with Company(log=before.log) as company:
            eve = await company.guest("Eve")
            company.log.away = True
            assert code_of(await eve.ask(Rooms(follow=True))) == "server.storage"
            company.log.away = False
            assert len((await eve.ask(Rooms(follow=True))).rooms) == 1


@in_no_time
async def test_followers_are_told_late_if_the_log_was_away_when_it_was_due() -> None:
    async with Company() as one, Company(log=one.log) as other:
        eve = await other.guest("Eve")
        await eve.ask(Rooms(follow=True))
        eve.take()
        await one.lobby("Ann", listed=True)
        one.log.away = True
        await asyncio.sleep(5)
        assert eve.take() == []
        one.log.away = False
        await asyncio.sleep(5)
        assert [len(told.rooms) for told in eve.take()][:1] == [1]


@in_no_time
async def test_the_list_has_an_end() -> None:
    async with Company() as company:
        for _ in range(directory.LONGEST_LIST + 5):
            ann = await company.guest("Ann")
            await ann.ask(Open(deal=CODE, settings=LISTED))
        assert len(await listed(ann)) == directory.LONGEST_LIST


@in_no_time
async def test_the_stream_of_listed_rooms_does_not_grow_for_ever() -> None:
    async with Company() as company:
        eve = await company.guest("Eve")
        for _ in range(20):
            _, (ann,) = await company.lobby("Ann", listed=True)
            await ann.ask(Leave())
        await company.lobby("Ann", listed=True)
        await listed(eve)
        await settled()
        assert len(await company.log.read("rooms")) == 1


@in_no_time
async def test_a_room_that_the_log_has_lost_is_listed_no_more_and_followers_hear_of_it() -> None:
    async with Company() as company:
        room, _ = await company.lobby("Ann", listed=True)
        eve = await company.guest("Eve")
        assert len((await eve.ask(Rooms(follow=True))).rooms) == 1
        eve.take()
        await company.log.delete(room_stream(room))
        await asyncio.sleep(3)
        assert [told.rooms for told in eve.take()] == [[]]
        assert await listed(await company.guest("Dora")) == []


@in_no_time
async def test_a_room_of_which_the_log_has_lost_the_end_is_listed_as_it_is_there_now() -> None:
    async with Company() as company:
        room, _ = await company.lobby("Ann", "Bob", listed=True)
        eve = await company.guest("Eve")
        await eve.ask(Rooms(follow=True))
        beginning = (await company.log.read(room_stream(room)))[:1]
        company.log._streams[room_stream(room)] = beginning
        company.log._followers.reset(room_stream(room))
        cid = await company.guest("Cid")
        assert [row.racers for row in await listed(cid)] == [1]
        await cid.ask(Join(room=room))
        await asyncio.sleep(3)
        assert eve.heard("rooms")[-1].rooms[0].racers == 2


@in_no_time
async def test_a_list_that_the_log_has_lost_keeps_no_room_awake() -> None:
    async with Company() as company:
        _, (ann,) = await company.lobby("Ann", listed=True)
        eve = await company.guest("Eve")
        await eve.ask(Rooms(follow=True))
        await company.log.delete("rooms")
        ann.drops()
        await asyncio.sleep(30)
        assert eve.heard("rooms")[-1].rooms == []
        assert company.house.rooms.awake() == []
