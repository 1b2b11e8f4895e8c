"""The expert: imagines the hidden cards in many ways, solves each, and does what wins most of them.

Laws of this file:
- The solver is given imagined tables only: what was never seen is filled in by chance.
- It plans as far as the next card that nobody has seen, then thinks again.
- Where no imagined table can be won it takes actions back, as far as the room allows, and remembers what it has
  seen: by the rules of the house that is a way to look under cards, open to every player.
- Thinking is counted in tables looked at, never in seconds, so that the same chance gives the same game.
"""

import random
from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple

from stampede.client_cli.bots.club import FROM_WASTE, Club
from stampede.client_cli.bots.memory import Memory
from stampede.patience import game, notation
from stampede.patience.cards import HIDDEN, Card
from stampede.patience.errors import Refusal
from stampede.patience.game import Action, Game, Undo
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import solve_table
from stampede.patience.table import Table
from stampede.protocol.events import Board

_FOREVER_S: Final = 3600.0
_HARDLY_ANY: Final = 0.9
"""Of the imagined tables that can be won, so many have to be won after what the club player would do."""


class Effort(NamedTuple):
    """How hard the expert thinks, each time that it does."""

    imagined: int = 24
    """Tables that it imagines."""
    nodes: int = 2000
    """Tables that the solver may look at for each of them; twenty times that once all cards are known."""


USUAL: Final = Effort()


class _Plan(NamedTuple):
    """A way to a win in an imagined table, up to the first card that is news."""

    steps: tuple[tuple[Table, Action], ...]
    """Each action, after the table as it is seen before it."""
    whole: bool
    """Whether it goes on to the win."""


class Expert:
    """Plays what wins most of the tables that it can imagine."""

    def __init__(self, rules: Ruleset, chance: random.Random, effort: Effort = USUAL) -> None:
        self._rules = rules
        self._chance = chance
        self._effort = effort
        self._memory = Memory()
        self._otherwise = Club(rules, chance)
        self._planned: dict[Table, Action] = {}
        self._hopeless: set[Table] = set()
        self._resigned = False

    def choose(self, board: Board, barred: Collection[Action]) -> Action | None:
        """The next action of the plan, or of a new one; an undo where there is none; else what the club player does."""
        table = self._memory.see(board)
        planned = self._planned.get(table)
        if planned is not None and planned not in barred:
            return planned
        self._planned = {}
        if not board.undo_left and (careful := self._careful(table, barred)) is not None:
            return careful
        plan = None if table in self._hopeless else self._best_plan(table, barred)
        if plan is not None:
            self._planned = dict(plan.steps)
            return plan.steps[0][1]
        self._hopeless.add(table)
        if board.undo_left and Undo() not in barred and not self._resigned:
            return Undo()
        self._resigned = True
        return self._otherwise.choose(board, barred)

    def _careful(self, table: Table, barred: Collection[Action]) -> Action | None:
        """What the club player likes, if it sees a point in it, and if hardly any win is lost by it.

        Which of two cards to turn first the solver does not care about, since it knows both; experience does.
        """
        liked = self._otherwise.likes(table, barred)
        if liked is None or liked.good_for < FROM_WASTE or len(self._memory.unseen(table)) < 2:
            return None
        before = after = 0
        for _ in range(self._effort.imagined // 2):
            imagined = self._memory.imagine(table, self._chance)
            then = game.play(Game(self._rules, imagined, 0, undo_limit=0), liked.action)
            assert isinstance(then, Game), "the referee has allowed it"  # noqa: S101
            before += self._is_won(imagined)
            after += self._is_won(then.table)
        return liked.action if after and after >= _HARDLY_ANY * before else None

    def _is_won(self, imagined: Table) -> bool:
        answer = solve_table(self._rules, imagined, budget_s=_FOREVER_S, budget_nodes=self._effort.nodes)
        return answer.answer == "winnable"

    def _best_plan(self, table: Table, barred: Collection[Action]) -> _Plan | None:
        """The plan that most of the imagined tables agree on; None if none of them is won."""
        unseen = set(self._memory.unseen(table))
        votes: Counter[Action] = Counter()
        shortest: dict[Action, _Plan] = {}
        imagined, nodes = self._effort
        if len(unseen) < 2:
            imagined, nodes = 1, nodes * 20
        for _ in range(imagined):
            plan = self._plan(self._memory.imagine(table, self._chance), unseen, nodes)
            if plan is None or plan.steps[0][1] in barred:
                continue
            aim = plan.steps[-1][1]
            votes[aim] += 1
            if aim not in shortest or len(plan.steps) < len(shortest[aim].steps):
                shortest[aim] = plan
        return shortest[votes.most_common(1)[0][0]] if votes else None

    def _plan(self, imagined: Table, unseen: Collection[Card], nodes: int) -> _Plan | None:
        """The solver's way to win an imagined table, if it leads through none that has been found hopeless."""
        answer = solve_table(self._rules, imagined, budget_s=_FOREVER_S, budget_nodes=nodes)
        if answer.answer != "winnable":
            return None
        steps = []
        now: Game | Refusal = Game(self._rules, imagined, 0, undo_limit=0)
        for action in map(notation.read, answer.line):
            assert isinstance(now, Game), "the referee has replayed the line"  # noqa: S101
            steps.append((_as_seen(now.table), action))
            before, now = now.table, game.play(now, action)
            assert isinstance(now, Game), "the referee has replayed the line"  # noqa: S101
            if _as_seen(now.table) in self._hopeless:
                return None
            if _shows(before, now.table) & set(unseen):
                return _Plan(tuple(steps), whole=False)
        return _Plan(tuple(steps), whole=True)


def _as_seen(table: Table) -> Table:
    """A table with all known as a player sees it."""
    return table._replace(
        columns=tuple(table.seen(at) for at in range(len(table.columns))),
        stock=(HIDDEN,) * len(table.stock),
        recycled=0,
    )


def _shows(before: Table, after: Table) -> set[Card]:
    """The cards that an action turned up or drew."""
    turned = {
        column[-1]
        for column, down, was in zip(after.columns, after.down, before.down, strict=True)
        if column and down < was
    }
    return turned | set(after.waste[len(before.waste) :])
