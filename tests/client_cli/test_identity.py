"""Names, and the tokens that give seats back."""

import stat
from pathlib import Path

import pytest

from stampede.client_cli.failure import Failure
from stampede.client_cli.identity import Tokens, default_name, state_directory

URL = "ws://127.0.0.1:7117/ws"


def test_a_token_is_kept_for_its_server_and_name_alone(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.keep(URL, "Ada", "a" * 43)
    tokens.keep(URL, "Bob", "b" * 43)
    assert tokens.get(URL, "Ada") == "a" * 43
    assert tokens.get(URL, "Bob") == "b" * 43
    assert tokens.get("ws://elsewhere/ws", "Ada") is None


def test_no_one_else_can_read_it(tmp_path: Path) -> None:
    Tokens(tmp_path / "state").keep(URL, "Ada", "a" * 43)
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_later_token_replaces_the_earlier_one(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.keep(URL, "Ada", "a" * 43)
    tokens.keep(URL, "Ada", "c" * 43)
    assert tokens.get(URL, "Ada") == "c" * 43
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"token": 7}', "\xff"])
def test_a_damaged_file_is_no_token(tmp_path: Path, damaged: str) -> None:
    tokens = Tokens(tmp_path)
    tokens.keep(URL, "Ada", "a" * 43)
    (kept,) = (path for path in tmp_path.rglob("*") if path.is_file())
    kept.write_bytes(damaged.encode("latin-1"))
    assert tokens.get(URL, "Ada") is None


def test_where_nothing_can_be_kept_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Failure, match="Cannot keep the token"):
        Tokens(tmp_path / "file").keep(URL, "Ada", "a" * 43)


def test_the_name_is_the_environments_or_the_logins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_name({"STAMPEDE_NAME": "Ada"}) == "Ada"
    assert default_name({"STAMPEDE_NAME": "\x1b[1m" + "x" * 40}) == "[1m" + "x" * 21
    monkeypatch.setattr("getpass.getuser", lambda: "bob")
    assert default_name({}) == "bob"

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", nobody)
    assert default_name({}) == "player"


def test_the_state_directory_is_the_users_own() -> None:
    assert state_directory({"XDG_STATE_HOME": "/x/state"}) == Path("/x/state/stampede")
    assert state_directory({"XDG_STATE_HOME": "relative"}) == Path.home() / ".local/state/stampede"
