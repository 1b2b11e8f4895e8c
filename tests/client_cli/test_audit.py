"""The audit finds what is wrong with a race, and nothing else."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from stampede.client_cli.__main__ import run
from stampede.client_cli.audit import audit
from stampede.client_cli.replays import save
from stampede.protocol.events import ReplayAnswer

from .races import ADA, BOB, CAL, SEALED, race


def wrong(replay: ReplayAnswer) -> list[str]:
    return [finding.text for finding in audit(replay) if not finding.well]


def test_a_true_race_is_found_well() -> None:
    found = list(audit(race(ADA, BOB, CAL)))
    assert all(finding.well for finding in found)
    assert "Ada: 4 actions, all legal; timed out, place 1, 1 cards home" in found[3].text
    assert found[-1].text == "The places are right: won by no one."


def test_a_true_sealed_race_is_found_well() -> None:
    assert wrong(race(replace(CAL, place=1), code=SEALED, sealed=True)) == []


def test_a_winner_is_named(won: ReplayAnswer) -> None:
    found = list(audit(won))
    assert all(finding.well for finding in found)
    assert found[-1].text == "The places are right: won by Ada and Bob."


@pytest.mark.parametrize(
    ("racers", "chosen", "told"),
    [
        ([ADA, BOB], {"code": "KL1-D1N-AAAAAA1"}, "The code is none"),
        ([CAL], {"sealed": True}, "has 26 symbols"),
        ([CAL], {"code": SEALED}, "has 7 symbols"),
        ([ADA], {"code": "KL1-D1N-AAAAAAC"}, "move.not_available"),
        ([ADA], {"undo": 0, "lasts_ms": 4_000}, "the race was over at"),
        ([replace(BOB, place=1)], {"undo": 0}, "undo.nothing"),
        ([replace(ADA, place=2), replace(BOB, place=1)], {}, "Ada has place 2, but should have 1"),
        ([replace(ADA, place=1), replace(BOB, place=1)], {}, "Bob has place 1, but should have 2"),
        ([replace(ADA, status="finished")], {}, "given as finished, with 1 of 52 cards home"),
        ([replace(ADA, status="never_played")], {}, "given as never played, with 4 actions"),
        ([replace(ADA, actions=[(2_000, "draw"), (1_000, "draw")])], {}, "it comes before the one before it"),
        ([replace(ADA, actions=[(-1, "draw")])], {}, "it comes before the one before it"),
    ],
)
def test_what_is_wrong_is_named(racers: list[object], chosen: dict[str, object], told: str) -> None:
    (text,) = [text for text in wrong(race(*racers, **chosen)) if told in text]  # type: ignore[arg-type]
    assert text


def test_a_code_other_than_the_one_committed_to_is_found() -> None:
    sealed = race(CAL, code=SEALED, sealed=True)
    other = msgspec.structs.replace(sealed, code=SEALED[:-1] + "C")
    assert "The commitment was" in wrong(other)[0]
    assert "without a commitment" in wrong(msgspec.structs.replace(sealed, commitment=msgspec.UNSET))[0]


def test_a_race_of_another_variant_than_announced_is_found() -> None:
    assert "was announced as KL1-D3N" in wrong(msgspec.structs.replace(race(CAL), variant="KL1-D3N"))[0]


def test_verify_says_so_in_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    save(race(ADA, BOB, CAL), str(good))
    save(race(ADA, BOB, CAL, code="KL1-D1N-AAAAAAC"), str(bad))
    assert run(["verify", str(good)]) == 0
    assert capsys.readouterr().out.endswith("All is well.\n")
    assert run(["verify", str(bad)]) == 1
    assert capsys.readouterr().out.endswith("Something is wrong with this race.\n")


def test_names_in_a_file_cannot_control_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "race.json"
    save(race(replace(CAL, name="\x1b[2JCal\u202e", place=1)), str(path))
    assert run(["verify", str(path)]) == 0
    assert run(["replay", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
