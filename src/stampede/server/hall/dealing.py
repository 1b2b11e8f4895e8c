"""Dealing: drawing a room's deal, and keeping whoever opens it told while that takes its time."""

import asyncio
from typing import Final, Protocol

import structlog

from stampede.patience.codes import Code
from stampede.patience.variants import CATALOGUE
from stampede.protocol.commands import Settings
from stampede.protocol.events import Dealing, Event
from stampede.protocol.problems import Code as ProblemCode
from stampede.protocol.problems import Problem
from stampede.server.hall.dealer import Dealer

_SOON_S: Final = 0.25
"""What takes no longer is not spoken of."""
_NEWS_S: Final = 1.0
_AT_MOST_S: Final = 120.0
"""Longer than any deal takes to be proven: by then the provers have failed."""

_NO_DEAL: Final = Problem(
    ProblemCode.SERVER_NO_DEAL,
    "No deal has been proven winnable in time; nothing was done. Try again later, or ask for another grade, or for a "
    "deal that is not proven (winnable: false).",
    retry_ms=60_000,
)

_logger = structlog.get_logger()


class Opener(Protocol):
    """Who waits for a deal."""

    def answer(self, event: Event) -> None:
        """Hear how it goes."""


async def dealt(dealer: Dealer, opener: Opener, variant: str, settings: Settings) -> Code | Problem:
    """A fresh deal as the settings say, `winnable` decided in them; or the problem that none came."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    told: asyncio.TimerHandle | None = None

    def tell() -> None:
        nonlocal told
        opener.answer(Dealing(variant=variant, waited_ms=round((loop.time() - began) * 1000)))
        told = loop.call_later(_NEWS_S, tell)

    told = loop.call_later(_SOON_S, tell)
    try:
        async with asyncio.timeout(_AT_MOST_S):
            return await dealer.deal(
                CATALOGUE[variant],
                sealed=settings.sealed,
                winnable=settings.winnable is True,
                grade=settings.grade,
            )
    except TimeoutError:
        _logger.warning("no_deal", variant=variant, grade=settings.grade, waited_s=round(loop.time() - began))
        return _NO_DEAL
    finally:
        told.cancel()
