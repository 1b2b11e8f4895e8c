"""Minds of every skill play whole games of every variant by the rules, from boards alone."""

import random

import pytest

from stampede.client_cli.bots.expert import Effort
from stampede.client_cli.bots.skills import Skill, effort, mind_of
from stampede.patience.game import Undo
from stampede.patience.variants import CATALOGUE

from .play import deal, made, played, rules_of

MOST = {Skill.NOVICE: 2000, Skill.CLUB: 150, Skill.EXPERT: 120}


@pytest.mark.parametrize("variant", CATALOGUE)
@pytest.mark.parametrize("skill", Skill)
def test_no_action_of_a_whole_game_is_refused(skill: Skill, variant: str) -> None:
    for number in range(10 if skill is Skill.NOVICE else 1):
        played(deal(variant, number), made(skill)(rules_of(variant), random.Random(number)), MOST[skill])


@pytest.mark.parametrize("skill", Skill)
def test_the_same_chance_gives_the_same_game(skill: Skill) -> None:
    rules = rules_of("YU1-C")
    games = [played(deal("YU1-C", 3), made(skill)(rules, random.Random(7)), 60)[0] for _ in range(2)]
    assert games[0] == games[1]
    assert len(games[0]) > 1


@pytest.mark.parametrize("skill", Skill)
def test_where_no_undo_is_allowed_none_is_tried(skill: Skill) -> None:
    done, _ = played(deal("YU1-C", 1, undo=0), made(skill)(rules_of("YU1-C"), random.Random(1)), 100)
    assert Undo() not in done


@pytest.mark.parametrize("skill", [Skill.NOVICE, Skill.CLUB])
def test_a_game_that_leads_nowhere_is_given_up(skill: Skill) -> None:
    for number in range(3):
        mind = made(skill)(rules_of("YU1-C"), random.Random(number))
        done, _ = played(deal("YU1-C", number), mind, 5000)
        assert len(done) < 5000


@pytest.mark.parametrize("skill", Skill)
def test_an_action_that_was_refused_is_not_tried_again_on_the_same_board(skill: Skill) -> None:
    from stampede.client_cli.film import board_of

    board = board_of(deal("YU1-C", 5), 0, 0)
    first = made(skill)(rules_of("YU1-C"), random.Random(2)).choose(board, ())
    assert first is not None
    assert made(skill)(rules_of("YU1-C"), random.Random(2)).choose(board, {first}) != first


def test_a_mind_is_made_by_the_name_of_its_skill() -> None:
    for name in ("novice", "club", "expert"):
        assert type(mind_of(Skill(name), rules_of("YU1-C"), random.Random(1), 1)).__name__.lower() == name


def test_more_time_never_means_less_thought() -> None:
    for fast in (True, False):
        efforts = [effort(pace_s, fast=fast) for pace_s in (0, 0.1, 0.5, 1, 2, 5, 60)]
        assert efforts == sorted(efforts, key=lambda one: one.imagined * one.nodes)
        assert all(one.imagined >= 6 and one.nodes >= 300 for one in efforts)
    assert effort(60, fast=True) == Effort(32, 2000)
