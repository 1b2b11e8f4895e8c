"""The processes that prove sealed deals: there while the server is, of low priority, and never left behind."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from .servers import PATIENCE_S, Server, command, environment


def provers(server: Server, number: int = 1) -> list[psutil.Process]:
    """The server's own processes, once there are so many that have begun their work."""
    found: list[psutil.Process] = []

    def begun() -> bool:
        found[:] = psutil.Process(server._process.pid).children()
        return len(found) == number and all(process.nice() > 0 for process in found)

    _until(begun)
    return found


def _until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.01)


def test_they_end_with_the_server_that_is_asked_to_end() -> None:
    with Server("--log", "memory:", "--provers", "2") as server:
        processes = provers(server, 2)
        server.terminate()
        assert server.wait() == 0
        assert psutil.wait_procs(processes, timeout=PATIENCE_S)[1] == []


def test_they_end_by_themselves_when_the_server_is_killed() -> None:
    with Server("--log", "memory:", "--provers", "1") as server:
        processes = provers(server)
        server.kill()
        assert psutil.wait_procs(processes, timeout=PATIENCE_S)[1] == []


def test_they_hold_neither_the_street_door_nor_the_log(tmp_path: Path) -> None:
    with Server("--log", f"sqlite:{tmp_path / 'race.db'}", "--provers", "1") as server:
        (prover,) = provers(server)
        held = [os.readlink(link) for link in Path(f"/proc/{prover.pid}/fd").iterdir() if link.is_symlink()]
        assert held
        assert not [name for name in held if str(tmp_path) in name]
        assert not prover.net_connections("tcp")


def test_with_none_of_them_the_server_has_no_other_process() -> None:
    with Server("--log", "memory:", "--provers", "0") as server:
        assert server.page("/healthz")[0] in (200, 404)
        assert psutil.Process(server._process.pid).children() == []


def test_a_variant_that_cannot_be_kept_in_stock_is_refused_at_the_start() -> None:
    done = subprocess.run(
        command("--stocked", "KL1-D1V"), env=environment({}), capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode != 0
