"""Waking up: entries folded a second when a room is woken, and how soon a server with a long past is ready.

python benchmarks/wake.py [--quick]
"""

import asyncio
import secrets
import tempfile
import time
from pathlib import Path

import uvloop
from cyclopts import App

from drive import CARD, COLUMNS, DEAL, server
from stampede.protocol.commands import Settings
from stampede.server.log.opening import open_log
from stampede.server.log.port import Entry, entry_id
from stampede.server.race import facts
from stampede.server.race.room import fold, opened
from stampede.server.race.state import RoomState

app = App(help=__doc__)


def race(players: int, moves: int, *, finished: bool) -> list[bytes]:
    """The facts of a race in which everyone shuttles the same cards, and then gives up if it is to be over."""
    names = [secrets.token_hex(8) for _ in range(players)]
    settings = Settings(start="host", countdown_s=0, capacity=players)
    log: list[facts.RoomFact] = [facts.Opened(names[0], "gone.0", "p0", "bot", "racer", DEAL, settings)]
    log += [facts.Entered(name, f"gone.{i}", f"p{i}", "bot", "racer") for i, name in enumerate(names[1:], 1)]
    log.append(facts.Started(names[0], "gone.0"))
    for n in range(1, moves + 1):
        for i, name in enumerate(names):
            log.append(facts.Acted(name, f"gone.{i}", n, f"{CARD} {COLUMNS[1 - n % 2]}"))
    if finished:
        log += [facts.Forfeited(name, f"gone.{i}") for i, name in enumerate(names)]
    return [facts.encode(fact) for fact in log]


def fold_all(entries: list[Entry]) -> RoomState:
    """The room that entries come to, decoding included."""
    first = facts.decode(entries[0].fact)
    if not isinstance(first, facts.Opened):
        raise TypeError("a log begins with its opening")
    state = opened("bench", first, entries[0].time_ms)
    for entry in entries[1:]:
        state = fold(state, facts.decode(entry.fact), entry.time_ms).state
    return state


def _folded(written: list[bytes]) -> float:
    """Entries a second, decoding included."""
    entries = [Entry(entry_id(at), data) for at, data in enumerate(written)]
    began = time.perf_counter()
    fold_all(entries)
    return len(written) / (time.perf_counter() - began)


async def _woken(path: Path, players: int, moves: int) -> float:
    """Entries a second when one room is woken from a file: read, decoded, folded."""
    log = await open_log(f"sqlite:{path}", synchronous="NORMAL")
    await log.append("room:long", race(players, moves, finished=False))
    began = time.perf_counter()
    entries = await log.read("room:long")
    fold_all(entries)
    took = time.perf_counter() - began
    await log.close()
    return len(entries) / took


async def _fill(path: Path, finished: int, live: int) -> None:
    log = await open_log(f"sqlite:{path}", synchronous="NORMAL")
    over, going = race(4, 25, finished=True), race(4, 25, finished=False)
    for at in range(0, finished + live, 100):
        await asyncio.gather(
            *(
                log.append(f"room:bench{number}", over if number < finished else going)
                for number in range(at, min(at + 100, finished + live))
            )
        )
    await log.close()


@app.default
def main(*, quick: bool = False) -> None:
    """Print one table."""
    rate = max(_folded(race(4, 500 if quick else 5000, finished=True)) for _ in range(3))
    finished, live = (1000, 50) if quick else (10_000, 500)
    with tempfile.TemporaryDirectory() as scratch:
        woken = max(uvloop.run(_woken(Path(scratch) / f"{n}.db", 4, 500 if quick else 5000)) for n in range(3))
        path = Path(scratch) / "past.db"
        uvloop.run(_fill(path, finished, live))
        began = time.perf_counter()
        with server("memory:"):
            empty = time.perf_counter() - began
        began = time.perf_counter()
        with server(f"sqlite:{path}"):
            ready = time.perf_counter() - began
    print("| what | measured |")
    print("| --- | --- |")
    print(f"| entries folded a second (best of 3) | {rate:,.0f} |")
    print(f"| entries read from a file, decoded and folded a second (best of 3) | {woken:,.0f} |")
    print(f"| a server is ready, empty log in memory | {empty:.2f} s |")
    print(f"| a server is ready, {finished} finished and {live} live rooms in its file | {ready:.2f} s |")


if __name__ == "__main__":
    app()
