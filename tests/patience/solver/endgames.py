"""Small random endgames, and a brute force that plays every one of them to all its ends."""

from collections.abc import Iterator
from random import Random
from typing import Any

from stampede.patience.cards import RANKS, SUIT, SUITS
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table


def endgame(rules: Ruleset, chance: Random) -> Table:
    """A table with some 12 to 24 cards left, many of them face down."""
    home = [chance.randint(7, 10) for _ in SUITS]
    left = [rank + suit for suit, height in zip(SUITS, home, strict=True) for rank in RANKS[height:]]
    chance.shuffle(left)
    # Low cards under high ones, and kings where they keep columns from becoming empty: so some cannot be won.
    left.sort(key=lambda card: card[0] == "K" or chance.random() < 0.2)
    columns: list[list[str]] = [[] for _ in range(7)]
    for column in columns[:4]:
        column.append(left.pop())
    stock: list[str] = []
    if rules.draws:
        stock = [left.pop() for _ in range(chance.randint(1, 4))]
    deep = chance.choice((4, 5, 5, 6))
    left.sort(key=lambda card: RANKS.index(card[0]) + 6 * chance.random())
    for card in left:
        columns[chance.randint(deep, 6)].append(card)
    down = tuple(chance.randint(0, len(column) - 1) if column else 0 for column in columns)
    waste = chance.randint(0, len(stock)) if rules.passes is None else 0
    return Table(
        tuple(map(tuple, columns)),
        down,
        (home[0], home[1], home[2], home[3]),
        stock=tuple(stock[waste:]),
        waste=tuple(stock[:waste]),
    )


def can_be_won(rules: Ruleset, table: Table, most: int) -> bool | None:
    """Whether any way to play wins; None if there are more than `most` tables to look at."""
    stack, known = [table], {_key(table)}
    while stack:
        here = stack.pop()
        if here.won:
            return True
        for _, there in legal(rules, here):
            key = _key(there)
            if key not in known:
                known.add(key)
                stack.append(there)
                if len(known) > most:
                    return None
    return False


def legal(rules: Ruleset, table: Table) -> Iterator[tuple[str, Table]]:
    """Every legal action as text, with the table after it; those that go home come last."""
    columns, waste = table.columns, table.waste
    ends = {column[-1] for column in columns if column}
    aces = rules.aces_first and any(end[0] == "A" for end in ends)
    if not aces:
        if rules.draws and table.stock:
            drawn = table.stock[: rules.draws]
            yield "draw", table._replace(stock=table.stock[rules.draws :], waste=waste + drawn)
        elif rules.draws and waste and rules.passes is None:
            yield "draw", table._replace(stock=waste, waste=())
        sources = [
            (j, at)
            for j, column in enumerate(columns)
            for at in range(table.down[j], len(column))
            if len(column) - at <= (rules.group_limit or 52)
        ]
        for k, target in enumerate(columns):
            for j, at in sources:
                card = columns[j][at]
                if j != k and (target[-1] in rules.lies_on[card] if target else card[0] == "K"):
                    yield f"{card} {k + 1}", _moved(table, j, at, k)
            if waste and (target[-1] in rules.lies_on[waste[-1]] if target else waste[-1][0] == "K"):
                laid = _with(columns, k, (*target, waste[-1]))
                yield f"{waste[-1]} {k + 1}", table._replace(columns=laid, waste=waste[:-1])
            if not rules.home_is_final:
                for suit, height in enumerate(table.home):
                    card = RANKS[height - 1] + SUITS[suit]
                    if height and (target[-1] in rules.lies_on[card] if target else card[0] == "K"):
                        laid = _with(columns, k, (*target, card))
                        yield f"{card} {k + 1}", table._replace(columns=laid, home=_with(table.home, suit, height - 1))
    for j, column in enumerate(columns):
        if column and (not aces or column[-1][0] == "A"):
            suit = SUIT[column[-1]]
            if RANKS[table.home[suit] : table.home[suit] + 1] == column[-1][0]:
                there = _moved(table, j, len(column) - 1, None)
                yield f"{column[-1]} home", there._replace(home=_with(table.home, suit, table.home[suit] + 1))
    if waste and not aces:
        suit = SUIT[waste[-1]]
        if RANKS[table.home[suit] : table.home[suit] + 1] == waste[-1][0]:
            home = _with(table.home, suit, table.home[suit] + 1)
            yield f"{waste[-1]} home", table._replace(waste=waste[:-1], home=home)


def _moved(table: Table, source: int, at: int, target: int | None) -> Table:
    columns, down = table.columns, table.down
    group = columns[source][at:]
    columns = _with(columns, source, columns[source][:at])
    if target is not None:
        columns = _with(columns, target, columns[target] + group)
    if at and down[source] == at:
        down = _with(down, source, at - 1)
    return table._replace(columns=columns, down=down)


def _with(row: Any, at: int, value: Any) -> Any:
    return (*row[:at], value, *row[at + 1 :])


def _key(table: Table) -> object:
    return tuple(sorted(zip(table.columns, table.down, strict=True))), table.home, table.stock, table.waste
