"""The README and the pages: what they tell to type can be typed, and their example races to the end."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cyclopts import App

from stampede.client_cli.app import command_line
from stampede.protocol.commands import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLE = ROOT / "examples" / "client.py"
COUNTDOWN_S = Settings().countdown_s


def typed(text: str, program: str) -> list[str]:
    """The command lines of a program in a text, in blocks or in backquotes, without their comments."""
    lines = re.findall(rf"^ *(?:\$ )?({program} .*)$", text, re.MULTILINE) + re.findall(rf"`({program} [^`]*)`", text)
    return [line.split(" #")[0].strip() for line in lines]


def test_the_client_in_the_readme_is_the_example() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks == [EXAMPLE.read_text("utf-8")]


def test_the_table_in_the_readme_is_that_of_the_deal() -> None:
    (told,) = re.findall(r"^home  -.*?(?=^```)", README, re.DOTALL | re.MULTILINE)
    (line,) = re.findall(r"`(stampede deal [^`]*)`", README)
    command = [sys.executable, "-m", "stampede.client_cli", *line.split()[1:]]
    environment = dict(os.environ, NO_COLOR="1", PYTHONIOENCODING="utf-8", LANG="C.UTF-8", PYTHONPATH=str(ROOT / "src"))
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
    printed = [row.rstrip() for row in done.stdout.splitlines()]
    assert told.splitlines() == printed[2:]


def test_every_make_target_in_the_readme_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    told = {line.split()[1] for line in typed(README, "make")}
    assert told >= {"race", "test"}
    assert told <= targets


@pytest.mark.parametrize("line", typed(README, "stampede"))
def test_every_command_in_the_readme_is_understood(line: str) -> None:
    understood(command_line(), line)


@pytest.mark.parametrize("line", typed(README, "stampede-server"))
def test_every_server_command_in_the_readme_is_understood(line: str) -> None:
    from stampede.server.__main__ import app

    understood(app, line)


def understood(app: App, line: str) -> None:
    """Take a line apart as the program does, without running it; raises if it would be refused."""
    app.parse_args(shlex.split(line)[1:], exit_on_error=False, print_error=False)


def test_the_example_races_to_the_end_whatever_happens_to_the_server(tmp_path: Path) -> None:
    log = f"sqlite:{tmp_path / 'race.db'}"
    # Slow at first, so that the race is not over before the server is killed in its midst.
    server, url = serve(log, 0, STAMPEDE_COMMANDS_PER_S="10")
    racers: list[subprocess.Popen[str]] = []
    try:
        command = [sys.executable, "-u", str(EXAMPLE)]
        environment = dict(os.environ, STAMPEDE_URL=url)
        first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        racers.append(first)
        assert first.stdout is not None
        room = next(found[1] for line in first.stdout if (found := re.search(r"is in room (\w+)", line)))
        racers.append(subprocess.Popen([*command, room], env=environment, stdout=subprocess.PIPE, text=True))
        time.sleep(COUNTDOWN_S + 1.5)
        end(server)
        server, _ = serve(log, int(url.rpartition(":")[2].removesuffix("/ws")), STAMPEDE_COMMANDS_PER_S="0")
        said = [racer.communicate(timeout=120)[0] for racer in racers]
    finally:
        for process in (*racers, server):
            end(process)
    assert [racer.returncode for racer in racers] == [0, 0]
    for came, lines in zip((0, 1), said, strict=True):  # the first one's first line has been read above
        assert lines.count(f"is in room {room}") > came, "it came back"
        assert len(re.findall(r"^\d\. Racer \d+: (?:finished|forfeited)", lines, re.MULTILINE)) == 2


def test_the_example_says_why_it_cannot_connect() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"ws://127.0.0.1:{taken.getsockname()[1]}/ws"
    environment = dict(os.environ, STAMPEDE_URL=url)
    racer = subprocess.Popen([sys.executable, str(EXAMPLE)], env=environment, stderr=subprocess.PIPE, text=True)
    assert racer.stderr is not None
    try:
        assert racer.stderr.readline().startswith(f"{url}: ")
        assert racer.poll() is None, "it tries again"
    finally:
        racer.stderr.close()
        end(racer)


def serve(log: str, port: int, **settings: str) -> tuple[subprocess.Popen[str], str]:
    """A server process, and its address."""
    command = [sys.executable, "-m", "stampede.server", "--port", str(port), "--log", log]
    environment = dict(os.environ, STAMPEDE_PROVERS="0", PYTHONPATH=str(ROOT / "src"), **settings)
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    return server, next(found[0] for line in server.stdout if (found := re.search(r"ws://[^\s\"]+/ws", line)))


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process, as `kill -9` does, and let nothing of it be left."""
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
