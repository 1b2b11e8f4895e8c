"""The ticker: how far apart the progress of a room is, and how long a change waits for it."""

import asyncio
from typing import Any

import pytest

from stampede.server.hall.tally import Tally
from stampede.server.hall.ticker import TICK_S, Ticker

from .timelapse import in_no_time

GRAIN_S = 0.011
"""Rooms take turns in grains of 10 ms."""


class Room:
    """What a ticker needs of a room: so many read its progress."""

    def __init__(self, ticker: Ticker, readers: int = 4) -> None:
        self.ticker: Any = ticker
        self.readers = readers
        self.told_at = 0.0
        self.told: list[float] = []
        self.moved_at: float | None = None
        self.waits: list[float] = []
        """How long each first change has waited."""

    def move(self) -> None:
        if self.moved_at is None:
            self.moved_at = asyncio.get_running_loop().time()
            self.ticker.mark(self)

    def tell_progress(self) -> int:
        now = asyncio.get_running_loop().time()
        assert self.moved_at is not None
        self.told.append(now)
        self.waits.append(now - self.moved_at)
        self.moved_at = None
        return self.readers

    @property
    def apart(self) -> list[float]:
        return [after - before for before, after in zip(self.told, self.told[1:], strict=False)]


async def play(
    rooms: list[Room], seconds: float, every_s: float = 0.02, *, answered: tuple[Tally, int] | None = None
) -> None:
    """All rooms move all the time; so many actions a second are answered."""
    for _ in range(round(seconds / every_s)):
        for room in rooms:
            room.move()
        if answered is not None:
            tally, per_s = answered
            tally.accepted += round(per_s * every_s)
        await asyncio.sleep(every_s)


@in_no_time
async def test_a_change_after_a_pause_is_told_at_once() -> None:
    room = Room(Ticker(Tally()))
    room.move()
    await asyncio.sleep(GRAIN_S)
    assert len(room.told) == 1


@in_no_time
async def test_a_busy_room_is_told_ten_times_a_second() -> None:
    room = Room(Ticker(Tally()))
    await play([room], 5)
    assert min(room.apart) >= TICK_S
    assert max(room.apart) <= TICK_S + 3 * GRAIN_S
    assert max(room.waits) <= TICK_S + GRAIN_S


@in_no_time
async def test_where_nobody_moves_nothing_is_told() -> None:
    room = Room(Ticker(Tally()))
    await play([room], 1)
    await asyncio.sleep(1)
    told = len(room.told)
    await asyncio.sleep(60)
    assert len(room.told) == told


@pytest.mark.parametrize(("actions_per_s", "worth_it"), [(100, 500), (400, 800), (10_000, 1000)])
@in_no_time
async def test_many_rooms_send_no_more_than_is_worth_it_and_none_waits_over_half_a_second(
    actions_per_s: int, worth_it: int
) -> None:
    tally = Tally()
    ticker = Ticker(tally)
    rooms = [Room(ticker) for _ in range(50)]  # 2000 messages a second at ten ticks
    await play(rooms, 10, answered=(tally, actions_per_s))
    for room in rooms:
        room.told, room.waits = room.told[-1:], []
    await play(rooms, 10, answered=(tally, actions_per_s))
    assert 0.8 <= sum(len(room.told) - 1 for room in rooms) * 4 / 10 / worth_it <= 1.2
    assert max(wait for room in rooms for wait in room.waits) <= 0.5 + 2 * GRAIN_S


@in_no_time
async def test_however_many_read_each_room_is_told_twice_a_second() -> None:
    ticker = Ticker(Tally())
    rooms = [Room(ticker, readers=100) for _ in range(100)]
    await play(rooms, 15)
    assert max(apart for room in rooms for apart in room.apart) <= 0.5 + 3 * GRAIN_S


@in_no_time
async def test_when_the_rush_is_over_it_is_quick_again() -> None:
    ticker = Ticker(Tally())
    one, *others = rooms = [Room(ticker) for _ in range(200)]
    await play(rooms, 5)
    assert others
    await play([one], 10)
    one.told = one.told[-1:]
    await play([one], 2)
    assert max(one.apart) <= TICK_S + 3 * GRAIN_S
