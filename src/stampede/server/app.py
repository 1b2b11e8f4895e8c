"""The app: the only place where everything is wired together."""

import asyncio
import gc
import signal
import time
from ipaddress import ip_address
from pathlib import Path

import structlog

from stampede import __version__
from stampede.server.gate.door import Door
from stampede.server.gate.pages import Pages
from stampede.server.gate.sockets import bound
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.house import House
from stampede.server.hall.prover_process import ProverProcess
from stampede.server.hall.stock import Kind, Stock
from stampede.server.hall.sweeper import Sweeper
from stampede.server.log.opening import open_log
from stampede.server.log.port import LogUnusable
from stampede.server.settings import Settings, masked

_logger = structlog.get_logger()


async def serve(settings: Settings) -> None:
    """Run a server until SIGTERM or SIGINT, and then see everyone out.

    Raises `LogUnusable` or `CannotListen`, each with one sentence for the operator.
    """
    sockets = await bound(settings.host, settings.port)
    try:
        log = await open_log(
            settings.log,
            synchronous=settings.synchronous,
            password=redis_password(settings.redis_password_file),
            prefix=settings.redis_prefix,
        )
    except BaseException:
        for opened in sockets:
            opened.close()
        raise
    stock = _stock(settings)
    sweeper: Sweeper | None = None
    try:
        house = House(log, settings.limits(), f"stampede/{__version__}", Dealer(stock))
        await house.start()
        if stock is not None:
            stock.start()
        if settings.retention_days:
            sweeper = Sweeper(log, house.rooms, settings.retention_days)
            sweeper.start()
        door = Door(house, Pages(house, settings.origins, settings.proxies))
        port = await door.listen(sockets)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        if warning := open_to_the_world(settings):
            _logger.warning("no_origins", warning=warning)
        _spare_the_collector()
        _logger.info("listening", url=f"ws://{settings.host}:{port}/ws", log=masked(settings.log), node=house.node)
        await stop.wait()
        _logger.info("going_down", connections=house.connections)
        if sweeper is not None:
            sweeper.stop()
        await door.see_out()
        await house.close()
    finally:
        if stock is not None:
            await stock.close()
        await log.close()
    _logger.info("down")


def redis_password(path: Path | None) -> str | None:
    """The password in a file, without the end of its line. Raises `LogUnusable`."""
    if path is None:
        return None
    try:
        password = path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or str(error)).lower() if isinstance(error, OSError) else "it is not UTF-8"
        raise LogUnusable(f"The Redis password file {path} cannot be read: {reason}.") from None
    if not password:
        raise LogUnusable(f"The Redis password file {path} is empty.")
    return password


def open_to_the_world(settings: Settings) -> str | None:
    """What an operator should know who lets others in from outside and has not said whose pages may connect."""
    if settings.origins or settings.host == "localhost":
        return None
    try:
        if ip_address(settings.host.partition("%")[0]).is_loopback:
            return None
    except ValueError:
        pass  # a name: whose it is, only its resolver knows
    return (
        f"Listening on {settings.host} without a list of origins: only pages from this server's own address, and "
        "programs that are no browsers, can connect. If pages of other sites should, list them in --origins."
    )


def _stock(settings: Settings) -> Stock | None:
    if settings.provers < 1:
        return None
    return Stock(
        [ProverProcess() for _ in range(settings.provers)],
        size=settings.stock,
        kinds=[Kind(variant, None) for variant in settings.stocked],
        clock=time.monotonic,
    )


def _spare_the_collector() -> None:
    """Keep Python's cycle collector off the way of moves.

    What is here at the start stays for good, and need not be looked at again. Of what comes later nearly all goes by
    counting references alone; the collector looks at it less often than by default, and at all of it rarely.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 1000)
