"""`deal`: the table of a code, or of a fresh deal, proven if that is wanted."""

import pytest

from stampede.client_cli.__main__ import run
from stampede.patience import catalogue
from stampede.patience.codes import Code
from stampede.patience.solver import Grade
from stampede.patience.variants import parse_code


def test_a_code_shows_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deal", "yu1-c-aaaaaab"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("YU1-C-AAAAAAB: Yukon\n")
    assert "--" in shown


def test_a_variant_shows_a_fresh_deal(capsys: pytest.CaptureFixture[str]) -> None:
    codes = set()
    for _ in range(5):
        assert run(["deal", "KL1-D3N"]) == 0
        codes.add(parse_code(capsys.readouterr().out.partition(":")[0]))
    assert len(codes) == 5
    assert {code.ruleset_name for code in codes} == {"KL1-D3N"}


def test_a_proven_deal_comes_from_the_catalogue(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, Grade | None]] = []

    def pick(variant: str, grade: Grade | None, chance: object) -> Code:
        asked.append((variant, grade))
        return parse_code("YU1-C-AAAAAAB")

    monkeypatch.setattr(catalogue, "pick", pick)
    monkeypatch.setattr(catalogue, "codes", lambda variant, grade: [] if grade is Grade.EASY else [variant])
    assert run(["deal", "--winnable"]) == 0
    assert run(["deal", "YU1-C", "--grade", "hard"]) == 0
    assert run(["deal", "yu1-r", "--winnable", "--grade", "expert"]) == 0
    assert asked == [("YU1-C", None), ("YU1-C", Grade.HARD), ("YU1-R", Grade.EXPERT)]
    assert "YU1-C-AAAAAAB: Yukon" in capsys.readouterr().out
    assert run(["deal", "YU1-C", "--grade", "easy"]) == 1
    assert "no proven deals of YU1-C that are easy" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["KL1-D1V", "--winnable"],
        ["YU1-C-AAAAAAB", "--winnable"],
        ["YU1-C-AAAAAAB", "--grade", "hard"],
        ["YU1-C", "--grade", "harder"],
        ["YU1-X"],
    ],
)
def test_what_cannot_be_is_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deal", *arguments]) == 2
    assert capsys.readouterr().out == ""
