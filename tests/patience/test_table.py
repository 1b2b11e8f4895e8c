"""The table: dealt in order, seen without what is hidden."""

from collections.abc import Callable

from stampede.patience.cards import DECK
from stampede.patience.table import Table, deal
from stampede.patience.variants import CATALOGUE


def test_yukon_deals_all_cards_to_columns_each_from_its_bottom_card_upwards() -> None:
    table = deal(CATALOGUE["YU1-C"], DECK)
    assert [len(column) for column in table.columns] == [1, 6, 7, 8, 9, 10, 11]
    assert table.down == (0, 1, 2, 3, 4, 5, 6)
    assert sum(table.columns, ()) == DECK
    assert (table.home, table.stock, table.waste) == ((0, 0, 0, 0), (), ())


def test_klondike_deals_28_cards_to_columns_and_keeps_24_in_the_stock() -> None:
    table = deal(CATALOGUE["KL1-D3V"], DECK)
    assert [len(column) for column in table.columns] == [1, 2, 3, 4, 5, 6, 7]
    assert table.down == (0, 1, 2, 3, 4, 5, 6)
    assert sum(table.columns, ()) == DECK[:28]
    assert table.stock == DECK[28:]


def test_face_down_cards_are_seen_as_two_dashes(laid: Callable[..., Table]) -> None:
    table = laid("(KD 5H) QS 3C", "", "9C")
    assert table.seen(0) == ("--", "--", "QS", "3C")
    assert table.seen(1) == ()
    assert table.seen(2) == ("9C",)


def test_it_is_won_with_all_52_cards_home_and_not_before(laid: Callable[..., Table]) -> None:
    almost = laid("KC", home="KS KH KD QC")
    assert (almost.cards_home, almost.won) == (51, False)
    full = laid(home="KS KH KD KC")
    assert (full.cards_home, full.won) == (52, True)
