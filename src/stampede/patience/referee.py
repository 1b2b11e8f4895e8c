"""The referee: what is legal, why not, and the table after it. The only judge.

Every convenience (targets, find a place) asks the same `judge_move` and so can never allow what it refuses.
Rules are asked of the ruleset; no game or variant is known by name here.
"""

from typing import NamedTuple

from stampede.patience.cards import KING, RANK, RANKS, SUIT, SUITS, Card, spoken
from stampede.patience.errors import Reason, Refusal
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Column, Table

HOME = "home"
COLUMNS = tuple("1234567")
PLACES = (*COLUMNS, HOME)
"""Where a card can be told to go."""


class Outcome(NamedTuple):
    """What an allowed move or draw comes to: the table after it, and what it adds to the score."""

    table: Table
    points: int


def judge_move(rules: Ruleset, table: Table, card: Card, to: str) -> Outcome | Refusal:
    """Move `card`, with all that lies on it, to a place of `PLACES`."""
    if rules.aces_first and (ace := _uncovered_ace(table)) and not (to == HOME and _ends_a_column(table, card, ace)):
        return _refused(Reason.ACE_FIRST, f"{spoken(ace)} lies uncovered and has to go home first.", card, to, ace=ace)
    for source, column in enumerate(table.columns):
        if card in column:
            at = column.index(card)
            if at < table.down[source]:
                return _not_available(card, to)
            if to == HOME:
                return _column_to_home(rules, table, card, source, at)
            return _column_to_column(rules, table, card, source, at, int(to) - 1)
    if table.waste and table.waste[-1] == card:
        return _waste_to_home(rules, table, card) if to == HOME else _waste_to_column(rules, table, card, int(to) - 1)
    suit = SUIT[card]
    if table.home[suit] == RANK[card] + 1:
        return _from_home(rules, table, card, to)
    return _not_available(card, to)


def judge_draw(rules: Ruleset, table: Table) -> Outcome | Refusal:
    """Draw from the stock, or turn the waste over when the stock is used up."""
    if not rules.draws:
        return Refusal(Reason.NO_STOCK, f"{rules.title} has no stock to draw from.", {})
    if table.stock:
        drawn, left = table.stock[: rules.draws], table.stock[rules.draws :]
        return Outcome(table._replace(stock=left, waste=table.waste + drawn), 0)
    if not table.waste:
        return Refusal(Reason.NOTHING_LEFT, "Stock and waste are both empty: there is nothing left to draw.", {})
    if rules.passes is not None and table.recycled + 1 >= rules.passes:
        times = "once" if rules.passes == 1 else f"{rules.passes} times"
        return Refusal(
            Reason.ONE_PASS, f"The stock is used up, and may be gone through only {times}.", {"limit": rules.passes}
        )
    turned = table._replace(stock=table.waste, waste=(), recycled=table.recycled + 1)
    return Outcome(turned, rules.scoring.recycle)


def targets(rules: Ruleset, table: Table, card: Card) -> tuple[str, ...]:
    """All places where `card` (with its group) may go now; columns first. Empty if it cannot move or is not seen."""
    return tuple(to for to in PLACES if isinstance(judge_move(rules, table, card, to), Outcome))


def find_a_place(rules: Ruleset, table: Table, card: Card) -> str | None:
    """Where a double click sends `card`.

    Home if it can go there; else the longest column that takes it (face-down cards counted, the lowest number
    among equals); an empty column, for a king, comes last by its length.
    """
    places = targets(rules, table, card)
    if HOME in places:
        return HOME
    return max(places, key=lambda place: len(table.columns[int(place) - 1]), default=None)


def _column_to_home(rules: Ruleset, table: Table, card: Card, source: int, at: int) -> Outcome | Refusal:
    column = table.columns[source]
    if at != len(column) - 1:
        covering = len(column) - 1 - at
        others = "1 card lies" if covering == 1 else f"{covering} cards lie"
        return _refused(
            Reason.COVERED, f"{spoken(card)} cannot go home while {others} on it.", card, HOME, covering=covering
        )
    if table.home[SUIT[card]] != RANK[card]:
        return _not_next_home(table, card)
    columns, down, turned = _without(rules, table, source, at)
    points = rules.scoring.home + turned
    return Outcome(Table(columns, down, _one_more_home(table, card), table.stock, table.waste, table.recycled), points)


def _column_to_column(rules: Ruleset, table: Table, card: Card, source: int, at: int, target: int) -> Outcome | Refusal:
    if source == target:
        return _refused(Reason.SAME_PLACE, f"{spoken(card)} is in column {target + 1} already.", card, COLUMNS[target])
    group = table.columns[source][at:]
    limit = rules.group_limit
    if limit is not None and len(group) > limit:
        return _refused(
            Reason.GROUP_TOO_LARGE,
            f"At most {limit} cards move together; {spoken(card)} has {len(group)} with it.",
            card,
            COLUMNS[target],
            limit=limit,
            cards=len(group),
        )
    if refusal := _does_not_take(rules, table, card, target):
        return refusal
    columns, down, turned = _without(rules, table, source, at)
    columns = _laid(columns, target, group)
    return Outcome(Table(columns, down, table.home, table.stock, table.waste, table.recycled), turned)


def _waste_to_home(rules: Ruleset, table: Table, card: Card) -> Outcome | Refusal:
    if table.home[SUIT[card]] != RANK[card]:
        return _not_next_home(table, card)
    home = _one_more_home(table, card)
    return Outcome(table._replace(home=home, waste=table.waste[:-1]), rules.scoring.home)


def _waste_to_column(rules: Ruleset, table: Table, card: Card, target: int) -> Outcome | Refusal:
    if refusal := _does_not_take(rules, table, card, target):
        return refusal
    columns = _laid(table.columns, target, (card,))
    return Outcome(table._replace(columns=columns, waste=table.waste[:-1]), rules.scoring.waste_to_column)


def _from_home(rules: Ruleset, table: Table, card: Card, to: str) -> Outcome | Refusal:
    if to == HOME:
        return _refused(Reason.SAME_PLACE, f"{spoken(card)} is home already.", card, to)
    if rules.home_is_final:
        return _refused(
            Reason.HOME_IS_FINAL, f"A card that is home stays there: {spoken(card)} cannot come back.", card, to
        )
    target = int(to) - 1
    if refusal := _does_not_take(rules, table, card, target):
        return refusal
    suit, home = SUIT[card], list(table.home)
    home[suit] -= 1
    columns = _laid(table.columns, target, (card,))
    return Outcome(table._replace(columns=columns, home=(home[0], home[1], home[2], home[3])), 0)


def _does_not_take(rules: Ruleset, table: Table, card: Card, target: int) -> Refusal | None:
    column = table.columns[target]
    if column:
        if column[-1] in rules.lies_on[card]:
            return None
        return _refused(
            Reason.DOES_NOT_FIT,
            f"{spoken(card)} does not fit on {spoken(column[-1])}.",
            card,
            COLUMNS[target],
            on=column[-1],
        )
    if RANK[card] == KING:
        return None
    return _refused(
        Reason.KINGS_ONLY, f"Only a king can go to an empty column; {spoken(card)} cannot.", card, COLUMNS[target]
    )


def _without(rules: Ruleset, table: Table, source: int, at: int) -> tuple[tuple[Column, ...], tuple[int, ...], int]:
    """Columns and face-down counts once the cards from `at` have left, and the points for a card turned up."""
    columns, down = table.columns, table.down
    columns = (*columns[:source], columns[source][:at], *columns[source + 1 :])
    if at and down[source] == at:
        return columns, (*down[:source], at - 1, *down[source + 1 :]), rules.scoring.turned_up
    return columns, down, 0


def _laid(columns: tuple[Column, ...], target: int, group: Column) -> tuple[Column, ...]:
    return (*columns[:target], columns[target] + group, *columns[target + 1 :])


def _one_more_home(table: Table, card: Card) -> tuple[int, int, int, int]:
    spades, hearts, diamonds, clubs = table.home
    match SUIT[card]:
        case 0:
            return spades + 1, hearts, diamonds, clubs
        case 1:
            return spades, hearts + 1, diamonds, clubs
        case 2:
            return spades, hearts, diamonds + 1, clubs
        case _:
            return spades, hearts, diamonds, clubs + 1


def _uncovered_ace(table: Table) -> Card | None:
    for column in table.columns:
        if column and column[-1][0] == "A":
            return column[-1]
    return None


def _ends_a_column(table: Table, card: Card, ace: Card) -> bool:
    """Whether `card` is an ace that lies uncovered (`ace` is one of those)."""
    return card == ace or (card[0] == "A" and any(column and column[-1] == card for column in table.columns))


def _not_next_home(table: Table, card: Card) -> Refusal:
    suit = SUIT[card]
    needs = RANKS[table.home[suit]] + SUITS[suit]
    return _refused(
        Reason.NOT_NEXT_HOME, f"{spoken(card)} cannot go home yet: {spoken(needs)} is next.", card, HOME, needs=needs
    )


def _not_available(card: Card, to: str) -> Refusal:
    # One sentence for all cases: telling them apart would tell where a hidden card lies.
    return _refused(
        Reason.NOT_AVAILABLE,
        f"{spoken(card)} cannot be moved now: it is face down, covered in the waste or at home, or in the stock.",
        card,
        to,
    )


def _refused(reason: Reason, text: str, card: Card, to: str, **facts: str | int) -> Refusal:
    return Refusal(reason, text, {"card": card, "to": to, **facts})
