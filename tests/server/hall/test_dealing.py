"""Winnable deals: what may be asked for, what is dealt, and what is said meanwhile."""

import asyncio
from hashlib import sha256
from typing import Any

import pytest

from stampede.patience.codes import dealing_order
from stampede.patience.solver import Grade, locked
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol.commands import Forfeit, Open, Rematch, Settings, Start
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.stock import Kind, Stock

from .company import Company, Guest, kind_of, settled
from .shop import Prover, stand_in
from .timelapse import in_no_time

SHELVES = {"YU1-C": [Grade.EASY, Grade.HARD]}


def sell(company: Company, *provers: Prover) -> None:
    """Let the house have a stock."""
    stock = Stock(provers, size=1, clock=asyncio.get_running_loop().time)
    stock.start()
    company.house.dealer = Dealer(stock)


async def opened(guest: Guest, deal: str = "YU1-C", **chosen: Any) -> Any:
    """The room that was opened, or the problem."""
    answer = await guest.ask(Open(deal=deal, settings=Settings(**chosen)))
    return answer.room if kind_of(answer) == "room" else answer


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, SHELVES)


@in_no_time
async def test_an_open_room_gets_a_proven_deal_unless_that_is_refused() -> None:
    async with Company() as company:
        room = await opened(await company.guest("Ann"))
        assert room.settings.winnable
        assert room.deal.code in ("YU1-C-AAAAAAA", "YU1-C-AAAAAAC")
        room = await opened(await company.guest("Ben"), winnable=False)
        assert not room.settings.winnable
        assert room.deal.code not in ("YU1-C-AAAAAAA", "YU1-C-AAAAAAC")


@in_no_time
async def test_a_grade_is_kept_to_and_told() -> None:
    async with Company() as company:
        for number in range(8):
            room = await opened(await company.guest(f"Guest {number}"), grade="hard")
            assert (room.settings.grade, room.deal.code) == ("hard", "YU1-C-AAAAAAC")


@pytest.mark.parametrize(
    ("deal", "chosen", "field"),
    [
        ("KL1-D1V", {"winnable": True}, "settings.winnable"),
        ("KL1-D1V", {"grade": "easy"}, "settings.grade"),
        ("YU1-C", {"grade": "easy", "winnable": False}, "settings.grade"),
        ("YU1-C", {"grade": "expert"}, "settings.grade"),
        ("YU1-C", {"grade": "expert", "winnable": True}, "settings.grade"),
        ("YU1-C", {"sealed": True, "winnable": True}, "settings.winnable"),
        ("YU1-C", {"sealed": True, "grade": "easy"}, "settings.grade"),
        ("YU1-C-AAAAAAB", {"winnable": True}, "settings.winnable"),
        ("YU1-C-AAAAAAB", {"grade": "easy"}, "settings.grade"),
    ],
)
@in_no_time
async def test_what_cannot_be_had_is_refused_by_its_field(deal: str, chosen: dict[str, Any], field: str) -> None:
    async with Company() as company:
        problem = await opened(await company.guest("Ann"), deal, **chosen)
        assert (problem.code, problem.data["field"]) == ("message.bad_field", field)


@pytest.mark.parametrize(
    ("deal", "chosen"), [("KL1-D1V", {}), ("YU1-C", {"sealed": True}), ("YU1-C-AAAAAAB", {}), ("KL1-D1N", {})]
)
@in_no_time
async def test_where_nothing_is_proven_nothing_is_promised(deal: str, chosen: dict[str, Any]) -> None:
    async with Company() as company:
        room = await opened(await company.guest("Ann"), deal, **chosen)
        assert not room.settings.winnable


@in_no_time
async def test_a_deal_without_proof_is_never_one_that_is_known_to_be_lost() -> None:
    async with Company() as company:
        dealer = company.house.dealer
        for _ in range(100):
            code = await dealer.deal(CATALOGUE["YU1-C"], sealed=False)
            assert locked(CATALOGUE["YU1-C"], dealing_order(code)) is None


@in_no_time
async def test_a_sealed_room_gets_a_deal_from_the_stock_at_once() -> None:
    async with Company() as company:
        prover = Prover(*[Grade.EASY] * 3)
        sell(company, prover)
        await opened(await company.guest("Ann"), sealed=True)
        await settled()
        guest = await company.guest("Ben")
        room = await opened(guest, sealed=True)
        assert room.settings.winnable
        assert room.deal.commitment == sha256(str(prover.made[1]).encode()).hexdigest()
        assert not guest.heard("dealing")


@in_no_time
async def test_who_has_to_wait_for_a_deal_is_told_so_until_it_comes() -> None:
    async with Company() as company:
        prover = Prover()
        sell(company, prover)
        guest = await company.guest("Ann")
        opening = asyncio.ensure_future(opened(guest, sealed=True, grade="hard"))
        await asyncio.sleep(3)
        prover.find(Grade.HARD)
        room = await opening
        assert (room.settings.winnable, room.settings.grade) == (True, "hard")
        told = guest.heard("dealing")
        assert [event.variant for event in told] == ["YU1-C"] * 3
        assert [event.waited_ms for event in told] == [250, 1250, 2250]
        await asyncio.sleep(10)
        assert len(guest.heard("dealing")) == 3


@in_no_time
async def test_who_waits_for_a_deal_that_never_comes_is_told_what_helps() -> None:
    async with Company() as company:
        prover = Prover()
        sell(company, prover)
        guest = await company.guest("Ann")
        problem = await opened(guest, sealed=True)
        assert problem.code == "server.no_deal"
        assert problem.retry_ms > 0
        assert "winnable: false" in problem.text
        assert company.house.tally.incidents == 0
        prover.find(Grade.EASY)
        assert (await opened(guest, sealed=True)).settings.winnable


@in_no_time
async def test_a_rematch_whose_deal_never_comes_may_be_asked_for_again() -> None:
    async with Company() as company:
        prover = Prover(Grade.EASY)
        sell(company, prover)
        guest = await company.guest("Ann")
        await opened(guest, sealed=True, capacity=1, countdown_s=0)
        await guest.ask(Start())
        await guest.until("board")
        await guest.ask(Forfeit())
        assert await guest.refused(Rematch()) == "server.no_deal"
        prover.find(Grade.EASY)
        assert (await guest.ask(Rematch())).room.settings.winnable


@in_no_time
async def test_who_leaves_while_waiting_leaves_nothing_behind() -> None:
    async with Company() as company:
        prover = Prover()
        sell(company, prover)
        guest = await company.guest("Ann")
        opening = asyncio.ensure_future(opened(guest, sealed=True))
        await settled()
        guest.drops()
        opening.cancel()
        other = asyncio.ensure_future(opened(await company.guest("Ben"), sealed=True))
        await settled()
        prover.find(Grade.EASY)
        assert (await other).settings.winnable


@in_no_time
async def test_a_rematch_is_as_winnable_and_as_hard_on_another_deal() -> None:
    async with Company() as company:
        prover = Prover(*[Grade.HARD] * 4)
        sell(company, prover)
        guest = await company.guest("Ann")
        await opened(guest, sealed=True, grade="hard", capacity=1, countdown_s=0)
        await guest.ask(Start())
        await guest.until("board")
        await guest.ask(Forfeit())
        code = (await guest.until("result")).code
        room = (await guest.ask(Rematch())).room
        assert (room.settings.sealed, room.settings.winnable, room.settings.grade) == (True, True, "hard")
        assert room.deal.commitment != sha256(code.encode()).hexdigest()


@in_no_time
async def test_a_rematch_promises_no_more_than_this_server_can_keep() -> None:
    async with Company() as company:
        sell(company, Prover(Grade.EASY))
        guest = await company.guest("Ann")
        await opened(guest, sealed=True, capacity=1, countdown_s=0)
        await guest.ask(Start())
        await guest.until("board")
        await guest.ask(Forfeit())
        await guest.until("result")
        company.house.dealer = Dealer()  # as after a restart without provers
        room = (await guest.ask(Rematch())).room
        assert (room.settings.sealed, room.settings.winnable) == (True, False)


@in_no_time
async def test_the_dealer_deals_of_the_kind_that_was_asked_for() -> None:
    stock = Stock([Prover(Grade.HARD)], size=1, clock=asyncio.get_running_loop().time)
    stock.start()
    code = await Dealer(stock).deal(CATALOGUE["YU1-C"], sealed=True, winnable=True, grade="hard")
    assert parse_code(str(code)).ruleset_name == "YU1-C"
    assert Kind("YU1-C", Grade.HARD) in stock.shelves
    await stock.close()
