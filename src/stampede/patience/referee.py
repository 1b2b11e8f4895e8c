"""The referee: what is legal, why not, and the table after it. The only judge.

Laws of this file:
- Every convenience (targets, find a place) asks `judge_move`, and so can never allow what it refuses.
- Rules are asked of the ruleset; no game or variant is known by name here.
- Checks stand in the order of `errors.Reason`, and use nothing that their player has not seen.
"""

from typing import Final

from stampede.patience import errors
from stampede.patience.cards import KING, RANK, SUIT, Card
from stampede.patience.errors import Reason, Refusal
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table, table_of

COLUMNS: Final = tuple("1234567")
HOME: Final = "home"
PLACES: Final = (*COLUMNS, HOME)
"""Where a card can be told to go."""

# Where a card comes from or goes to, as a number: a column is its index, 0 to 6.
_WASTE: Final = len(COLUMNS)
_FOUNDATION: Final = _WASTE + 1
_PILE: Final = {HOME: _FOUNDATION} | {column: index for index, column in enumerate(COLUMNS)}


Outcome = tuple[Table, int]
"""What an allowed move or draw comes to: the table after it, and what it adds to the score."""


def judge_move(rules: Ruleset, table: Table, card: Card, to: str) -> Outcome | Refusal:
    """Move `card`, with all that lies on it, to a place of `PLACES`.

    A name that is no card's or a place that is none of `PLACES` is a fault of the caller: `KeyError`.
    """
    target = _PILE[to]
    if rules.aces_first and (aces := _uncovered_aces(table)) and not (card in aces and target == _FOUNDATION):
        return errors.ace_first(card, to, aces[0])
    columns = table.columns
    found = _found(table, card)
    if found is None:
        return errors.not_available(card, to)
    source, at = found
    if source == target:
        return errors.same_place(card, to)
    if source == _FOUNDATION and rules.home_is_final:
        return errors.home_is_final(card, to)
    group = columns[source][at:] if source < _WASTE else (card,)
    if target == _FOUNDATION:
        if len(group) > 1:
            return errors.covered(card, to, len(group) - 1)
        if RANK[card] != table.home[SUIT[card]]:
            return errors.not_next_home(card, to, table.home[SUIT[card]])
    else:
        if rules.group_limit is not None and len(group) > rules.group_limit:
            return errors.group_too_large(card, to, len(group), rules.group_limit)
        column = columns[target]
        if not column:
            if RANK[card] != KING:
                return errors.kings_only(card, to)
        elif column[-1] not in rules.lies_on[card]:
            return errors.does_not_fit(card, to, column[-1])
    return _moved(rules, table, group, source, at, target)


def judge_draw(rules: Ruleset, table: Table) -> Outcome | Refusal:
    """Draw from the stock, or turn the waste over when the stock is used up."""
    if not rules.draws:
        return errors.no_stock(rules.title)
    columns, down, home, stock, waste, recycled = table
    if stock:
        drawn, left = stock[: rules.draws], stock[rules.draws :]
        return table_of((columns, down, home, left, waste + drawn, recycled)), 0
    if not waste:
        return errors.nothing_left()
    if rules.passes is not None and recycled + 1 >= rules.passes:
        return errors.one_pass(rules.passes)
    return table_of((columns, down, home, waste, (), recycled + 1)), rules.scoring.recycle


def targets(rules: Ruleset, table: Table, card: Card) -> tuple[str, ...]:
    """All places where `card` (with its group) may go now, in the order of `PLACES`.

    Empty if it cannot move, or is not seen.
    """
    places = []
    for to in PLACES:
        verdict = judge_move(rules, table, card, to)
        if not isinstance(verdict, Refusal):
            places.append(to)
        elif verdict.reason is Reason.NOT_AVAILABLE:
            break  # which it then is for every place
    return tuple(places)


def find_a_place(rules: Ruleset, table: Table, card: Card) -> str | None:
    """Where a double click sends `card`; None if it cannot go anywhere."""
    return best_of(table, targets(rules, table, card))


def best_of(table: Table, places: tuple[str, ...]) -> str | None:
    """The place that a double click prefers among a card's targets; None if there are none.

    Home; else the longest column, face-down cards counted, the lowest number among equals. An empty column, for
    a king, so comes last by its length.
    """
    if HOME in places:
        return HOME
    return max(places, key=lambda to: len(table.columns[_PILE[to]]), default=None)


def _found(table: Table, card: Card) -> tuple[int, int] | None:
    """Pile of a card that can be taken and its index there (0 outside columns); None if it cannot be taken now."""
    for source, column in enumerate(table.columns):
        if card in column:
            at = column.index(card)
            return (source, at) if at >= table.down[source] else None
    if table.waste and table.waste[-1] == card:
        return _WASTE, 0
    if table.home[SUIT[card]] == RANK[card] + 1:
        return _FOUNDATION, 0
    return None


def _moved(rules: Ruleset, table: Table, group: tuple[Card, ...], source: int, at: int, target: int) -> Outcome:
    """The table once `group` has gone from a pile (of a column: from index `at` on) to another, and the points."""
    columns, down, home, stock, waste, recycled = table
    scoring, points = rules.scoring, 0
    laid = list(columns)

    if source == _WASTE:
        waste = waste[:-1]
        if target != _FOUNDATION:
            points = scoring.waste_to_column
    elif source == _FOUNDATION:
        home = _counted(home, SUIT[group[0]], -1)
    else:
        laid[source] = columns[source][:at]
        if at and at == down[source]:
            down = _counted(down, source, -1)
            points = scoring.turned_up

    if target == _FOUNDATION:
        home = _counted(home, SUIT[group[0]], +1)
        points += scoring.home
    else:
        laid[target] += group

    return table_of((tuple(laid), down, home, stock, waste, recycled)), points


def _counted(counts: tuple[int, ...], at: int, change: int) -> tuple[int, ...]:
    changed = list(counts)
    changed[at] += change
    return tuple(changed)


def _uncovered_aces(table: Table) -> list[Card]:
    if 0 not in table.home:
        return []  # every ace is home, for less than a look at seven columns
    return [column[-1] for column in table.columns if column and RANK[column[-1]] == 0]
