"""`solve`: three answers, each with what makes it true, for people and for programs."""

import json

import pytest

from stampede.client_cli.__main__ import run
from stampede.patience import game, notation
from stampede.patience.game import Game
from stampede.patience.solver import Grade
from stampede.patience.variants import parse_code

LOCKED = "KL1-D3V-AAAAAAB"


def solved(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["solve", *arguments, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    answer: dict[str, object] = json.loads(line)
    assert list(answer) == ["code", "answer", "line", "seconds", "grade"]
    return answer


def test_a_winnable_deal_comes_with_a_line_that_wins_it_and_its_grade(capsys: pytest.CaptureFixture[str]) -> None:
    answer = solved(capsys, "yu1-r-aaaaaab", "--budget", "60")
    assert (answer["code"], answer["answer"]) == ("YU1-R-AAAAAAB", "winnable")
    assert answer["grade"] in set(Grade)
    assert isinstance(answer["line"], list)
    end = game.replay(game.start_code(parse_code("YU1-R-AAAAAAB")), map(notation.read, answer["line"]))
    assert isinstance(end, Game)
    assert end.won


def test_an_unwinnable_deal_has_neither_line_nor_grade(capsys: pytest.CaptureFixture[str]) -> None:
    answer = solved(capsys, LOCKED)
    assert (answer["answer"], answer["line"], answer["grade"]) == ("unwinnable", [], None)


def test_a_spent_budget_leaves_it_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert solved(capsys, "YU1-C-AAAAAAH", "--budget", "0")["answer"] in ("open", "winnable")


def test_people_read_the_answer_and_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "YU1-R-AAAAAAB", "--budget", "60"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("YU1-R-AAAAAAB: winnable, ")
    assert rest[-1].endswith(" home")
    assert run(["solve", LOCKED]) == 0
    assert "lock each other in" in capsys.readouterr().out


def test_what_is_no_code_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "YU1-C"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "GAME-VARIANT-PAYLOAD" in captured.err
