"""Standings: who came where, and what decides it."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from stampede.patience.game import Game
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE
from stampede.server.race.standings import place_of, ranked, standings, winners
from stampede.server.race.state import RoomState, Seat

from .story import Story, racing

_EMPTY = ((), (), (), (), (), (), ())


def seat(player: str, status: Any, *, home: int = 0, elapsed: int = 0, home_at: int = 0, moves: int = 0) -> Seat:
    piles = tuple(min(13, max(0, home - 13 * suit)) for suit in range(4))
    game = Game(CATALOGUE["YU1-C"], Table(_EMPTY, (0,) * 7, piles), 10 * home, moves)
    return Seat(
        player, player.capitalize(), "human", "racer", status, "c", 0, game, max(1, moves), elapsed, home_at
    )  # fmt: skip


def table(*seats: Seat) -> RoomState:
    """A room that is over with these seats."""
    return replace(Story().room, phase="over", seats={seat.player: seat for seat in seats})


def places(*seats: Seat) -> list[tuple[int, str]]:
    return [(place, one.player) for place, one in ranked(table(*seats))]


def test_status_ranks_first_whatever_else() -> None:
    assert places(
        seat("n", "never_played"),
        seat("f", "forfeited", home=51),
        seat("t", "timed_out", home=3),
        seat("w", "finished", home=52, elapsed=3_000_000, moves=999),
    ) == [(1, "w"), (2, "t"), (3, "f"), (4, "n")]


def test_finished_ones_rank_by_time_alone() -> None:
    assert places(
        seat("a", "finished", home=52, elapsed=2000, moves=90),
        seat("b", "finished", home=52, elapsed=1000, moves=500),
    ) == [(1, "b"), (2, "a")]


def test_a_dead_heat_shares_a_place_and_leaves_the_next_one_out() -> None:
    a, b, c = (
        seat("a", "finished", home=52, elapsed=1000, moves=100),
        seat("b", "finished", home=52, elapsed=1000, moves=200),
        seat("c", "finished", home=52, elapsed=1001),
    )
    assert places(a, b, c) == [(1, "a"), (1, "b"), (3, "c")]
    assert winners(table(a, b, c)) == ["a", "b"]
    assert [place_of(table(a, b, c), one) for one in (a, b, c)] == [1, 1, 3]


@pytest.mark.parametrize("status", ["timed_out", "forfeited"])
def test_the_others_rank_by_cards_home_then_who_had_them_earliest_then_moves(status: Any) -> None:
    order = [
        seat("a", status, home=9, home_at=5000, moves=50),
        seat("b", status, home=8, home_at=1000, moves=99),
        seat("c", status, home=8, home_at=2000, moves=10),
        seat("d", status, home=8, home_at=2000, moves=11),
    ]
    shuffled = order[:]
    Random(1).shuffle(shuffled)
    assert places(*shuffled) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_what_is_still_equal_shares_a_place() -> None:
    assert places(
        seat("a", "timed_out", home=8, home_at=2000, moves=10, elapsed=7000),
        seat("b", "timed_out", home=8, home_at=2000, moves=10, elapsed=9000),
        seat("c", "timed_out", home=7),
        seat("d", "never_played"),
        seat("e", "never_played"),
    ) == [(1, "a"), (1, "b"), (3, "c"), (4, "d"), (4, "e")]


def test_score_decides_nothing() -> None:
    a, b = seat("a", "timed_out", home=5), seat("b", "timed_out", home=5)
    assert b.game is not None
    b = replace(b, game=b.game._replace(score=600))
    assert places(a, b) == [(1, "a"), (1, "b")]


def test_without_a_finish_nobody_wins() -> None:
    assert winners(table(seat("a", "timed_out", home=51), seat("b", "forfeited"))) == []
    assert winners(table()) == []


def test_watchers_have_no_place() -> None:
    story = racing("bob")
    story.enters("dora", "watcher")
    assert {row.player for row in standings(story.room)} == {"ann", "bob"}


def test_a_row_says_it_all() -> None:
    story = racing("bob", tail_s=60)
    story.wait(2).plays("bob", "QD 1")
    story.wait(1).wins("ann")
    story.forfeits("bob")
    first, second = standings(story.room)
    ann = story.seat("ann").game
    assert ann is not None
    assert (first.place, first.player, first.name, first.status) == (1, "ann", "Ann", "finished")
    assert (first.score, first.moves, first.home, first.elapsed_ms) == (625, ann.moves, 52, 3000)
    assert (second.place, second.player, second.name, second.status) == (2, "bob", "Bob", "forfeited")
    assert (second.score, second.moves, second.home, second.elapsed_ms) == (5, 1, 0, 2000)


def test_while_they_race_the_standings_are_of_now() -> None:
    story = racing("bob")
    story.plays("bob", "QD 1")
    story.plays("bob", "AS home")
    assert [player.player for _, player in ranked(story.room)] == ["bob", "ann"]
