"""Settings: by flag before environment before default, each under its own name."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from stampede.server.__main__ import app
from stampede.server.settings import Settings


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
