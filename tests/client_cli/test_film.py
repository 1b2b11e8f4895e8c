"""A finished race, played again."""

from pathlib import Path

import pytest

from stampede.client_cli import film
from stampede.client_cli.__main__ import run
from stampede.client_cli.failure import Failure
from stampede.client_cli.replays import from_file, save
from stampede.protocol.events import ReplayAnswer

from .races import ADA, BOB, CAL, race
from .screens import screen, shown


def test_frames_come_in_the_order_of_time_whoever_played() -> None:
    seen = [(frame.elapsed_ms, frame.racer, str(frame.action)) for frame in film.frames(race(ADA, BOB, CAL))]
    assert seen == [
        (1_000, 0, "draw"),
        (1_500, 1, "9H 7"),
        (2_000, 0, "draw"),
        (2_500, 1, "undo"),
        (3_000, 0, "draw"),
        (4_500, 0, "AS home"),
        (9_000, 1, "9H 4"),
    ]


async def test_it_is_shown_as_fast_as_asked() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await film.show(race(ADA, BOB, CAL), screen(), speed=2, sleep=sleep)
    assert sum(slept) == pytest.approx(4.5)
    slept.clear()
    await film.show(race(ADA, BOB, CAL), screen(), speed=0, sleep=sleep)
    assert slept == []


async def test_each_action_is_a_line_where_there_is_no_terminal() -> None:
    console = screen()
    await film.show(race(ADA, BOB, CAL), console, speed=0)
    lines = shown(console).splitlines()
    assert lines[0] == "   0:01.0  Ada              draw     score 0, home 0, moves 1"
    assert lines[5] == "   0:04.5  Ada              AS home  score 10, home 1, moves 4"
    assert lines[7].startswith("score 10   home 1   moves 4   time 0:09")


async def test_on_a_terminal_the_table_stays_in_its_place() -> None:
    async def sleep(_: float) -> None:
        pass

    console = screen(colours=True)
    await film.show(race(ADA, BOB, CAL), console, speed=1, sleep=sleep)
    assert "timed out" in shown(console)


async def test_another_racers_table_can_be_followed(won: ReplayAnswer) -> None:
    console = screen()
    await film.show(race(ADA, BOB, CAL), console, speed=0, player="Bob")
    assert "score 5   home 0   moves 2" in shown(console)
    with pytest.raises(Failure, match="these were: Ada, Bob"):
        await film.show(won, screen(), speed=0, player="Eve")


async def test_a_race_that_cannot_have_been_is_a_sentence() -> None:
    with pytest.raises(Failure, match="See: stampede verify"):
        await film.show(race(ADA, BOB, CAL, code="KL1-D1N-AAAAAAC"), screen(), speed=0)


def test_a_replay_comes_back_from_its_file_as_it_was(tmp_path: Path, won: ReplayAnswer) -> None:
    save(won, str(tmp_path / "race.json"))
    assert from_file(str(tmp_path / "race.json")) == won


def test_replay_of_a_file_needs_no_server(
    tmp_path: Path, won: ReplayAnswer, capsys: pytest.CaptureFixture[str]
) -> None:
    save(won, str(tmp_path / "race.json"))
    assert run(["replay", str(tmp_path / "race.json"), "--speed", "0"]) == 0
    assert "finished" in capsys.readouterr().out
    assert run(["replay", str(tmp_path / "race.json"), "--save", str(tmp_path)]) == 1
