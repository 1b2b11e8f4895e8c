"""How often each skill of bot wins: a row for each variant, skill and number of undos.

Run it with `python benchmarks/bots.py`, or with `--deals 200` for figures to go by. The deals are drawn from the
catalogue of proven ones, the same at each run. Bots are given boards, as over the wire, but no server is needed.
One core, low priority.
"""

import argparse
import os
import random
from statistics import mean, median
from time import process_time
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

from stampede.client_cli.bots.mind import Mind
from stampede.client_cli.bots.skills import Skill, effort, mind_of
from stampede.client_cli.film import board_of
from stampede.patience import catalogue, game
from stampede.patience.codes import Code
from stampede.patience.solver import compiled
from stampede.patience.variants import CATALOGUE

VARIANTS = ("YU1-C", "YU1-R", "KL1-D1N", "KL1-D3N")
PLAYERS = ((Skill.NOVICE, 0), (Skill.CLUB, 0), (Skill.EXPERT, 0), (Skill.EXPERT, 100))
"""Skills, and how many undos the room allows; novices and club players never undo."""
MOST_ACTIONS = 2000


class Game(NamedTuple):
    won: bool
    actions: int
    home: int
    seconds: float


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--deals", type=int, default=10, help="deals of each variant")
    asked.add_argument("--variants", nargs="+", default=VARIANTS, choices=catalogue.VARIANTS)
    asked.add_argument("--skills", nargs="+", default=list(Skill), choices=list(Skill), type=Skill)
    asked.add_argument("--pace", type=float, default=1.0, help="an expert's seconds for an action, half of it to think")
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    os.nice(15)
    table = Table(title=f"Won of {options.deals} deals of the catalogue, {how(options.pace)}", box=box.SIMPLE)
    for heading in ("variant", "skill", "undos", "won", "actions to win", "home if lost", "CPU s a deal"):
        table.add_column(heading, justify="left" if heading in ("variant", "skill") else "right")
    console = Console(width=110)
    for variant in options.variants:
        deals = drawn(variant, options.deals, random.Random(options.seed))
        for skill, undos in PLAYERS:
            if skill in options.skills:
                with console.status(f"{variant} {skill}"):
                    games = [played(code, skill, undos, options.pace) for code in deals]
                table.add_row(variant, skill.value, str(undos), *figures(games))
    console.print(table)


def how(pace_s: float) -> str:
    fast = compiled.load() is not None
    thought = effort(pace_s, fast=fast)
    solver = "compiled" if fast else "pure Python"
    return f"experts at a pace of {pace_s:g} s ({thought.imagined} tables of {thought.nodes} nodes, {solver})"


def drawn(variant: str, number: int, chance: random.Random) -> list[Code]:
    """So many different deals of all grades, as often as the catalogue has them."""
    found: dict[Code, None] = {}
    while len(found) < number:
        found[catalogue.pick(variant, None, chance)] = None
    return list(found)


def played(code: Code, skill: Skill, undos: int, pace_s: float) -> Game:
    """One game to its end, or until the bot sees nothing worth playing."""
    began = process_time()
    mind: Mind = mind_of(skill, CATALOGUE[code.ruleset_name], random.Random(str(code)), pace_s)
    now, actions = game.start_code(code, undos), 0
    while not now.won and actions < MOST_ACTIONS:
        action = mind.choose(board_of(now, actions, 0), ())
        if action is None:
            break
        after = game.play(now, action)
        assert isinstance(after, game.Game), f"{code}: {action}: {after}"
        now, actions = after, actions + 1
    return Game(now.won, actions, now.table.cards_home, process_time() - began)


def figures(games: list[Game]) -> list[str]:
    won = [one for one in games if one.won]
    lost = [one.home for one in games if not one.won]
    return [
        f"{len(won) / len(games):.1%}",
        f"{median(one.actions for one in won):.0f}" if won else "",
        f"{mean(lost):.1f}" if lost else "",
        f"{mean(one.seconds for one in games):.2f}",
    ]


if __name__ == "__main__":
    main()
