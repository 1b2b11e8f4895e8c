"""10 000 rooms opened and left in each of the ways there are: nothing of them stays in memory."""

import asyncio
import gc
from collections import Counter
from collections.abc import Awaitable, Callable

import psutil
import pytest

from server.hall.quiet_house import BOUNDLESS, Guest, open_house, settled
from server.hall.timelapse import in_no_time
from stampede.protocol import commands as say
from stampede.protocol.commands import Do, Settings
from stampede.server.hall.house import House
from stampede.server.log.in_memory import InMemoryLog

ROOMS = 10_000
AT_ONCE = 200
PLAIN = Settings()
SOLO = Settings(capacity=1, countdown_s=0, winnable=False)
KEPT = ("LiveRoom", "RoomState", "Seat", "Visitor", "Guest", "Follower", "Game", "Foresight", "Letter", "Task")
"""What a room or a visitor is made of."""


async def arrives(house: House, name: str, token: str | None = None) -> Guest:
    guest = Guest(house, name, token)
    guest.say(say.Hello(name=name, token=guest.token))
    await settled(guest)
    return guest


async def opens(house: House, name: str, settings: Settings = PLAIN, role: say.Role = "racer") -> tuple[Guest, str]:
    host = await arrives(house, name)
    number = host.say(say.Open(deal="KL1-D1N-AAAAAAG", settings=settings, role=role))
    await settled(host)
    return host, host.answer(number).room.id


async def does(guest: Guest, *commands: say.AnyCommand) -> None:
    for command in commands:
        guest.say(command)
    await settled(guest)


async def left(house: House, name: str) -> None:
    host, _ = await opens(house, name)
    await does(host, say.Leave())
    host.visitor.gone()


async def vanished(house: House, name: str) -> None:
    host, _ = await opens(house, name)
    host.visitor.gone()


async def vanished_from_the_list(house: House, name: str) -> None:
    host, _ = await opens(house, name, Settings(listed=True))
    await does(host, say.Rooms(follow=True))
    host.visitor.gone()


async def watched(house: House, name: str) -> None:
    host, room = await opens(house, name, role="watcher")
    other = await arrives(house, f"{name} too")
    await does(other, say.Join(room=room, role="watcher"), say.Say(text="hello"))
    host.visitor.gone()
    await does(other, say.Leave())
    other.visitor.gone()


async def raced(house: House, name: str) -> None:
    host, _ = await opens(house, name, SOLO)
    await does(host, say.Start(), say.Play(n=1, do=Do(draw=True)), say.Play(n=2, do=Do(undo=True)), say.Forfeit())
    await does(host, say.Rematch())
    host.visitor.gone()


async def vanished_in_a_race(house: House, name: str) -> None:
    host, _ = await opens(house, name, SOLO)
    await does(host, say.Start(), say.Play(n=1, do=Do(draw=True)))
    host.visitor.gone()


async def taken_over(house: House, name: str) -> None:
    host, room = await opens(house, name)
    again = await arrives(house, name)
    await does(again, say.Join(room=room), say.Leave())
    assert host.closed == [4001]
    again.visitor.gone()


async def only_asked_for(house: House, name: str) -> None:
    guest = await arrives(house, name)
    await does(guest, say.Join(room=name.lower()), say.Replay(room=name.lower()), say.Rooms(follow=True))
    assert await house.replay(name.lower()) is None
    guest.visitor.gone()


WAYS: list[Callable[[House, str], Awaitable[None]]] = [
    left,
    vanished,
    vanished_from_the_list,
    watched,
    raced,
    vanished_in_a_race,
    taken_over,
    only_asked_for,
]


def alive() -> Counter[str]:
    gc.collect()
    return Counter(kind for thing in gc.get_objects() if (kind := type(thing).__name__) in KEPT)


async def forgets(log: InMemoryLog) -> None:
    """The log itself is not what is measured: what is in it is the sweeper's to throw away."""
    for stream, _ in [*await log.streams("room:"), *await log.streams("player:")]:
        await log.delete(stream)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@in_no_time
async def test_nothing_stays_of_rooms_that_were_left(way: Callable[[House, str], Awaitable[None]]) -> None:
    loop = asyncio.get_running_loop()
    log = InMemoryLog(lambda: round(loop.time() * 1000))
    house = await open_house(log, limits=BOUNDLESS)

    async def go(rooms: int) -> None:
        for first in range(0, rooms, AT_ONCE):
            await asyncio.gather(*(way(house, f"G{number}") for number in range(first, first + AT_ONCE)))
        await asyncio.sleep(120)  # longer than anyone may be away from a lobby, and any room stays awake for nobody
        await does(await arrives(house, "Last"), say.Rooms())
        await forgets(log)
        await asyncio.sleep(120)

    await go(AT_ONCE)
    things, memory = alive(), psutil.Process().memory_info().rss
    await go(ROOMS // len(WAYS) // AT_ONCE * AT_ONCE)
    assert alive() - things <= Counter({"Guest": 2, "Visitor": 2, "Task": 2})
    assert psutil.Process().memory_info().rss - memory < 16 * 2**20
    assert house.rooms.awake() == []
    await house.close()
