"""Everyone in a room, side by side; and what is told of them."""

from typing import Any

from stampede.client_cli.news_lines import entrant_line, finish_line, phase_line, result_line
from stampede.client_cli.scoreboard import scoreboard, standings
from stampede.patience.variants import CATALOGUE
from stampede.protocol.events import (
    DealPicture,
    Entrant,
    Finish,
    Phase,
    PhaseChanged,
    Result,
    RoomPicture,
    Standing,
    You,
)

from .races import settings
from .screens import screen, shown

VEGAS = CATALOGUE["KL1-D1V"]


def entrant(name: str, **more: Any) -> Entrant:
    usual: dict[str, Any] = {
        "kind": "human",
        "role": "racer",
        "status": "racing",
        "away": False,
        "score": -52,
        "moves": 0,
        "home": 0,
        "elapsed_ms": 0,
    }
    return Entrant(player=name.lower(), name=name, **(usual | more))


def room(phase: Phase, *entrants: Entrant) -> RoomPicture:
    return RoomPicture(
        id="R1",
        phase=phase,
        settings=settings(),
        deal=DealPicture(variant="KL1-D1V", code="KL1-D1V-AAAAAAB"),
        host="ada",
        entrants=list(entrants),
        time_ms=0,
        you=You(player="bob", may=[]),
    )


def test_racers_stand_in_order_with_score_cards_moves_time_and_place() -> None:
    console = screen()
    racers = (
        entrant("Ada", home=3, score=-37, moves=20, elapsed_ms=65_000, away=True),
        entrant("Bob", home=5, score=-27, moves=31, elapsed_ms=66_000),
        entrant("Cal", home=52, score=208, moves=120, elapsed_ms=64_321, status="finished", place=1, kind="bot"),
        entrant("Dot", role="watcher", status="watching"),
        entrant("Eve", status="left"),
    )
    console.print(scoreboard(VEGAS, room("closing", *racers), "bob"))
    assert [line.split() for line in shown(console).splitlines()] == [
        ["name", "home", "score", "moves", "time"],
        ["1.", "Cal", "52", "+$208", "120", "1:04.3", "finished,", "bot"],
        ["Bob", "(you)", "5", "-$27", "31", "1:06"],
        ["Ada", "3", "-$37", "20", "1:05", "away,", "host"],
        ["Dot", "watching"],
    ]


def test_in_the_lobby_there_are_no_figures_yet() -> None:
    console = screen()
    console.print(
        scoreboard(VEGAS, room("lobby", entrant("Ada", status="ready"), entrant("Bob", status="waiting")), "")
    )
    assert [line.split() for line in shown(console).splitlines()] == [
        ["name"],
        ["Ada", "ready,", "host"],
        ["Bob", "waiting"],
    ]


def test_the_standings_are_the_last_word() -> None:
    row = Standing(place=1, player="ada", name="Ada", status="timed_out", score=0, moves=7, home=2, elapsed_ms=1_500)
    console = screen()
    console.print(standings(VEGAS, [row], "ada"))
    assert shown(console).splitlines()[1].split() == ["1.", "Ada", "(you)", "2", "$0", "7", "0:01.5", "timed", "out"]


def test_a_name_cannot_break_a_table() -> None:
    console = screen()
    console.print(scoreboard(VEGAS, room("lobby", entrant("A\x1b[2J\n\u202eda", status="ready")), ""))
    assert shown(console).splitlines()[1].split() == ["A[2J", "da", "ready"]


def test_what_befalls_someone_is_a_line() -> None:
    ada = entrant("Ada", status="waiting")
    assert entrant_line(None, ada) == "Ada is here."
    assert entrant_line(None, entrant("Ada", role="watcher", status="watching")) == "Ada is here to watch."
    assert entrant_line(ada, entrant("Ada", status="ready")) == "Ada is ready."
    assert entrant_line(ada, entrant("Ada", status="left", away=True)) == "Ada has left."
    assert entrant_line(entrant("Ada", status="left"), ada) == "Ada is here."
    assert entrant_line(ada, entrant("Ada", status="waiting", away=True)) == "Ada is away."
    assert entrant_line(entrant("Ada", away=True), entrant("Ada")) == "Ada is back."
    assert entrant_line(entrant("Ada"), entrant("Ada", status="forfeited")) == "Ada has given up."
    assert entrant_line(ada, ada) is None


def test_phases_are_told_in_words() -> None:
    assert phase_line(PhaseChanged(phase="countdown", in_ms=4_998), 300) == "The race starts in 5 s."
    assert phase_line(PhaseChanged(phase="racing"), 300) == "GO!"
    assert phase_line(PhaseChanged(phase="lobby"), 300) == "The countdown has stopped: back to the lobby."
    assert "5:00" in str(phase_line(PhaseChanged(phase="closing"), 300))
    assert phase_line(PhaseChanged(phase="cancelled", reason="no one\x1b is left"), 0) == (
        "The race is cancelled: no one is left."
    )


def test_a_finish_and_a_result_name_who_it_was() -> None:
    finish = Finish(player="ada", place=1, score=208, moves=101, elapsed_ms=83_400)
    assert finish_line(VEGAS, finish, "Ada") == ("Ada has all 52 cards home: place 1, 1:23.4, 101 moves, score +$208.")
    rows = [
        Standing(place=1, player=name.lower(), name=name, status="finished", score=0, moves=0, home=52, elapsed_ms=1)
        for name in ("Ada", "Bob", "Cal")
    ]
    assert result_line(Result(winner=[], standings=rows, code="")) == "The race is over, and no one has won."
    assert result_line(Result(winner=["ada"], standings=rows, code="")) == "The race is over. The winner is Ada."
    assert result_line(Result(winner=["ada", "bob", "cal"], standings=rows, code="")) == (
        "The race is over: a dead heat, won by Ada, Bob and Cal."
    )
