"""Solving: the lock test, then one search after another until the budget is spent."""

import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from stampede.patience.cards import Card
from stampede.patience.codes import Code, dealing_order
from stampede.patience.game import Action, Game, replay
from stampede.patience.notation import write
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import compiled
from stampede.patience.solver.answer import EXHAUSTED_SEARCH, Answer, LockSet
from stampede.patience.solver.column import Weights
from stampede.patience.solver.compiled.search import CompiledSearch
from stampede.patience.solver.law import Law, Start, actions, law_of, start_of
from stampede.patience.solver.locks import locked_table
from stampede.patience.solver.portfolio import attempts
from stampede.patience.solver.search import EXHAUSTED, RUNNING, WON, Search
from stampede.patience.table import Table
from stampede.patience.table import deal as laid_out
from stampede.patience.variants import CATALOGUE, parse_code

Deal = str | Code | tuple[Ruleset, Sequence[Card]]
"""A deal code, as text or read, or a ruleset with the 52 cards in dealing order."""

SLICE: Final = {True: 2000, False: 50}
"""Nodes between two looks at the clock, compiled and pure: some 5 ms."""


class Searching(Protocol):
    """What both searches offer."""

    @property
    def nodes(self) -> int: ...  # noqa: D102 - said at the implementations

    def begin(self, weights: Weights) -> None: ...  # noqa: D102

    def run(self, nodes: int) -> int: ...  # noqa: D102

    def line(self) -> list[int]: ...  # noqa: D102


class Unsound(AssertionError):
    """The referee refused a line of the search: a fault in the solver, never a statement about the deal."""


def solve(
    deal: Deal,
    *,
    budget_s: float,
    budget_nodes: int | None = None,
    clock: Callable[[], float] = time.monotonic,
    pure: bool = False,
) -> Answer:
    """What is known of a deal after at most `budget_s` seconds of `clock` (and `budget_nodes`, if given).

    Computes all the while, so never call it on an event loop. Memory grows with the budget, up to some 300 MB. `pure`
    leaves the compiled search aside even where it is built. Raises `codes.BadCode` for a text that is no code.
    """
    rules, order = dealt(deal)
    return solve_table(
        rules, laid_out(rules, order), budget_s=budget_s, budget_nodes=budget_nodes, clock=clock, pure=pure
    )


def solve_table(
    rules: Ruleset,
    table: Table,
    *,
    budget_s: float,
    budget_nodes: int | None = None,
    clock: Callable[[], float] = time.monotonic,
    pure: bool = False,
) -> Answer:
    """The same for a table in the middle of a game, face-down cards known. In Vegas the pass is the last one."""
    began = clock()
    if table.won:
        return Answer("winnable", seconds=clock() - began)
    if locks := locked_table(rules, table):
        return Answer("unwinnable", certificate=locks, seconds=clock() - began)
    law, start = law_of(rules), start_of(table)
    search, fast = _search(law, start, pure)
    nodes = 0
    for weights, limit in attempts(law, fast):
        search.begin(weights)
        state = RUNNING
        while state == RUNNING and search.nodes < limit:
            most = limit if budget_nodes is None else min(limit, budget_nodes - nodes)
            state = search.run(min(SLICE[fast], most - search.nodes))
            if state == RUNNING and (search.nodes >= most or clock() - began >= budget_s):
                break
        nodes += search.nodes
        if state == WON:
            line = _judged(rules, table, actions(search.line()))
            return Answer("winnable", line=line, nodes=nodes, seconds=clock() - began)
        if state == EXHAUSTED:
            return Answer("unwinnable", certificate=EXHAUSTED_SEARCH, nodes=nodes, seconds=clock() - began)
        if clock() - began >= budget_s or (budget_nodes is not None and nodes >= budget_nodes):
            break
    return Answer("open", nodes=nodes, seconds=clock() - began)


def locked(rules: Ruleset, order: Sequence[Card]) -> LockSet | None:
    """The quick lock test, half a millisecond: a proof that a fresh deal cannot be won, or None, which says nothing."""
    return locked_table(rules, laid_out(rules, order))


def dealt(deal: Deal) -> tuple[Ruleset, Sequence[Card]]:
    """A deal's ruleset and order, in whatever form it was given."""
    if isinstance(deal, str):
        deal = parse_code(deal)
    if isinstance(deal, Code):
        return CATALOGUE[deal.ruleset_name], dealing_order(deal)
    return deal


def _search(law: Law, start: Start, pure: bool) -> tuple[Searching, bool]:
    engine = None if pure else compiled.load()
    if engine is None:
        return Search(law, start), False
    return CompiledSearch(engine, law, start), True


def _judged(rules: Ruleset, table: Table, line: list[Action]) -> tuple[str, ...]:
    """The line as text, once the referee has replayed it to the win."""
    end = replay(Game(rules, table, score=0, undo_limit=0), line)
    if not isinstance(end, Game) or not end.won:
        raise Unsound(f"{end}")
    return tuple(map(write, line))
