"""Pages: what the same port answers to plain HTTP, and who may open a websocket at all."""

import asyncio
import re
from collections.abc import Collection, Coroutine
from http import HTTPStatus
from typing import Final

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from stampede.server.gate.metrics import Metrics
from stampede.server.gate.proxies import Proxies
from stampede.server.hall.house import House
from stampede.server.log.port import StorageError

_CHECK_S: Final = 2.0
"""How long the log may take to show that it can be appended to."""
_RACE: Final = re.compile(r"/races/([A-Za-z0-9]{1,40})\.json")

Page = Response | Coroutine[None, None, Response]


class Pages:
    """The street door's notice board."""

    def __init__(self, house: House, origins: Collection[str] = (), proxies: Collection[str] = ()) -> None:
        self._house = house
        self._metrics = Metrics(house)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._proxies = Proxies(proxies)

    def answer(self, request: Request, peer: str) -> Page | None:
        """The page a request asks for, or None if it asks for a websocket and may have one."""
        path = request.path.partition("?")[0]
        match path:
            case "/ws":
                return self._at_the_door(request)
            case "/livez":
                return plain(HTTPStatus.OK, "alive\n")
            case "/readyz":
                return self._readyz()
            case "/metrics":
                body, kind = self._metrics.page(", ".join(request.headers.get_all("Accept")))
                return _response(HTTPStatus.OK, kind, body)
        if found := _RACE.fullmatch(path):
            return self._race(found[1].lower())
        return plain(HTTPStatus.NOT_FOUND, "There is nothing here; the websocket is at /ws.\n")

    def is_proxy(self, peer: str) -> bool:
        """Whether it is a listed proxy, which speaks for many."""
        return peer in self._proxies

    def address_of(self, request: Request, peer: str) -> str:
        """Whose connection it is: the peer's, or the one a listed proxy says it forwards for."""
        if peer not in self._proxies:
            return peer
        forwarded = [part.strip() for value in request.headers.get_all("X-Forwarded-For") for part in value.split(",")]
        for address in reversed(forwarded):
            if address and address not in self._proxies:
                return address
        return peer

    def _at_the_door(self, request: Request) -> Response | None:
        if self._house.draining:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, "The server is going down; come back in a moment.\n")
        origins = request.headers.get_all("Origin")
        if not origins:
            return None
        hosts = request.headers.get_all("Host")
        origin = origins[0].lower()
        own = len(hosts) == 1 and origin in (f"http://{hosts[0].lower()}", f"https://{hosts[0].lower()}")
        if len(origins) == 1 and (own or origin in self._origins):
            return None
        return plain(HTTPStatus.FORBIDDEN, "Pages of this origin may not connect; see the setting `origins`.\n")

    async def _readyz(self) -> Response:
        if self._house.draining:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        try:
            async with asyncio.timeout(_CHECK_S):
                await self._house.log.check()
        except StorageError as error:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, f"log: {error}\n")
        except TimeoutError:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, f"log: it has not answered within {_CHECK_S:.0f} s\n")
        return plain(HTTPStatus.OK, "ready\n")

    async def _race(self, room: str) -> Response:
        try:
            answer = await self._house.replay(room)
        except StorageError:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, "The server cannot read its log right now; try again.\n")
        if answer is None:
            return plain(HTTPStatus.NOT_FOUND, "There is no finished race of this name.\n")
        return _response(HTTPStatus.OK, "application/json", msgspec.json.encode(answer))


def plain(status: HTTPStatus, text: str) -> Response:
    """A page of plain text."""
    return _response(status, "text/plain; charset=utf-8", text.encode())


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers()
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    headers["X-Content-Type-Options"] = "nosniff"
    return Response(status.value, status.phrase, headers, body)
