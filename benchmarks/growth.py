"""How cost grows: CPU a move from 1 to 1 000 rooms and from 2 to 100 racers a room, memory a room and an entry, and
what a race of 24 hours leaves in its file.

    python benchmarks/growth.py [--quick] [--picture PATH]

Prints tables, and draws the first into a picture, `benchmarks/out/growth.png` unless told otherwise.
"""

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import uvloop
from cyclopts import App

from drive import Run, drive, pin_to_last_core, scratch_file, seat, server
from stampede.server.log.opening import open_log
from wake import fold_all, race

MOVES_PER_S = 500
"""The same for every point, so that only the shape differs."""

app = App(help=__doc__)


async def _memory(pid: int, port: int, rooms: int) -> tuple[float, float]:
    """KiB of the server for each started room of four, and bytes for each further entry in its log."""
    process = psutil.Process(pid)
    empty = process.memory_info().rss
    run = Run(closed_loop=True)
    players = await seat(run, [port], rooms, 4, together=True)
    full = process.memory_info().rss
    run.playing = True
    for player in players:
        player.play()
    while run.moves < 200 * len(players):  # noqa: ASYNC110 - a benchmark may look at its watch
        await asyncio.sleep(0.1)
    before, moves = process.memory_info().rss, run.moves
    while run.moves - moves < 200 * len(players):  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    run.playing = False
    grown = process.memory_info().rss - before
    return (full - empty) / rooms / 1024, grown / (run.moves - moves)


async def _day(racers: int, every_s: float, hours: float) -> str:
    """What a long race costs: its file, and to wake it."""
    moves = int(hours * 3600 / every_s)
    facts = race(racers, moves, finished=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.db"
        log = await open_log(f"sqlite:{path}", synchronous="NORMAL")
        for at in range(0, len(facts), 10_000):
            await log.append("room:day", facts[at : at + 10_000])
        await log.close()
        size = path.stat().st_size
        log = await open_log(f"sqlite:{path}", synchronous="NORMAL")
        began = time.perf_counter()
        state = fold_all(await log.read("room:day"))
        took = time.perf_counter() - began
        await log.close()
    done = sum(seat.n for seat in state.seats.values())
    return (
        f"{racers} racers, one action each in {every_s:g} s for {hours:g} h: {done:,} actions, a file of "
        f"{size / 2**20:.1f} MiB ({size / len(facts):.0f} bytes an entry), awake after {took:.1f} s."
    )


def _point(shape: dict[str, Any], seconds: float) -> Run:
    with server("sqlite:{scratch}/race.db") as (process, port):
        return uvloop.run(drive({process.pid: port}, seconds=seconds, **shape))


@app.default
def main(*, quick: bool = False, picture: Path | None = None) -> None:
    """Print the table and draw the plot."""
    seconds = 2.0 if quick else 5.0
    pin_to_last_core()
    by_rooms = (1, 10, 100) if quick else (1, 3, 10, 30, 100, 300, 1000)
    by_racers = (2, 10, 50) if quick else (2, 5, 10, 20, 50, 100)
    print("| what grows | value | CPU µs a move | p99 ms | progress frames a move |")
    print("| --- | --- | --- | --- | --- |")
    curves: dict[str, tuple[list[int], list[float]]] = {"rooms of 2": ([], []), "racers in one room": ([], [])}
    for name, values in (("rooms of 2", by_rooms), ("racers in one room", by_racers)):
        for value in values:
            rooms, players = (value, 2) if name == "rooms of 2" else (1, value)
            run = _point({"rooms": rooms, "players": players, "rate": MOVES_PER_S / (rooms * players)}, seconds)
            curves[name][0].append(value)
            curves[name][1].append(run.cpu_us_per_move)
            print(
                f"| {name} | {value} | {run.cpu_us_per_move:.0f} | {run.latency_ms(0.99):.2f} "
                f"| {run.progress / max(1, run.moves):.2f} |",
                flush=True,
            )
    with server("sqlite:{scratch}/race.db") as (process, port):
        room_kib, entry_bytes = uvloop.run(_memory(process.pid, port, 50 if quick else 250))
    print(
        f"\nMemory: {room_kib:.0f} KiB a started room of four, connections included; {entry_bytes:.1f} bytes an entry."
    )
    print(uvloop.run(_day(4, 2.0, 2.4 if quick else 24.0)))
    _draw(curves, picture or scratch_file("growth.png"))


def _draw(curves: dict[str, tuple[list[int], list[float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    for plot, (name, (values, costs)) in zip(axes, curves.items(), strict=True):
        plot.plot(values, costs, marker="o")
        plot.set_xscale("log")
        plot.set_xticks(values, labels=[str(value) for value in values], minor=False)
        plot.minorticks_off()
        plot.set_xlabel(name)
        plot.grid(alpha=0.3)
    axes[0].set_ylim(0, 1.1 * max(cost for _, costs in curves.values() for cost in costs))
    axes[0].set_ylabel("server CPU, µs a move")
    figure.suptitle(f"{MOVES_PER_S} moves a second in all, SQLite log")
    figure.savefig(path, dpi=120)
    print(f"Drawn into {path}")


if __name__ == "__main__":
    app()
