"""What is typed, and what is meant."""

import pytest

from stampede.client_cli import typed
from stampede.client_cli.typed import FindPlace, Ready, Say, Unclear, WhereTo, Word, understood
from stampede.patience.game import Draw, Move, Undo


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("td 5", Move("TD", "5")),
        ("  TD   5 ", Move("TD", "5")),
        ("10d 5", Move("TD", "5")),
        ("t♦ 5", Move("TD", "5")),
        ("as home", Move("AS", "home")),
        ("as h", Move("AS", "home")),
        ("AS HOME", Move("AS", "home")),
        ("td", FindPlace("TD")),
        ("?td", WhereTo("TD")),
        ("? td", WhereTo("TD")),
        ("u", Undo()),
        ("undo", Undo()),
        ("d", Draw()),
        ("draw", Draw()),
        ("ff", Word("forfeit")),
        ("ready", Ready(True)),
        ("unready", Ready(False)),
        ("start", Word("start")),
        ("say hello there", Say("hello there")),
        ("SAY Hello", Say("Hello")),
        ("rematch", Word("rematch")),
        ("help", Word("help")),
        ("?", Word("help")),
        ("quit", Word("quit")),
        ("", Word("show")),
    ],
)
def test_every_form_is_understood(line: str, meant: typed.Typed) -> None:
    assert understood(line) == meant


@pytest.mark.parametrize(
    "line", ["xx", "1d 5", "td 8", "td 0", "td foundation", "?", "? xx", "say", "d 5", "11h", "\x1b[A"]
)
def test_what_is_unclear_gets_a_sentence(line: str) -> None:
    meant = understood(line)
    assert isinstance(meant, Unclear) or meant == Word("help")
    if isinstance(meant, Unclear):
        assert len(meant.text) > 15


def test_help_tells_every_word() -> None:
    for word in ("td 5", "as home", "?td", "d ", "u ", "ff", "ready", "start", "say", "rematch", "quit"):
        assert f"\n{word}" in f"\n{typed.HELP}"
