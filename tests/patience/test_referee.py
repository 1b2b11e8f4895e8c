"""The referee: each rule on a table laid for it, and each refusal before the ones that come after it."""

from collections.abc import Callable

import pytest

from stampede.patience.cards import DECK
from stampede.patience.errors import Reason, Refusal
from stampede.patience.referee import (
    HOME,
    PLACES,
    Outcome,
    find_a_place,
    judge_draw,
    judge_move,
    targets,
)
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE

Lay = Callable[..., Table]

CLASSIC, RELAXED, TRADITIONAL = (CATALOGUE[f"YU1-{variant}"] for variant in "CRT")
DRAW_1, VEGAS_1, DRAW_3, VEGAS_3 = (CATALOGUE[f"KL1-{variant}"] for variant in ("D1N", "D1V", "D3N", "D3V"))
every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
every_klondike = pytest.mark.parametrize("rules", [DRAW_1, VEGAS_1, DRAW_3, VEGAS_3], ids=lambda rules: rules.name)


def reason(rules: Ruleset, table: Table, card: str, to: str) -> Reason | None:
    verdict = judge_move(rules, table, card, to)
    return verdict.reason if isinstance(verdict, Refusal) else None


def allowed(verdict: Outcome | Refusal) -> Outcome:
    assert not isinstance(verdict, Refusal), verdict
    return verdict


# Columns


@every_variant
def test_a_card_goes_on_the_next_higher_one_of_the_other_colour(rules: Ruleset, laid: Lay) -> None:
    table = laid("7H", "8S", "8C")
    after, points = allowed(judge_move(rules, table, "7H", "3"))
    assert after.columns[:3] == ((), ("8S",), ("8C", "7H"))
    assert points == 0


@every_variant
def test_no_other_rank_fits(rules: Ruleset, laid: Lay) -> None:
    table = laid("7H", "9S", "7S", "6S", "KS", "2S", "2C")
    assert [reason(rules, table, "7H", to) for to in "234567"] == [Reason.DOES_NOT_FIT] * 6


@every_variant
def test_the_same_colour_fits_in_relaxed_yukon_alone(rules: Ruleset, laid: Lay) -> None:
    table = laid("7H", "8H", "8D")
    expected = None if rules is RELAXED else Reason.DOES_NOT_FIT
    assert [reason(rules, table, "7H", to) for to in "23"] == [expected] * 2


@every_variant
def test_nothing_fits_on_an_ace_not_even_a_king(rules: Ruleset, laid: Lay) -> None:
    # In traditional Yukon the ace itself is first: that is the reason given then.
    expected = Reason.ACE_FIRST if rules is TRADITIONAL else Reason.DOES_NOT_FIT
    table = laid("AS", "KH", "2H", "2S", "QD")
    assert [reason(rules, table, card, "1") for card in ("KH", "2H", "2S", "QD")] == [expected] * 4


@every_variant
@pytest.mark.parametrize("depth", range(5))
def test_any_face_up_card_moves_with_every_card_on_it_in_sequence_or_not(rules: Ruleset, depth: int, laid: Lay) -> None:
    group = ["7H", "KS", "3D", "4D", "9C"][depth:]
    fits = {"7H": "8S", "KS": "", "3D": "4C", "4D": "5S", "9C": "TH"}[group[0]]
    table = laid("(2C) 7H KS 3D 4D 9C", "(QC) QD", fits)
    after, points = allowed(judge_move(rules, table, group[0], "3"))
    assert after.columns[2] == (*fits.split(), *group)
    assert after.columns[0] == ("2C", "7H", "KS", "3D", "4D", "9C")[: depth + 1]
    assert after.columns[1] == table.columns[1]
    assert points == (rules.scoring.turned_up if depth == 0 else 0)


@every_variant
@pytest.mark.parametrize("empty", "1234567")
def test_each_of_the_seven_columns_takes_kings_only_when_it_is_empty(rules: Ruleset, empty: str, laid: Lay) -> None:
    there = int(empty) - 1
    columns = ["KS 3H", "(2C) QH", "JD", "TS", "9H", "8C", "5D", "4S"]
    columns[there], columns[7:] = "", []
    columns[(there + 1) % 7] = "6S KH 2H"
    table = laid(*columns)
    after, _ = allowed(judge_move(rules, table, "KH", empty))
    assert after.columns[there] == ("KH", "2H")
    others = [column[-1] for column in table.columns if column]
    assert {reason(rules, table, card, empty) for card in others} == {Reason.KINGS_ONLY}


@every_variant
def test_a_king_may_go_from_one_empty_place_to_another(rules: Ruleset, laid: Lay) -> None:
    after, points = allowed(judge_move(rules, laid("KS QH"), "KS", "7"))
    assert (after.columns[0], after.columns[6], points) == ((), ("KS", "QH"), 0)


@every_variant
def test_an_empty_column_is_for_kings_even_if_another_move_would_turn_a_card(rules: Ruleset, laid: Lay) -> None:
    assert reason(rules, laid("(9C) QH", ""), "QH", "2") is Reason.KINGS_ONLY


@every_variant
def test_a_face_down_card_left_last_turns_up_by_itself(rules: Ruleset, laid: Lay) -> None:
    table = laid("(9C 4D) 7H", "8S", "(KD) KC")
    after, points = allowed(judge_move(rules, table, "7H", "2"))
    assert (after.down, after.seen(0)) == ((1, 0, 1, 0, 0, 0, 0), ("--", "4D"))
    assert points == rules.scoring.turned_up


@every_variant
def test_a_column_that_is_left_empty_turns_nothing_up(rules: Ruleset, laid: Lay) -> None:
    after, points = allowed(judge_move(rules, laid("7H", "8S"), "7H", "2"))
    assert (after.down, points) == ((0,) * 7, 0)


@every_variant
def test_a_card_is_where_it_is_already(rules: Ruleset, laid: Lay) -> None:
    table = laid("8S 7H", "KD", home="3C")
    assert reason(rules, table, "7H", "1") is Reason.SAME_PLACE
    assert reason(rules, table, "8S", "1") is Reason.SAME_PLACE
    assert reason(rules, table, "KD", "2") is Reason.SAME_PLACE
    assert reason(rules, table, "3C", HOME) is Reason.SAME_PLACE


def group_of(cards: int) -> str:
    return " ".join(["QH", *(card for card in DECK if card not in ("QH", "KS"))][:cards])


def test_in_yukon_20_cards_move_together_and_21_do_not(laid: Lay) -> None:
    for rules in (CLASSIC, RELAXED):
        assert reason(rules, laid(f"(9C) {group_of(20)}", "KS"), "QH", "2") is None
        assert reason(rules, laid(f"(9C) {group_of(21)}", "KS"), "QH", "2") is Reason.GROUP_TOO_LARGE


@every_klondike
def test_in_klondike_a_group_has_no_limit(rules: Ruleset, laid: Lay) -> None:
    assert reason(rules, laid(f"(9C) {group_of(30)}", "KS"), "QH", "2") is None


# Home


@every_variant
def test_foundations_go_up_by_suit_from_the_ace_to_the_king(rules: Ruleset, laid: Lay) -> None:
    table = laid("KD QD JD TD 9D 8D 7D 6D 5D 4D 3D 2D AD")
    for count, card in enumerate(reversed(table.columns[0]), 1):
        table, points = allowed(judge_move(rules, table, card, HOME))
        assert table.home == (0, 0, count, 0)
        assert points == rules.scoring.home
    assert table.columns[0] == ()


@every_variant
def test_neither_another_rank_nor_another_suit_will_do(rules: Ruleset, laid: Lay) -> None:
    table = laid("4S", "2S", "3H", "2D", "5S", home="2S AH KC")
    assert [reason(rules, table, card, HOME) for card in ("4S", "3H", "2D", "5S")] == [Reason.NOT_NEXT_HOME] * 4


@every_variant
def test_a_card_with_others_on_it_cannot_go_home(rules: Ruleset, laid: Lay) -> None:
    verdict = judge_move(rules, laid("9C AS KD 2H"), "AS", HOME)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.facts["covering"]) == (Reason.COVERED, 2)


@every_variant
def test_a_card_brought_home_may_turn_one_up(rules: Ruleset, laid: Lay) -> None:
    after, points = allowed(judge_move(rules, laid("(9C) AS"), "AS", HOME))
    assert (after.seen(0), points) == (("9C",), rules.scoring.home + rules.scoring.turned_up)


@every_variant
def test_a_card_comes_back_from_home_unless_that_is_final(rules: Ruleset, laid: Lay) -> None:
    table = laid("5H", "5S", "", home="4S 4C KD")
    if rules is TRADITIONAL:
        assert [reason(rules, table, card, "1") for card in ("4S", "KD")] == [Reason.HOME_IS_FINAL] * 2
        return
    after, points = allowed(judge_move(rules, table, "4S", "1"))
    assert (after.home, after.columns[0], points) == ((3, 0, 13, 4), ("5H", "4S"), 0)
    assert reason(rules, table, "KD", "3") is None
    assert reason(rules, table, "4C", "3") is Reason.KINGS_ONLY
    assert reason(rules, table, "4C", "2") is (None if rules is RELAXED else Reason.DOES_NOT_FIT)

    again, points = allowed(judge_move(rules, after, "4S", HOME))
    assert (again, points) == (table, rules.scoring.home)


@every_variant
def test_a_card_under_the_top_of_a_foundation_is_not_available(rules: Ruleset, laid: Lay) -> None:
    table = laid("5H", "4H", home="4S")
    assert {reason(rules, table, "3S", to) for to in PLACES} == {Reason.NOT_AVAILABLE}


# Aces first


def test_in_traditional_yukon_nothing_moves_while_an_ace_lies_uncovered(laid: Lay) -> None:
    table = laid("7H", "8S", "5C AD", "2C AS", "9C AH KD", home="")
    for card in DECK:
        for to in PLACES:
            expected = None if (card in ("AD", "AS") and to == HOME) else Reason.ACE_FIRST
            assert reason(TRADITIONAL, table, card, to) is expected
            assert reason(CLASSIC, table, card, to) is not Reason.ACE_FIRST
    assert targets(TRADITIONAL, table, "AS") == (HOME,)
    assert targets(TRADITIONAL, table, "7H") == ()
    verdict = judge_move(TRADITIONAL, table, "7H", "2")
    assert isinstance(verdict, Refusal)
    assert verdict.facts["ace"] == "AD"


@pytest.mark.parametrize("ace", ["AS", "AH", "AD", "AC"])
def test_the_last_ace_comes_first_like_the_others(ace: str, laid: Lay) -> None:
    others = " ".join(card for card in ("AS", "AH", "AD", "AC") if card != ace)
    table = laid("7H", "8S", f"5C {ace}", home=others)
    assert reason(TRADITIONAL, table, "7H", "2") is Reason.ACE_FIRST
    assert reason(TRADITIONAL, table, ace, HOME) is None


def test_a_covered_or_hidden_ace_holds_nothing_up(laid: Lay) -> None:
    assert reason(TRADITIONAL, laid("7H", "8S", "AD 5C", "(AS) 2C"), "7H", "2") is None


# Stock and waste


@every_klondike
def test_the_top_of_the_waste_goes_home_or_to_a_column(rules: Ruleset, laid: Lay) -> None:
    table = laid("8S", home="6H", stock="2C", waste="9C 7H")
    after, points = allowed(judge_move(rules, table, "7H", "1"))
    assert (after.columns[0], after.waste, points) == (("8S", "7H"), ("9C",), rules.scoring.waste_to_column)
    after, points = allowed(judge_move(rules, table, "7H", HOME))
    assert (after.home, after.waste, points) == ((0, 7, 0, 0), ("9C",), rules.scoring.home)


@every_klondike
def test_a_card_under_the_top_of_the_waste_or_in_the_stock_is_not_available(rules: Ruleset, laid: Lay) -> None:
    table = laid("TH", "3S", home="AC", stock="2C", waste="9C 7H")
    for card in ("9C", "2C"):
        assert {reason(rules, table, card, to) for to in PLACES} == {Reason.NOT_AVAILABLE}


@every_klondike
def test_the_waste_follows_the_rules_of_columns_and_foundations(rules: Ruleset, laid: Lay) -> None:
    table = laid("8H", "", home="5H", waste="7H")
    assert [reason(rules, table, "7H", to) for to in ("1", "2", HOME)] == [
        Reason.DOES_NOT_FIT,
        Reason.KINGS_ONLY,
        Reason.NOT_NEXT_HOME,
    ]


def test_draw_1_turns_one_card(laid: Lay) -> None:
    after, points = allowed(judge_draw(DRAW_1, laid(stock="2C 3C 4C", waste="9C")))
    assert (after.stock, after.waste, points) == (("3C", "4C"), ("9C", "2C"), 0)


@pytest.mark.parametrize(
    ("stock", "left", "waste"),
    [
        ("2C 3C 4C 5C", "5C", "9C 2C 3C 4C"),
        ("2C 3C 4C", "", "9C 2C 3C 4C"),
        ("2C 3C", "", "9C 2C 3C"),
        ("2C", "", "9C 2C"),
    ],
)
def test_draw_3_turns_three_cards_or_all_that_are_left(stock: str, left: str, waste: str, laid: Lay) -> None:
    after, _ = allowed(judge_draw(DRAW_3, laid(stock=stock, waste="9C")))
    assert (after.stock, after.waste) == (tuple(left.split()), tuple(waste.split()))


@pytest.mark.parametrize("rules", [DRAW_1, DRAW_3], ids=lambda rules: rules.name)
@pytest.mark.parametrize("cards", ["2C", "2C 3C", "2C 3C 4C", "2C 3C 4C 5C", "2C 3C 4C 5C 6C"])
def test_the_waste_turned_over_is_drawn_in_the_same_order(rules: Ruleset, cards: str, laid: Lay) -> None:
    table = laid(stock=cards)

    def tops(table: Table) -> tuple[Table, list[str]]:
        seen = []
        while table.stock:
            table, _ = allowed(judge_draw(rules, table))
            seen.append(table.waste[-1])
        return table, seen

    used_up, first = tops(table)
    assert used_up.waste == tuple(cards.split())
    turned, points = allowed(judge_draw(rules, used_up))
    assert (turned.stock, turned.waste, points) == (table.stock, (), -100)
    assert tops(turned)[1] == first


@pytest.mark.parametrize("rules", [VEGAS_1, VEGAS_3], ids=lambda rules: rules.name)
def test_vegas_goes_through_the_stock_once(rules: Ruleset, laid: Lay) -> None:
    verdict = judge_draw(rules, laid(waste="2C 3C"))
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.facts) == (Reason.ONE_PASS, {"limit": 1})


@every_klondike
def test_with_stock_and_waste_empty_nothing_is_left_to_draw(rules: Ruleset, laid: Lay) -> None:
    verdict = judge_draw(rules, laid("KS"))
    assert isinstance(verdict, Refusal)
    assert verdict.reason is Reason.NOTHING_LEFT


def test_yukon_has_no_stock(laid: Lay) -> None:
    for rules in (CLASSIC, RELAXED, TRADITIONAL):
        verdict = judge_draw(rules, laid("AS"))
        assert isinstance(verdict, Refusal)
        assert verdict.reason is Reason.NO_STOCK


# What is hidden


@every_variant
def test_a_face_down_card_is_not_available_and_nothing_tells_where_it_is(rules: Ruleset, laid: Lay) -> None:
    here, there = laid("(7H 2C) KD", "8S", "(3D) QC"), laid("(3D 7H) KD", "8S", "(2C) QC")
    for card in ("7H", "2C", "3D"):
        for to in PLACES:
            assert reason(rules, here, card, to) is Reason.NOT_AVAILABLE
            assert judge_move(rules, here, card, to) == judge_move(rules, there, card, to)
        assert targets(rules, here, card) == ()
        assert find_a_place(rules, here, card) is None


@every_klondike
def test_hidden_in_a_column_or_in_the_stock_is_said_in_the_same_words(rules: Ruleset, laid: Lay) -> None:
    here, there = laid("(7H) KD", "8S", stock="2C"), laid("(2C) KD", "8S", stock="7H")
    assert judge_move(rules, here, "7H", "2") == judge_move(rules, there, "7H", "2")


# Help


@every_variant
def test_targets_are_all_places_in_their_order(rules: Ruleset, laid: Lay) -> None:
    assert targets(rules, laid("8C", "KD 7H", "8S", "", home="6H"), "7H") == ("1", "3", HOME)
    assert targets(rules, laid("9D KD 7C", "", "QS", ""), "KD") == ("2", "4", "5", "6", "7")


@every_variant
def test_a_double_click_prefers_home(rules: Ruleset, laid: Lay) -> None:
    assert find_a_place(rules, laid("9C 8C", "7H", home="6H"), "7H") == HOME


@every_variant
def test_then_the_longest_column_with_face_down_cards_counted(rules: Ruleset, laid: Lay) -> None:
    assert find_a_place(rules, laid("KH 8C", "7H", "(2C 3C) 8S"), "7H") == "3"


@every_variant
def test_then_the_lowest_number_among_equals(rules: Ruleset, laid: Lay) -> None:
    assert find_a_place(rules, laid("7H", "8C", "8S"), "7H") == "2"


@every_variant
def test_then_an_empty_column_for_a_king(rules: Ruleset, laid: Lay) -> None:
    assert find_a_place(rules, laid("9D", "(2C) KS 3H", "", ""), "KS") == "3"


@every_variant
def test_or_nowhere(rules: Ruleset, laid: Lay) -> None:
    assert find_a_place(rules, laid("9D", "3H"), "3H") is None


# Faults of the caller


@every_variant
@pytest.mark.parametrize("to", ["0", "8", "-1", "", "Home"])
def test_a_place_that_does_not_exist_is_a_fault(rules: Ruleset, to: str, laid: Lay) -> None:
    with pytest.raises(KeyError):
        judge_move(rules, laid("7H", "8S"), "7H", to)
