"""The command line: flags, help, exit codes, and a sentence for every mistake."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stampede.client_cli.__main__ import run
from stampede.client_cli.app import command_line
from stampede.client_cli.options import RoomOptions, Who
from stampede.protocol.commands import Settings

COMMANDS = ("host", "join", "watch", "rooms", "bot", "deal", "replay", "verify", "race")


def bound(*arguments: str) -> dict[str, Any]:
    """What a command line comes to."""
    _, arguments_, _ = command_line().parse_args(list(arguments), exit_on_error=False, print_error=False)
    return dict(arguments_.arguments)


def test_every_setting_of_a_room_has_its_flag() -> None:
    which = ["--sealed", "--no-winnable", "--grade=hard", "--listed", "--no-bots", "--no-chat", "--start=host"]
    numbers = ["--undo=3", "--capacity=2", "--countdown-s=0", "--limit-s=60", "--tail-s=0"]
    texts = ["--passphrase=sesame", "--title=Friday"]
    settings = bound("host", "YU1-C", *which, *numbers, *texts)["options"].settings()
    assert settings == Settings(
        sealed=True,
        winnable=False,
        grade="hard",
        undo=3,
        capacity=2,
        countdown_s=0,
        start="host",
        limit_s=60,
        tail_s=0,
        listed=True,
        passphrase="sesame",
        bots=False,
        chat=False,
        title="Friday",
    )
    assert set(RoomOptions.__dataclass_fields__) == {field.name for field in msgspec.structs.fields(Settings)}


def test_what_is_not_said_is_as_the_protocol_has_it() -> None:
    assert RoomOptions().settings() == Settings()


def test_the_server_and_the_name_come_from_flags_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAMPEDE_URL", "ws://there/ws")
    monkeypatch.setenv("STAMPEDE_NAME", "Ada")
    assert bound("join", "R1", "--fresh")["who"] == Who(url="ws://there/ws", name="Ada", fresh=True)
    assert bound("join", "R1", "--url", "ws://here/ws", "--name", "Bob")["who"] == Who(url="ws://here/ws", name="Bob")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"Usage: stampede {command}")


def test_the_help_tells_all_commands_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    told = capsys.readouterr().out
    for word in (*COMMANDS, "Exit codes"):
        assert word in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["frob"], "Unknown command"),
        (["join"], "requires an argument"),
        (["join", "R1", "--bogus"], "--bogus"),
        (["host", "YU1-C", "--undo", "101"], "--undo"),
        (["host", "YU1-C", "--undo", "few"], "--undo"),
        (["host", "YU1-C", "--start", "now"], "--start"),
        (["bot", "R1", "--pace", "-1"], "--pace"),
        (["replay", "R1", "--speed", "-1"], "--speed"),
        (["deal", "YU1"], "A deal code is"),
        (["deal", "YU1-C-A"], "7 symbols"),
        (["rooms", "--url", "http://here"], "ws://127.0.0.1:7117/ws"),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_code_2(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.startswith("stampede: ")
    assert captured.out == ""


@pytest.mark.parametrize("command", ["rooms", "host", "join", "watch", "bot", "verify", "replay"])
def test_no_server_is_a_sentence_and_exit_code_1(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    what = {"rooms": [], "host": ["YU1-C"]}.get(command, ["R1"])
    assert run([command, *what, "--url", "ws://127.0.0.1:1/ws"]) == 1
    assert capsys.readouterr().err == "stampede: Cannot reach ws://127.0.0.1:1/ws: nothing is listening there.\n"


def test_files_that_are_no_replays_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    for content in ("", "[]", "{}", '{"version": 2}', json.dumps({"room": 7}), "[" * 100_000):
        other.write_text(content)
        assert run(["verify", str(other)]) == 1
        assert "other.json" in capsys.readouterr().err
    assert run(["verify", str(tmp_path / "none.json")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_deal_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deal", "kl1-d3v-aaaaaab"]) == 0
    assert capsys.readouterr().out.startswith("KL1-D3V-AAAAAAB: Klondike, draw 3, Vegas\nscore -$52")
