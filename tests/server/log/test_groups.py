"""Groups: what goes together, and when the loop takes a breath for it."""

import asyncio
import socket
from collections.abc import Callable

import uvloop

from stampede.server.log.groups import Groups
from stampede.server.log.linger import LONGEST_S


class Log:
    """Takes groups of numbers, in a time of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[int] = []
        self.taken: list[list[int]] = []
        self.breaths: list[float] = []
        self.late: list[int] = []
        """Those who come in each breath."""
        self.during_breath: Callable[[], object] = lambda: None
        self.groups = Groups(lambda: len(self.waiting), self._begin, clock=lambda: self.now, breathe=self._breathe)

    def come(self, *numbers: int) -> None:
        """These wait now."""
        for number in numbers:
            self.waiting.append(number)
            self.groups.gather()

    def done(self, after_s: float = 0.0003) -> None:
        """The group under way has taken so long."""
        self.now += after_s
        self.groups.done()

    def _begin(self) -> None:
        self.taken.append(self.waiting)
        self.waiting = []

    def _breathe(self, pause_s: float) -> None:
        self.breaths.append(pause_s)
        self.now += pause_s
        self.waiting += self.late
        self.during_breath()


async def a_look() -> None:
    """The loop goes round a few times."""
    for _ in range(4):
        await asyncio.sleep(0)


async def busy(log: Log) -> None:
    """Much has come lately, from many."""
    log.late = [0, 0, 0]
    for number in range(100):
        log.come(number)
        await a_look()
        log.done()
    log.late = []
    log.taken.clear()
    log.breaths.clear()


async def test_what_comes_at_the_same_moment_goes_together() -> None:
    log = Log()
    log.come(1, 2)
    log.come(3)
    assert not log.taken
    await a_look()
    assert log.taken == [[1, 2, 3]]


async def test_while_a_group_is_under_way_the_next_one_gathers() -> None:
    log = Log()
    log.come(1)
    await a_look()
    log.come(2)
    await a_look()
    log.come(3)
    await a_look()
    assert log.taken == [[1]]
    log.done()
    await a_look()
    assert log.taken == [[1], [2, 3]]
    log.done()
    await a_look()
    assert log.taken == [[1], [2, 3]]


async def test_who_comes_alone_waits_for_no_breath() -> None:
    log = Log()
    for number in range(20):
        log.come(number)
        await a_look()
        log.done()
        log.now += 0.02
    assert len(log.taken) == 20
    assert not log.breaths


async def test_under_load_a_breath_is_taken_and_who_has_come_meanwhile_joins() -> None:
    log = Log()
    await busy(log)
    log.late = [2]
    log.come(1)
    await a_look()
    assert log.taken == [[1, *[2] * len(log.breaths)]]
    assert 0 < sum(log.breaths) <= LONGEST_S


async def test_a_few_who_each_wait_for_their_answer_are_soon_left_alone() -> None:
    log = Log()
    for number in range(100):
        log.come(number)
        await a_look()
        log.done()
    assert len(log.taken) == 100
    assert len(log.breaths) < 20


async def test_what_was_taken_by_others_meanwhile_begins_no_group() -> None:
    log = Log()
    log.come(1)
    log.waiting.clear()
    await a_look()
    assert not log.taken
    log.come(2)
    await a_look()
    assert log.taken == [[2]]


def test_those_whose_commands_reach_the_socket_during_a_breath_join_in() -> None:
    async def under_load() -> None:
        log = Log()
        await busy(log)
        here, there = socket.socketpair()
        here.setblocking(False)

        def heard() -> None:
            log.come(*here.recv(100))

        asyncio.get_running_loop().add_reader(here, heard)
        there.send(b"\x01")
        log.during_breath = lambda: there.send(b"\x02")
        while not log.taken:
            await asyncio.sleep(0)
        assert log.taken == [[1, *[2] * len(log.breaths)]]
        assert log.breaths
        asyncio.get_running_loop().remove_reader(here)
        here.close()
        there.close()

    uvloop.run(under_load())
