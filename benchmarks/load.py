"""The whole product under load: moves a second, CPU a move, latency; on each log, interleaved rounds.

python benchmarks/load.py [--quick] [--log memory: --log sqlite:{scratch}/race.db --log redis://...]
"""

import statistics
from typing import Annotated

import uvloop
from cyclopts import App, Parameter

from drive import drive, pin_to_last_core, server

WORKLOADS = {
    "closed, 50 rooms of 4": {"rooms": 50, "players": 4, "rate": None},
    "open, 250 rooms of 4 at 2/s": {"rooms": 250, "players": 4, "rate": 2.0},
    "big rooms, 10 of 50 at 1/s": {"rooms": 10, "players": 50, "rate": 1.0},
}

app = App(help=__doc__)


@app.default
def main(
    *,
    log: Annotated[list[str] | None, Parameter(negative="")] = None,
    rounds: int = 3,
    seconds: float = 4.0,
    quick: bool = False,
) -> None:
    """Print one table: medians over the rounds."""
    logs = log or ["memory:", "sqlite:{scratch}/race.db"]
    if quick:
        rounds, seconds = 1, 2.0
    pin_to_last_core()
    print("| workload | log | moves/s | CPU µs a move (min–max) | p50 ms | p99 ms | progress a move | RSS MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, shape in WORKLOADS.items():
        runs = {where: [] for where in logs}
        for _ in range(rounds):
            for where in logs:
                with server(where) as (process, port):
                    runs[where].append(uvloop.run(drive({process.pid: port}, seconds=seconds, **shape)))
        for where, of in runs.items():
            cpu = sorted(run.cpu_us_per_move for run in of)
            print(
                f"| {name} | {where.partition(':')[0]} | {statistics.median(run.moves / run.wall_s for run in of):.0f} "
                f"| {statistics.median(cpu):.0f} ({cpu[0]:.0f}–{cpu[-1]:.0f}) "
                f"| {statistics.median(run.latency_ms(0.5) for run in of):.2f} "
                f"| {statistics.median(run.latency_ms(0.99) for run in of):.2f} "
                f"| {statistics.median(run.progress / max(1, run.moves) for run in of):.2f} "
                f"| {statistics.median(run.rss_bytes for run in of) / 2**20:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    app()
