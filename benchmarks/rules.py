"""What the law of the game costs: one table, a row a variant, in microseconds on this machine.

Run it with `python benchmarks/rules.py`. Games played are the won ones of the test vectors, so positions run from
the deal to the last card. Each figure is the best of several rounds: what the code costs, not what else ran.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from stampede.patience import notation
from stampede.patience.cards import DECK
from stampede.patience.errors import Refusal
from stampede.patience.game import Action, Game, Move, Undo, play, start_code, targets
from stampede.patience.referee import PLACES
from stampede.patience.variants import CATALOGUE, parse_code

WINNABLE = Path(__file__).parents[1] / "tests" / "vectors" / "winnable.jsonl"
GAMES, ROUNDS = 12, 9


def main() -> None:
    table = Table(title="The law of the game, in µs unless stated", box=box.SIMPLE)
    for heading in (
        "variant",
        "judged actions/s",
        "action",
        "refusal",
        "undo",
        "targets of a card",
        "all moves",
        "deal",
    ):
        table.add_column(heading, justify="left" if heading == "variant" else "right")
    for name in CATALOGUE:
        table.add_row(name, *figures(name))
    Console(width=110).print(table)


def figures(name: str) -> list[str]:
    games = [line_of_play(code, actions) for code, actions in won_games(name)]
    played = [(game, action) for line in games for game, action in line]
    some = [game for game, _ in played[:: max(1, len(played) // 60)]]
    refused = [
        (game, move)
        for game in some
        for move in (Move(card, to) for card in DECK for to in PLACES)
        if isinstance(play(game, move), Refusal)
    ]
    undoable = [(game, Undo()) for game, _ in played if game.past]
    helped = [(game, card) for game in some for card in DECK]
    codes = [code for code, _ in won_games(name)]

    action, helping = cost(play_all, played), cost(ask_all, helped)
    return [
        f"{1e6 / action:,.0f}",
        f"{action:.1f}",
        f"{cost(play_all, refused):.1f}",
        f"{cost(play_all, undoable):.1f}",
        f"{helping:.1f}",
        f"{helping * len(DECK):.0f}",
        f"{cost(deal_all, codes):.1f}",
    ]


def cost(work: Callable[[list[Any]], None], items: list[Any]) -> float:
    """Microseconds per item, in the best of several rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = perf_counter()
        work(items)
        best = min(best, perf_counter() - began)
    return best / len(items) * 1e6


def play_all(played: Iterable[tuple[Game, Action]]) -> None:
    for game, action in played:
        play(game, action)


def ask_all(asked: Iterable[tuple[Game, str]]) -> None:
    for game, card in asked:
        targets(game, card)


def deal_all(codes: Iterable[str]) -> None:
    for code in codes:
        start_code(parse_code(code))


def won_games(name: str) -> list[tuple[str, list[Action]]]:
    """Codes of a variant with actions that win them.

    Vegas has none in the vectors: it plays the same game's Normal ones, as far as a single pass goes.
    """
    games = []
    for line in WINNABLE.read_text("ascii").splitlines():
        won = json.loads(line)
        code = parse_code(won["code"])
        if code.ruleset_name == name.replace("V", "N"):
            same_deal = str(code._replace(variant=CATALOGUE[name].variant))
            games.append((same_deal, [notation.read(text) for text in won["actions"]]))
    return games[:GAMES]


def line_of_play(code: str, actions: list[Action]) -> list[tuple[Game, Action]]:
    """Each accepted action, with the game that it was played on."""
    game, line = start_code(parse_code(code)), []
    for action in actions:
        after = play(game, action)
        if isinstance(after, Refusal):
            break
        line.append((game, action))
        game = after
    return line


if __name__ == "__main__":
    main()
