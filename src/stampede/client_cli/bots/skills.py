"""Skills: how well a bot plays, as one word."""

import random
from enum import StrEnum
from typing import Final, assert_never

from stampede.client_cli.bots.club import Club
from stampede.client_cli.bots.expert import Effort, Expert
from stampede.client_cli.bots.mind import Mind
from stampede.client_cli.bots.novice import Novice
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import compiled

NODES_PER_S: Final = {True: 100_000, False: 3_000}
"""Tables that the solver looks at in a second of a busy machine, compiled and pure, all that is around it included."""
_SHARE: Final = 0.5
"""Of its pace that an expert thinks."""
_LEAST: Final = Effort(imagined=6, nodes=300)
_MOST: Final = Effort(imagined=32, nodes=2000)


class Skill(StrEnum):
    """How well a bot plays."""

    NOVICE = "novice"
    CLUB = "club"
    EXPERT = "expert"


def mind_of(skill: Skill, rules: Ruleset, chance: random.Random, pace_s: float) -> Mind:
    """A mind for one race; an expert's thoughts take no longer than its pace allows."""
    match skill:
        case Skill.NOVICE:
            return Novice(rules, chance)
        case Skill.CLUB:
            return Club(rules, chance)
        case Skill.EXPERT:
            return Expert(rules, chance, effort(pace_s, fast=compiled.load() is not None))
        case _:
            assert_never(skill)


def effort(pace_s: float, *, fast: bool) -> Effort:
    """How hard an expert thinks at a pace: as many tables as fit in, each given the more time the more there is."""
    nodes = pace_s * _SHARE * NODES_PER_S[fast]
    each = min(_MOST.nodes, max(_LEAST.nodes, round(nodes / 16)))
    return Effort(min(_MOST.imagined, max(_LEAST.imagined, round(nodes / each))), each)
