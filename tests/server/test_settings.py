"""Settings: by flag before environment before file before default, each under its own name."""

import dataclasses
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cyclopts import CycloptsError

import stampede
from stampede.server import journal
from stampede.server.__main__ import app, main
from stampede.server.app import redis_password
from stampede.server.log.port import LogUnusable
from stampede.server.settings import Settings, masked
from stampede.server.sources import NAMES, NOT_OURS


def settings(*flags: str) -> Settings:
    """What the program would run with."""
    _, bound, _ = app.parse_args(flags, exit_on_error=False, print_error=False)
    (given,) = bound.args or bound.kwargs.values() or (Settings(),)
    assert isinstance(given, Settings)
    return given


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in dataclasses.fields(Settings):
        monkeypatch.delenv(f"STAMPEDE_{field.name.upper()}", raising=False)


def test_without_any_there_are_defaults() -> None:
    assert settings() == Settings()
    assert (Settings().host, Settings().port, Settings().log) == ("127.0.0.1", 7117, "sqlite:stampede.db")


@pytest.mark.parametrize(
    ("flag", "environment", "text", "value"),
    [
        ("--host", "STAMPEDE_HOST", "::1", "::1"),
        ("--port", "STAMPEDE_PORT", "0", 0),
        ("--log", "STAMPEDE_LOG", "memory:", "memory:"),
        ("--commands-per-s", "STAMPEDE_COMMANDS_PER_S", "0", 0),
        ("--connections-per-address", "STAMPEDE_CONNECTIONS_PER_ADDRESS", "7", 7),
        ("--rooms-per-player", "STAMPEDE_ROOMS_PER_PLAYER", "7", 7),
        ("--watchers-per-room", "STAMPEDE_WATCHERS_PER_ROOM", "7", 7),
        ("--origins", "STAMPEDE_ORIGINS", "https://play.example", ("https://play.example",)),
    ],
)
def test_each_is_set_by_flag_or_by_environment(
    flag: str, environment: str, text: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = flag.removeprefix("--").replace("-", "_")
    assert getattr(settings(flag, text), name) == value
    monkeypatch.setenv(environment, text)
    assert getattr(settings(), name) == value


def test_a_flag_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAMPEDE_PORT", "1")
    assert settings("--port", "2").port == 2


def test_what_is_no_setting_or_no_number_is_refused() -> None:
    refused: Iterable[tuple[str, ...]] = (("--colour", "red"), ("--port", "high"), ("--port",), ("surplus", "more"))
    for flags in refused:
        with pytest.raises(Exception) as error:  # noqa: PT011 (the library's own tree of errors)
            settings(*flags)
        assert type(error.value).__module__.startswith("cyclopts")


def test_the_limits_are_those_of_the_settings() -> None:
    limits = Settings(commands_per_s=1, connections_per_address=2, rooms_per_player=3, watchers_per_room=4).limits()
    assert (limits.commands_per_s, limits.commands_burst) == (1, 2)
    assert (limits.connections_per_address, limits.rooms_per_player, limits.watchers_per_room) == (2, 3, 4)


def test_the_help_tells_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    app.help_print()
    told = capsys.readouterr().out
    for field in dataclasses.fields(Settings):
        assert f"STAMPEDE_{field.name.upper()}" in "".join(told.split()).replace("│", "") or field.name in told


# Where values come from


class Program:
    """The program, run in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        self._monkeypatch.setattr(sys, "argv", ["stampede-server", *arguments])
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
        output, errors = self._capsys.readouterr()
        return int(ended.value.code or 0), output, errors


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    monkeypatch.setattr(journal, "open_journal", lambda *_: None)  # this process has one journal for all tests
    return Program(monkeypatch, capsys)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "stampede.toml"
    monkeypatch.setenv("STAMPEDE_CONFIG", str(path))
    return path


def test_a_file_comes_after_flags_and_environment_and_before_defaults(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text('port = 1\nhost = "file"\nlog = "memory:"\norigins = ["https://a.example", "https://b.example"]\n')
    monkeypatch.setenv("STAMPEDE_HOST", "environment")
    given = settings("--port", "2")
    assert (given.port, given.host, given.log) == (2, "environment", "memory:")
    assert given.origins == ("https://a.example", "https://b.example")
    assert given.retention_days == Settings().retention_days


def test_every_setting_can_be_given_in_the_file(file: Path) -> None:
    for field in dataclasses.fields(Settings):
        if field.name == "config":
            continue
        value = getattr(Settings(), field.name)
        text = str(value) if isinstance(value, int) else repr(list(value)) if isinstance(value, tuple) else f"'{value}'"
        file.write_text(f"{field.name} = {text}\n")
        settings()


@pytest.mark.parametrize(
    ("content", "culprits"),
    [
        ("prot = 1", ["prot", "Did you mean port?"]),
        ("config = 'x'", ["config"]),
        ("nonsense = 1", ["nonsense", "--help"]),
        ("commands-per-s = 1", ["commands-per-s", "commands_per_s"]),
        ("port = 'high'", ["port", "high"]),
        ("port = 65536", ["port", "65536"]),
        ("retention_days = -1", ["retention_days", "-1"]),
        ("synchronous = 'OFF'", ["synchronous", "OFF", "FULL"]),
        ("log_level = 'loud'", ["log_level", "loud"]),
        ("origins = ['example.org']", ["example.org"]),
        ("proxies = ['balancer']", ["balancer", "10.0.0.0/24"]),
        ("[port]\nnumber = 1", ["port", "table"]),
        ("[server]\nport = 1", ["server"]),
        ("port = 1 2", ["TOML", "line 1"]),
    ],
)
def test_what_is_wrong_in_the_file_is_named(file: Path, content: str, culprits: list[str]) -> None:
    file.write_text(content)
    with pytest.raises(CycloptsError) as error:
        settings()
    for culprit in culprits:
        assert culprit in str(error.value)


def test_a_file_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(CycloptsError, match=f"{file}.*no such file"):
        settings()


def test_a_misspelt_variable_is_refused_and_those_of_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NOT_OURS:
        monkeypatch.setenv(name, "x")
    assert settings() == Settings()
    monkeypatch.setenv("STAMPEDE_ROOM_PER_PLAYER", "1")
    with pytest.raises(CycloptsError, match=r"STAMPEDE_ROOM_PER_PLAYER.*mean STAMPEDE_ROOMS_PER_PLAYER\?"):
        settings()


def test_no_variable_of_the_project_is_taken_for_a_misspelt_one() -> None:
    source = Path(stampede.__file__).parent
    used = {
        name
        for path in source.rglob("*.py")
        if source / "server" not in path.parents
        for name in re.findall(r"\bSTAMPEDE_[A-Z_]+\b", path.read_text())
    }
    assert used <= NOT_OURS | {f"STAMPEDE_{name.upper()}" for name in NAMES}


@pytest.mark.parametrize(
    ("arguments", "environment", "culprit"),
    [
        (("--prot", "1"), {}, "--port"),
        (("--port", "high"), {}, "--port"),
        (("surplus",), {}, "no command 'surplus'"),
        (("docter",), {}, "config, doctor, health"),
        ((), {"STAMPEDE_PORT": "-1"}, "STAMPEDE_PORT"),
        ((), {"STAMPEDE_NONSENSE": "1"}, "STAMPEDE_NONSENSE"),
        ((), {"STAMPEDE_CONFIG": "/nowhere.toml"}, "/nowhere.toml"),
        (("--log", "memory:", "--redis-password-file", "/nowhere"), {}, "/nowhere"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(
    arguments: tuple[str, ...], environment: dict[str, str], culprit: str, told: Program
) -> None:
    code, _, errors = told(*arguments, **environment)
    assert code == 2
    assert culprit in errors
    assert len(errors.splitlines()) == 1


def test_the_password_in_an_address_is_not_told(told: Program) -> None:
    for log in (
        "redsi://ann:sesame@h/0",
        "redis://:sesame@127.0.0.1:1/0",
        "redis://127.0.0.1:1/0?password=sesame",
    ):
        code, output, errors = told("--port", "0", "--log", log)
        assert code == 2
        assert errors
        assert "sesame" not in output + errors


def test_config_shows_each_value_and_where_it_comes_from(tmp_path: Path, told: Program) -> None:
    file = tmp_path / "stampede.toml"
    file.write_text("rooms_per_player = 3\norigins = ['https://a.example']\n")
    code, output, _ = told(
        "config", "--port", "7501", "--config", str(file),
        STAMPEDE_LOG="redis://ann:sesame@redis.example:6379/1", STAMPEDE_PROXIES="10.0.0.1 10.0.0.2",
    )  # fmt: skip
    assert code == 0
    lines = {line.split(" ", 1)[0]: line for line in output.splitlines()}
    assert lines["port"].endswith("# flag --port")
    assert lines["log"].endswith("# environment STAMPEDE_LOG")
    assert lines["rooms_per_player"].endswith(f"# file {file}")
    assert lines["host"].endswith("# default")
    assert "sesame" not in output
    shown = tomllib.loads(output)
    assert shown["log"] == "redis://ann:***@redis.example:6379/1"
    assert shown["proxies"] == ["10.0.0.1", "10.0.0.2"]
    assert {*shown, "redis_password_file", "config"} == set(NAMES)
    assert f'# config = "{file}"' in output


def test_what_config_shows_can_serve_as_the_file(tmp_path: Path, told: Program) -> None:
    file, copy = tmp_path / "stampede.toml", tmp_path / "copy.toml"
    file.write_text("port = 7502\n")
    _, output, _ = told("config", "--config", str(file))
    copy.write_text(output)
    code, again, errors = told("config", "--config", str(copy))
    assert (code, errors) == (0, "")
    assert tomllib.loads(again) == tomllib.loads(output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://h/0", "redis://h/0"),
        ("redis://:p@h:1/0", "redis://:***@h:1/0"),
        ("rediss://ann:p@ss:w/rd@h", "rediss://ann:***@h"),
        ("redis://h/0?db=1&password=p&x=y", "redis://h/0?db=1&password=***&x=y"),
        ("sqlite:a@b.db", "sqlite:a@b.db"),
        ("the log redis://ann:p@h is away", "the log redis://ann:***@h is away"),
    ],
)
def test_passwords_are_masked(text: str, shown: str) -> None:
    assert masked(text) == shown


def test_a_password_may_be_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("open sesame\n")
    assert redis_password(path) == "open sesame"
    assert redis_password(None) is None
    path.write_text("\n")
    with pytest.raises(LogUnusable, match="empty"):
        redis_password(path)
    path.write_bytes(b"\xff")
    with pytest.raises(LogUnusable, match="UTF-8"):
        redis_password(path)
