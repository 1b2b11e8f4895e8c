"""The page for operators: every setting, metric and event is on it, as it is; its back-ups can be restored."""

import ast
import os
import re
import shutil
import signal
import subprocess
import time
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from e2e.ledger import Racer, begin
from e2e.servers import PATIENCE_S, Server
from server.hall.company import Company
from server.hall.timelapse import in_no_time
from server.log.redis_server import RedisServer, binaries
from server.race.story import CODE, lines
from stampede.server.gate.metrics import Metrics
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.stock import Kind, Stock
from stampede.server.settings import Settings
from stampede.server.sources import NAMES, NOT_OURS

HOUSE = Path(__file__).parents[2]
PAGE = (HOUSE / "docs" / "operating.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = re.split(rf"^#+ {heading}$", PAGE, flags=re.MULTILINE)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[0].splitlines()[2:]]


def unquoted(cell: str) -> str:
    return cell.strip().strip("`")


def block(name: str) -> str:
    found = re.search(rf"^```sh {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_every_setting_is_on_it_with_its_default() -> None:
    told = {unquoted(row[0]): unquoted(row[1]) for row in rows("Settings")}
    assert list(told) == list(NAMES)
    for field in fields(Settings):
        if told[field.name] == "not set":
            assert field.default is None
        else:
            value = tomllib.loads(f"x = {told[field.name]}")["x"]
            assert value == (list(field.default) if isinstance(field.default, tuple) else field.default)
    assert all(name in PAGE for name in NOT_OURS)


@in_no_time
async def test_every_metric_is_on_it_with_its_kind_and_labels() -> None:
    async with Company() as company:
        company.house.tally.refuse("move.kings_only")
        company.house.dealer = Dealer(Stock([], size=1, kinds=[Kind("YU1-C", None)], clock=time.monotonic))
        text = Metrics(company.house).page()[0].decode()
    there = {}
    for family in text_string_to_metric_families(text):
        if family.name.startswith("stampede_"):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            there[name] = family.type, {label for sample in family.samples for label in sample.labels}
    told = {unquoted(row[0]): (row[1], set(re.findall(r"`(\w+)`", row[2]))) for row in rows("Metrics")}
    assert told == there


def test_every_event_of_the_journal_is_on_it() -> None:
    there: dict[str, set[str]] = {}
    for path in (HOUSE / "src" / "stampede" / "server").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="_logger"), attr=level), args=[ast.Constant(value=event), *_]
                ):
                    there.setdefault(event, set()).add("error" if level == "exception" else level)
    told = {unquoted(row[0]): set(row[1].split(", ")) for row in rows("The journal")}
    assert told == there


def test_what_it_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (HOUSE / "docs" / target).exists(), target


def test_its_settings_file_is_one(tmp_path: Path) -> None:
    [example] = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert set(tomllib.loads(example)) <= set(NAMES)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_the_service_unit_is_understood(tmp_path: Path) -> None:
    unit = tmp_path / "stampede.service"
    unit.write_text(
        re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", (HOUSE / "deploy" / unit.name).read_text(), flags=re.MULTILINE)
    )
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert str(unit) not in done.stderr, done.stderr


class Shell:
    """Runs the page's commands, with its folders where a test has them, and services that are the test's to manage."""

    def __init__(self, tmp_path: Path, folders: dict[str, Path], port: int = 0) -> None:
        self._folders = folders | {"/backup": tmp_path / "backup"}
        for folder in self._folders.values():
            folder.mkdir(exist_ok=True)
        self._bin = tmp_path / "bin"
        self._bin.mkdir()
        for name, line in (
            ("systemctl", ":"),
            ("redis-cli", f'exec {shutil.which("redis-cli")} -p {port} "$@"'),
        ):
            program = self._bin / name
            program.write_text(f"#!/bin/sh\n{line}\n")
            program.chmod(0o755)

    def run(self, script: str) -> str:
        for folder, here in self._folders.items():
            script = script.replace(f"{folder}/", f"{here}/")
        environment = os.environ | {"PATH": f"{self._bin}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-euc", script], env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="no sqlite3 here")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
async def test_a_sqlite_log_is_restored_by_its_commands(end: signal.Signals, tmp_path: Path) -> None:
    racer = Racer("Ann", CODE, lines()[CODE])
    data = tmp_path / "data"
    shell = Shell(tmp_path, {"/var/lib/stampede": data})
    log = f"sqlite:{data / 'stampede.db'}"
    with Server("--log", log) as server:
        await begin([racer], [server.url], capacity=1)
        await racer.run(lambda: racer.acknowledged == 10)
        server._process.send_signal(end)
        server.wait()
    shell.run(block("backup-sqlite"))
    with Server("--log", log) as server:
        await racer.come_back(server.url)
        await racer.run(lambda: racer.acknowledged == 20)
        server.kill()
    assert shell.run(block("restore-sqlite")) == "ok\n"
    with Server("--log", log) as server:
        await racer.arrive(server.url)
        await racer.client.join(racer.room)
        await racer.client.wait("board")
        racer.lose_tail()
        assert racer.acknowledged == 10
        await racer.run()
        await racer.close()


@pytest.mark.skipif(not shutil.which("redis-cli"), reason="no redis-cli here")
@pytest.mark.parametrize("name", sorted(binaries()))
async def test_a_redis_log_is_restored_by_its_commands(name: str, tmp_path: Path) -> None:
    racer = Racer("Ann", CODE, lines()[CODE])
    data = tmp_path / "data"
    data.mkdir()
    redis = RedisServer(binaries()[name], data)
    redis.start()
    shell = Shell(tmp_path, {"/var/lib/redis": data}, redis.port)
    try:
        with Server("--log", redis.url) as server:
            await begin([racer], [server.url], capacity=1)
            await racer.run(lambda: racer.acknowledged == 10)
            shell.run(block("backup-redis"))
            await racer.run(lambda: racer.acknowledged == 20)
            redis.kill(signal.SIGTERM)
            shell.run(block("restore-redis"))
            racer.client.heard.clear()
            redis.start()
            await racer.client.wait("board")
            racer.lose_tail()
            assert racer.acknowledged == 10
            await racer.run()
            await racer.close()
    finally:
        redis.kill()
