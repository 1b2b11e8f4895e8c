"""Pages: what plain HTTP gets on the same port, and who may open a websocket."""

import asyncio
from typing import Any

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from stampede.server.gate.pages import Pages

from ..hall.company import Company
from ..hall.timelapse import in_no_time


def asked(path: str, **headers: str) -> Request:
    return Request(path, Headers({name.replace("_", "-"): value for name, value in headers.items()}))


async def got(page: Any) -> Response:
    """The page, at once or after a while."""
    response: Response = await page if asyncio.iscoroutine(page) else page
    return response


@in_no_time
async def test_it_is_alive_and_ready() -> None:
    async with Company() as company:
        pages = Pages(company.house)
        live = await got(pages.answer(asked("/livez"), "peer"))
        ready = await got(pages.answer(asked("/readyz?verbose"), "peer"))
        assert (live.status_code, ready.status_code) == (200, 200)


@in_no_time
async def test_it_is_not_ready_while_the_log_is_away_or_the_house_goes_down() -> None:
    async with Company() as company:
        pages = Pages(company.house)
        company.log.away = True
        page = await got(pages.answer(asked("/readyz"), "peer"))
        assert page.status_code == 503
        assert b"log: the log is away" in bytes(page.body)
        company.log.away = False
        company.house.draining = True
        page = await got(pages.answer(asked("/readyz"), "peer"))
        assert (page.status_code, page.body) == (503, b"draining\n")
        assert (await got(pages.answer(asked("/livez"), "peer"))).status_code == 200
        assert (await got(pages.answer(asked("/ws"), "peer"))).status_code == 503


@pytest.mark.parametrize("path", ["/", "/wss", "/ws/", "/livez/", "/races/", "/races/a b.json", "/races/../x.json"])
@in_no_time
async def test_there_is_nothing_elsewhere(path: str) -> None:
    async with Company() as company:
        page = await got(Pages(company.house).answer(asked(path), "peer"))
        assert page.status_code == 404
        assert b"/ws" in bytes(page.body)


@in_no_time
async def test_a_finished_race_can_be_fetched_and_no_other() -> None:
    async with Company() as company:
        pages = Pages(company.house)
        room, (ann,) = await company.race("Ann")
        path = f"/races/{room.upper()}.json"
        assert (await got(pages.answer(asked(path), "peer"))).status_code == 404
        await ann.wins()
        page = await got(pages.answer(asked(path), "peer"))
        assert (page.status_code, page.headers["Content-Type"]) == (200, "application/json")
        assert page.headers["Content-Length"] == str(len(bytes(page.body)))
        assert (await got(pages.answer(asked("/races/abcdefgh.json"), "peer"))).status_code == 404


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://race.example:7117", True),
        ("https://race.example:7117", True),
        ("HTTPS://RACE.EXAMPLE:7117", True),
        ("https://play.example.org", True),
        ("https://race.example", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
        ("https://race.example:7117.evil.example", False),
    ],
)
@in_no_time
async def test_a_browsers_page_has_to_be_ours_or_on_the_list(origin: str | None, allowed: bool) -> None:
    async with Company() as company:
        pages = Pages(company.house, origins=["https://Play.example.org/"])
        headers = {"Host": "race.example:7117"} | ({} if origin is None else {"Origin": origin})
        page = pages.answer(asked("/ws", **headers), "peer")
        assert (page is None) is allowed
        if not allowed:
            assert (await got(page)).status_code == 403


@in_no_time
async def test_several_origins_or_hosts_are_none_of_ours() -> None:
    async with Company() as company:
        pages = Pages(company.house, origins=["https://play.example.org"])
        two = asked("/ws", Host="race.example", Origin="https://play.example.org")
        two.headers["Origin"] = "https://evil.example"
        assert (await got(pages.answer(two, "peer"))).status_code == 403
        hosts = asked("/ws", Host="race.example", Origin="https://evil.example")
        hosts.headers["Host"] = "evil.example"
        assert (await got(pages.answer(hosts, "peer"))).status_code == 403


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", None, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", " , ", "10.0.0.1"),
        ("10.1.7.9", "198.51.100.1, 10.1.0.4", "198.51.100.1"),
        ("10.2.0.1", "198.51.100.1", "10.2.0.1"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "unknown", "unknown"),
    ],
)
@in_no_time
async def test_only_a_listed_proxy_is_believed(peer: str, forwarded: str | None, address: str) -> None:
    async with Company() as company:
        pages = Pages(company.house, proxies=["10.0.0.1", "10.0.0.2", "10.1.0.0/16"])
        request = asked("/ws", **({} if forwarded is None else {"X_Forwarded_For": forwarded}))
        assert pages.address_of(request, peer) == address
        assert pages.is_proxy(peer) is (peer not in ("192.0.2.1", "10.2.0.1"))
