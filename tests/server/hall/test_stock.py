"""The stock: ready at once in the usual case, whoever waits comes first, no deal twice."""

import asyncio

from stampede.patience.codes import Code
from stampede.patience.solver import Grade
from stampede.server.hall.stock import Kind, Stock

from .company import settled
from .shop import Prover
from .timelapse import in_no_time

ANY = Kind("YU1-C", None)
HARD = Kind("YU1-C", Grade.HARD)


def stock(*provers: Prover, size: int = 2, kinds: tuple[Kind, ...] = ()) -> Stock:
    made = Stock(provers, size=size, kinds=kinds, clock=asyncio.get_running_loop().time)
    made.start()
    return made


def ready(of: Stock) -> dict[Kind, list[Code]]:
    return {kind: [code for _, code in shelf.ready] for kind, shelf in of.shelves.items()}


@in_no_time
async def test_what_is_kept_from_the_start_is_there_at_once() -> None:
    prover = Prover(*[Grade.EASY] * 9)
    shop = stock(prover, kinds=(ANY,))
    await settled()
    assert ready(shop) == {ANY: prover.made}
    assert len(prover.made) == 2, "no more than are to be kept"
    first = prover.made[0]
    assert await shop.take(ANY) == first
    await settled()
    assert ready(shop) == {ANY: prover.made[1:]}
    assert len(prover.made) == 3, "what was taken is made up for"
    await shop.close()


@in_no_time
async def test_nothing_is_proven_that_nobody_asked_for() -> None:
    prover = Prover(Grade.EASY)
    shop = stock(prover)
    await settled()
    assert prover.asked == []
    await shop.close()


@in_no_time
async def test_who_asks_for_what_is_not_there_waits_and_is_served_before_the_shelves() -> None:
    prover = Prover()
    shop = stock(prover, kinds=(ANY,))
    waiting = [asyncio.ensure_future(shop.take(HARD)) for _ in range(2)]
    await settled()
    prover.find(None, Grade.EASY, Grade.HARD, Grade.HARD)
    await settled()
    assert [task.done() for task in waiting] == [True, True]
    assert len({task.result() for task in waiting}) == 2
    await shop.close()


@in_no_time
async def test_those_who_wait_are_served_in_their_order() -> None:
    prover = Prover()
    shop = stock(prover)
    served: list[int] = []

    async def take(number: int) -> None:
        await shop.take(ANY)
        served.append(number)

    tasks = [asyncio.ensure_future(take(number)) for number in range(3)]
    await settled()
    prover.find(*[Grade.EASY] * 3)
    await asyncio.gather(*tasks)
    assert served == [0, 1, 2]
    await shop.close()


@in_no_time
async def test_a_deal_is_not_lost_on_someone_who_has_gone() -> None:
    prover = Prover()
    shop = stock(prover)
    gone, stays = (asyncio.ensure_future(shop.take(ANY)) for _ in range(2))
    await settled()
    gone.cancel()
    await settled()
    prover.find(Grade.EASY)
    assert await stays == prover.made[0]
    await shop.close()


@in_no_time
async def test_once_asked_for_a_grade_is_kept() -> None:
    prover = Prover(Grade.HARD, Grade.MEDIUM, Grade.HARD, Grade.HARD)
    shop = stock(prover)
    await shop.take(HARD)
    await settled()
    assert len(ready(shop)[HARD]) == 2
    assert prover.asked[-1] == ("YU1-C", True)
    await shop.close()


@in_no_time
async def test_no_deal_is_dealt_twice() -> None:
    prover = Prover(*[Grade.HARD] * 50)
    shop = stock(prover, kinds=(ANY, HARD))
    taken = [await shop.take(kind) for kind in (ANY, HARD) * 10]
    assert len(set(taken)) == 20
    await shop.close()


@in_no_time
async def test_the_age_of_a_shelf_is_that_of_its_oldest_deal() -> None:
    prover = Prover(Grade.EASY)
    shop = stock(prover, kinds=(ANY,))
    await settled()
    await asyncio.sleep(60)
    assert round(shop.shelves[ANY].age_s(shop.clock())) == 60
    prover.find(Grade.EASY)
    await settled()
    await shop.take(ANY)
    assert round(shop.shelves[ANY].age_s(shop.clock())) == 0
    await shop.close()


@in_no_time
async def test_closing_ends_the_provers() -> None:
    provers = [Prover(), Prover()]
    shop = stock(*provers, kinds=(ANY,))
    await settled()
    await shop.close()
    assert all(prover.closed for prover in provers)
