"""Play: a mind at a table, without a server. It is given boards and nothing else."""

import random
from collections.abc import Callable

from stampede.client_cli.bots.expert import Effort, Expert
from stampede.client_cli.bots.mind import Mind
from stampede.client_cli.bots.skills import Skill, mind_of
from stampede.client_cli.film import board_of
from stampede.patience import game
from stampede.patience.codes import Code, payload
from stampede.patience.game import Action, Game
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import CATALOGUE

Made = Callable[[Ruleset, random.Random], Mind]


def made(skill: Skill) -> Made:
    """How to make a mind of a skill; an expert that does not think long."""
    if skill is Skill.EXPERT:
        return lambda rules, chance: Expert(rules, chance, Effort(imagined=2, nodes=100))
    return lambda rules, chance: mind_of(skill, rules, chance, pace_s=1)


def deal(variant: str, number: int, undo: int = 100) -> Game:
    """Deal number so and so."""
    name, _, short = variant.partition("-")
    return game.start_code(Code(name, short, payload(number, 7)), undo)


def played(start: Game, mind: Mind, most: int) -> tuple[list[Action], Game]:
    """What a mind does until it wins, sees nothing worth playing, or has done `most`; every action is legal."""
    now, done = start, list[Action]()
    while not now.won and len(done) < most:
        action = mind.choose(board_of(now, len(done), 0), ())
        if action is None:
            break
        after = game.play(now, action)
        assert isinstance(after, Game), f"{action} after {done}: {after}"
        done.append(action)
        now = after
    return done, now


def rules_of(variant: str) -> Ruleset:
    return CATALOGUE[variant]
