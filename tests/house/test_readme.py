"""The README and the pages: what they tell to type can be typed, and their example races to the end."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cyclopts import App

from stampede.client_cli.app import command_line

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLE = ROOT / "examples" / "client.py"


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


def test_the_example_races_to_the_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stampede.server", "--port", "0", "--log", f"sqlite:{tmp_path / 'race.db'}"]
    environment = dict(os.environ, STAMPEDE_COMMANDS_PER_S="0", STAMPEDE_PROVERS="0", PYTHONPATH=str(ROOT / "src"))
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    racers: list[subprocess.Popen[str]] = []
    try:
        assert server.stdout is not None
        url = next(found[0] for line in server.stdout if (found := re.search(r"ws://[^\s\"]+/ws", line)))
        environment["STAMPEDE_URL"] = url
        command = [sys.executable, "-u", str(EXAMPLE)]
        first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        racers.append(first)
        assert first.stdout is not None
        room = next(found[1] for line in first.stdout if (found := re.search(r"is in room (\w+)", line)))
        racers.append(subprocess.Popen([*command, room], env=environment, stdout=subprocess.PIPE, text=True))
        said = [racer.communicate(timeout=120)[0] for racer in racers]
    finally:
        for process in (*racers, server):
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
    assert [racer.returncode for racer in racers] == [0, 0]
    for lines in said:
        assert len(re.findall(r"^\d\. Racer \d+: (?:finished|forfeited)", lines, re.MULTILINE)) == 2
