"""The sweeper: what has been over for long enough goes; what lives, or is looked at, stays."""

import asyncio

from stampede.protocol import commands as say
from stampede.server.hall.sweeper import Sweeper
from stampede.server.race import facts

from .company import Company, settled
from .timelapse import Timelapse, in_no_time

DAY_S = 24 * 60 * 60


async def days_pass(days: float) -> None:
    """Set the clock forward at once, and let what is due then happen."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Timelapse)
    loop.seconds += days * DAY_S
    await asyncio.sleep(60)


async def rooms(company: Company) -> set[str]:
    return {name.removeprefix("room:") for name, _ in await company.log.streams("room:")}


async def finished(company: Company, *names: str) -> str:
    """A race that has been given up by all, who have gone then."""
    room, guests = await company.race(*names)
    for guest in guests:
        await guest.ask(say.Forfeit())
    for guest in guests:
        guest.drops()
    await settled()
    return room


@in_no_time
async def test_a_finished_room_goes_after_its_time_and_not_before() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 2)
        room = await finished(company, "Ann", "Bob")
        await days_pass(1.9)
        assert await sweeper.sweep() == 0
        assert await rooms(company) == {room}
        await days_pass(0.2)
        assert await sweeper.sweep() == 1
        assert await rooms(company) == set()
        assert await company.log.streams("") == []
        guest = await company.guest("Ann")
        assert await guest.refused(say.Replay(room=room)) == "room.unknown"


@in_no_time
async def test_a_race_that_ended_while_nobody_was_awake_goes_too() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 2)
        room, guests = await company.race("Ann", "Bob")
        for guest in guests:
            guest.drops()
        await settled()
        company.house.rooms.close()
        await days_pass(3)
        assert await rooms(company) == {room}
        assert await sweeper.sweep() == 1
        assert await rooms(company) == set()


@in_no_time
async def test_a_lobby_is_live_however_long_someone_sits_in_it() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 2)
        room, [ann] = await company.lobby("Ann")
        await days_pass(100)
        assert await sweeper.sweep() == 0
        assert await rooms(company) == {room}
        assert [seat.room for seat in await company.house.players.seats(ann.player)] == [room]


@in_no_time
async def test_a_finished_room_stays_while_someone_is_in_it() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 2)
        room, [ann, bob] = await company.race("Ann", "Bob")
        await ann.ask(say.Forfeit())
        await bob.ask(say.Forfeit())
        bob.drops()
        await settled()
        await days_pass(100)
        assert await sweeper.sweep() == 0
        ann.drops()
        await settled()
        await days_pass(3)
        assert await sweeper.sweep() == 1
        assert room not in await rooms(company)


@in_no_time
async def test_a_lobby_that_a_dead_node_left_behind_goes_in_the_end() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 2)
        fact = facts.Opened("ann", "dead.1", "Ann", "human", "racer", "YU1-C-AAAAAAB", say.Settings(winnable=False))
        await company.log.append("room:left", [facts.encode(fact)])
        await days_pass(3)
        assert await sweeper.sweep() == 0  # not over, but woken, and so recorded as away
        await days_pass(3)
        assert await sweeper.sweep() == 1
        assert await rooms(company) == set()


@in_no_time
async def test_what_another_version_wrote_is_left_alone() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 1)
        await company.log.append("room:future", [b"\x93\xa5later\x01\x02"])
        gone = await finished(company, "Ann", "Bob")
        await days_pass(2)
        assert await sweeper.sweep() == 1
        assert await rooms(company) == {"future"} != {gone}


@in_no_time
async def test_it_sweeps_again_and_again_and_lives_through_a_log_that_is_away() -> None:
    async with Company() as company:
        sweeper = Sweeper(company.log, company.house.rooms, 1)
        await finished(company, "Ann", "Bob")
        sweeper.start()
        await asyncio.sleep(300)  # it has begun
        company.log.away = True
        await days_pass(2)
        assert await rooms(company) != set()
        company.log.away = False
        await asyncio.sleep(2 * 60 * 60)
        assert await rooms(company) == set()
        sweeper.stop()
