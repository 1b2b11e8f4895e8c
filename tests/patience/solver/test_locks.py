"""Lock sets: the finder's certificates, and a checker that is hard to please."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience.solver.vectors import winnable
from stampede.patience.cards import DECK
from stampede.patience.codes import OPEN_LENGTH, Code, dealing_order, payload
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import lock_fault, locked
from stampede.patience.solver.locks import locked_table
from stampede.patience.table import Table, deal
from stampede.patience.variants import CATALOGUE

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)


def fresh(rules: Ruleset, number: int) -> Table:
    code = Code(rules.game, rules.variant, payload(number, OPEN_LENGTH))
    return deal(rules, dealing_order(code))


@every_variant
def test_every_certificate_passes_the_checker(rules: Ruleset) -> None:
    found = 0
    for number in range(400):
        table = fresh(rules, number)
        if locks := locked_table(rules, table):
            found += 1
            assert lock_fault(rules, table.columns, table.down, locks.cards) is None
    assert found >= (0 if rules.variant == "R" else 2)


def test_a_certificate_is_the_greatest_and_any_further_card_is_refused() -> None:
    rules = CATALOGUE["YU1-C"]
    checked = 0
    for number in range(400):
        table = fresh(rules, number)
        if locks := locked_table(rules, table):
            for card in set(DECK) - locks.cards:
                checked += 1
                assert lock_fault(rules, table.columns, table.down, locks.cards | {card}) is not None
    assert checked > 100


@given(st.integers(0, 2**35 - 1), st.sampled_from(list(CATALOGUE.values())), st.frozensets(st.sampled_from(DECK)))
def test_the_checker_believes_no_set_that_the_finder_does_not_contain(
    number: int, rules: Ruleset, claimed: frozenset[str]
) -> None:
    table = fresh(rules, number)
    locks = locked_table(rules, table)
    if locks is None or not claimed <= locks.cards:
        assert lock_fault(rules, table.columns, table.down, claimed) is not None


def test_an_empty_set_proves_nothing() -> None:
    table = fresh(CATALOGUE["YU1-C"], 1)
    assert lock_fault(CATALOGUE["YU1-C"], table.columns, table.down, frozenset()) == "an empty set proves nothing"


def test_a_card_of_the_stock_is_never_locked() -> None:
    table = fresh(CATALOGUE["KL1-D1N"], 1)
    fault = lock_fault(CATALOGUE["KL1-D1N"], table.columns, table.down, frozenset(table.stock[:1]))
    assert fault == f"{table.stock[0]} lies in no column"


def test_no_deal_that_has_been_won_is_locked() -> None:
    for code, _ in winnable():
        assert locked(CATALOGUE[code.ruleset_name], dealing_order(code)) is None


def test_the_order_of_the_cards_decides_and_nothing_else() -> None:
    order = list(DECK)
    Random(1).shuffle(order)
    assert locked(CATALOGUE["YU1-C"], order) == locked(CATALOGUE["YU1-C"], tuple(order))
