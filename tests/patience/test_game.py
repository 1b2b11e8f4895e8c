"""A game: score, move count, undo and end, as actions are played one after the other."""

from collections.abc import Callable
from typing import Any

import pytest

from stampede.patience.cards import DECK
from stampede.patience.codes import dealing_order
from stampede.patience.errors import Reason, Refusal
from stampede.patience.game import UNDO_LIMIT, Draw, Game, Move, Undo, play, replay, start, start_code, targets
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.patience.variants import CATALOGUE, parse_code

Lay = Callable[..., Table]

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
every_yukon = pytest.mark.parametrize("name", ["YU1-C", "YU1-R", "YU1-T"])
every_klondike = pytest.mark.parametrize("name", ["KL1-D1N", "KL1-D1V", "KL1-D3N", "KL1-D3V"])
every_normal = pytest.mark.parametrize("name", ["KL1-D1N", "KL1-D3N"])
every_vegas = pytest.mark.parametrize("name", ["KL1-D1V", "KL1-D3V"])


def at(table: Table, name: str, score: int | None = None, undo_limit: int = UNDO_LIMIT) -> Game:
    """A game of the variant `name` that has come to `table`."""
    rules = CATALOGUE[name]
    return Game(rules, table, rules.scoring.start if score is None else score, 0, undo_limit)


def played(game: Game, *actions: Move | Draw | Undo) -> Game:
    after = replay(game, actions)
    assert isinstance(after, Game), after
    return after


def refused(game: Game, action: Move | Draw | Undo) -> Reason:
    verdict = play(game, action)
    assert isinstance(verdict, Refusal), action
    return verdict.reason


# The start


@every_variant
def test_a_game_starts_on_the_deal_with_nothing_played(rules: Ruleset) -> None:
    game = start(rules, DECK)
    assert (game.score, game.moves, game.undo_left, game.won) == (rules.scoring.start, 0, 0, False)


def test_a_game_starts_from_a_code() -> None:
    code = parse_code("KL1-D3V-AAAAAAG")
    game = start_code(code, 3)
    assert game == start(CATALOGUE["KL1-D3V"], dealing_order(code), 3)
    assert (game.score, game.undo_limit) == (-52, 3)


@pytest.mark.parametrize("limit", [-1, 101])
def test_an_undo_limit_out_of_range_is_a_fault(limit: int) -> None:
    with pytest.raises(ValueError, match="0 to 100"):
        start(CATALOGUE["YU1-C"], DECK, limit)


# Score and move count


@every_yukon
def test_yukon_scores_cards_home_and_cards_turned_up_and_nothing_else(name: str, laid: Lay) -> None:
    game = at(laid("(9C) 7H", "8S", "(KD) AS", "(TD) 2S", "5C 6H"), name)
    for action, score in [(Move("AS", "home"), 15), (Move("2S", "home"), 30), (Move("7H", "2"), 35)]:
        game = played(game, action)
        assert game.score == score
    assert game.moves == 3


def test_a_card_taken_back_for_nothing_scores_again_at_home(laid: Lay) -> None:
    game = at(laid("3H", home="2S"), "YU1-C", 20)
    taken = played(game, Move("2S", "1"))
    assert taken.score == 20
    again = played(taken, Move("2S", "home"))
    assert (again.score, again.moves) == (30, 2)
    assert again.table == game.table


@every_normal
def test_normal_klondike_scores_the_waste_to_a_column(name: str, laid: Lay) -> None:
    game = at(laid("(9C) 7D", "8S", "8C", home="6H", waste="7H"), name)
    assert played(game, Move("7H", "2")).score == 5
    assert played(game, Move("7H", "home")).score == 10
    assert played(game, Move("7D", "3")).score == 5


@every_vegas
def test_vegas_pays_for_cards_home_alone(name: str, laid: Lay) -> None:
    game = at(laid("(9C) 7D", "8S", "8C", "8D", home="6H", waste="7H"), name)
    assert played(game, Move("7H", "2")).score == -52
    assert played(game, Move("7D", "3")).score == -52
    assert played(game, Move("7H", "home")).score == -47


@every_normal
@pytest.mark.parametrize(("before", "after"), [(0, 0), (30, 0), (100, 0), (130, 30)])
def test_recycling_costs_100_but_never_more_than_there_is_and_undo_gives_back_exactly_that(
    name: str, before: int, after: int, laid: Lay
) -> None:
    game = at(laid("KS", waste="2C 3C"), name, before)
    recycled = played(game, Draw())
    assert (recycled.score, recycled.moves) == (after, 1)
    undone = played(recycled, Undo())
    assert (undone.score, undone.table) == (before, game.table)


def test_every_accepted_move_draw_and_recycle_counts_and_an_undo_does_not() -> None:
    game = start(CATALOGUE["KL1-D3N"], DECK)
    game = played(game, *[Draw()] * 9)
    assert game.moves == 9
    game = played(game, Undo(), Undo())
    assert game.moves == 9
    assert played(game, Draw()).moves == 10


@every_variant
def test_an_easy_deal_is_won_with_the_score_that_a_plain_win_has(rules: Ruleset, easy: Callable[..., Any]) -> None:
    order, actions = easy(rules)
    game = played(start(rules, order), *actions)
    assert game.won
    assert game.score == (208 if rules.scoring.dollars else 625)
    assert game.moves == len(actions)


# Undo


@every_klondike
def test_an_undone_draw_hides_its_cards_again(name: str, laid: Lay) -> None:
    game = at(laid("8S", home="AC", stock="9C 4D 7H 2C"), name)
    drawn = played(game, Draw())
    top = drawn.table.waste[-1]
    undone = played(drawn, Undo())
    assert undone.table == game.table
    for to in ("1", "2", "home"):
        verdict = play(undone, Move(top, to))
        assert isinstance(verdict, Refusal)
        assert verdict.reason is Reason.NOT_AVAILABLE
    assert targets(undone, top) == ((), None)


@every_variant
def test_an_undone_move_hides_the_card_that_it_turned_up(rules: Ruleset, laid: Lay) -> None:
    game = at(laid("(9C) 7H", "8S", "TD"), rules.name)
    turned = played(game, Move("7H", "2"))
    assert targets(turned, "9C") == (("3",), "3")
    undone = played(turned, Undo())
    assert (undone.table.seen(0), undone.score) == (("--", "7H"), game.score)
    assert refused(undone, Move("9C", "3")) is Reason.NOT_AVAILABLE
    assert targets(undone, "9C") == ((), None)


@every_variant
def test_no_sentence_names_a_card_that_undo_has_hidden(rules: Ruleset, laid: Lay) -> None:
    game = at(laid("(AH) 7D", "8S", "2H", "3H"), rules.name)
    undone = played(game, Move("7D", "2"), Undo())
    for card in ("2H", "3H", "7D", "8S"):
        for to in ("1", "2", "3", "4", "5", "home"):
            verdict = play(undone, Move(card, to))
            if isinstance(verdict, Refusal):
                assert "AH" not in verdict.facts.values()
                assert "A♥" not in verdict.text


@every_klondike
def test_what_was_legal_before_is_legal_again_after_undo(name: str, laid: Lay) -> None:
    game = at(laid("(9C) 7H", "8S QH", "", "KS", "(2D) KH TS", stock="5C 6C", waste="KC"), name)
    for action in (Move("7H", "2"), Move("KC", "3"), Move("KH", "3"), Move("QH", "4"), Draw()):
        after = play(game, action)
        if isinstance(after, Game):
            undone = played(after, Undo())
            assert undone.table == game.table
            assert [targets(undone, card) for card in DECK] == [targets(game, card) for card in DECK]


def test_undo_goes_back_to_the_beginning_and_no_further() -> None:
    game = start(CATALOGUE["KL1-D1N"], DECK)
    assert refused(game, Undo()) is Reason.UNDO_NOTHING
    undone = played(game, *[Draw()] * 30, *[Undo()] * 30)
    assert (undone.table, undone.score) == (game.table, game.score)
    assert refused(undone, Undo()) is Reason.UNDO_NOTHING


def test_the_100_latest_actions_can_be_undone() -> None:
    game = played(start(CATALOGUE["KL1-D1N"], DECK), *[Draw()] * 130)
    undone = played(game, *[Undo()] * 100)
    assert undone.table == played(start(CATALOGUE["KL1-D1N"], DECK), *[Draw()] * 30).table
    assert refused(undone, Undo()) is Reason.UNDO_NOTHING


def test_after_any_number_of_moves_the_latest_hundred_can_be_taken_back_and_no_more() -> None:
    shuttle = [Move("7D", "6"), Move("7D", "2")]
    game = start_code(parse_code("YU1-C-AAAAABT"))
    tables = [game.table]
    for number in range(450):
        game = played(game, shuttle[number % 2])
        tables.append(game.table)
        if number % 37 and number % 100 not in (0, 1, 99):
            continue
        undone, left = game, min(number + 1, 100)
        for back in range(1, left + 1):
            assert undone.undo_left == left - back + 1
            undone = played(undone, Undo())
            assert undone.table is tables[-1 - back]
        assert refused(undone, Undo()) is Reason.UNDO_NOTHING
        resumed = played(undone, shuttle[(number + 1 - left) % 2])
        assert played(resumed, Undo()).table is undone.table


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_lower_limit_keeps_that_many(limit: int) -> None:
    game = played(start(CATALOGUE["KL1-D1N"], DECK, limit), *[Draw()] * 10)
    assert game.undo_left == limit
    game = played(game, *[Undo()] * limit)
    assert refused(game, Undo()) is Reason.UNDO_NOTHING
    if limit:
        assert played(game, Draw(), Undo()).table == game.table


def test_an_undo_cannot_itself_be_undone() -> None:
    game = played(start(CATALOGUE["KL1-D1N"], DECK), Draw(), Draw(), Undo(), Undo())
    assert refused(game, Undo()) is Reason.UNDO_NOTHING


def test_undone_recycles_do_not_count_as_passes(laid: Lay) -> None:
    game = at(laid("KS", waste="2C 3C"), "KL1-D1N", 130)
    back = played(game, Draw(), Undo())
    assert back.table.recycled == 0


# The end


@every_variant
@pytest.mark.parametrize("path", ["column", "hidden below", "back and again", "waste"])
def test_the_52nd_card_ends_the_game_whatever_way_it_goes_home(rules: Ruleset, path: str, laid: Lay) -> None:
    almost = "KS KH KD QC"
    tables = {
        "column": laid("KC", home=almost),
        "hidden below": laid("(KC) KD", home="KS KH QD QC"),
        "back and again": laid("KC", home=almost),
        "waste": laid(home=almost, waste="KC"),
    }
    game = at(tables[path], rules.name)
    if path == "hidden below":
        game = played(game, Move("KD", "home"))
    if path == "back and again" and not rules.home_is_final:
        game = played(game, Move("KH", "2"), Move("KH", "home"))
    assert not game.won
    game = played(game, Move("KC", "home"))
    assert game.won

    for action in (Undo(), Draw(), Move("KC", "1"), Move("KC", "home"), Move("AS", "1")):
        assert refused(game, action) is Reason.GAME_OVER
    assert all(targets(game, card) == ((), None) for card in DECK)


# What others got wrong


@every_klondike
def test_the_same_move_sent_twice_moves_once(name: str, laid: Lay) -> None:
    game = played(at(laid("8S", "8C", waste="9C 7H"), name), Move("7H", "1"))
    assert refused(game, Move("7H", "1")) is Reason.SAME_PLACE
    game = played(at(laid("", waste="2H AH"), name), Move("AH", "home"))
    assert refused(game, Move("AH", "home")) is Reason.SAME_PLACE
    assert game.table.waste == ("2H",)


@every_normal
@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_the_waste_comes_again_in_order_whatever_has_been_taken_from_it(name: str, taken: int, laid: Lay) -> None:
    # Of six cards three to six are left: in threes, a remainder of none, one and two.
    cards = ["9C", "2H", "AH", "8C", "7C", "3H"]
    game = at(laid(stock=" ".join(cards)), name)
    once_through = [Draw()] * (6 // game.rules.draws)
    for card in ["AH", "2H", "3H"][:taken]:
        while card not in game.table.waste[-1:]:
            game = played(game, Draw())
        game = played(game, Move(card, "home"))
        cards.remove(card)
    while game.table.stock:
        game = played(game, Draw())
    assert list(game.table.waste) == cards
    turned = played(game, Draw())
    assert (list(turned.table.stock), turned.table.waste) == (cards, ())
    again = played(turned, *once_through[: -(-len(cards) // game.rules.draws)])
    assert (list(again.table.waste), again.table.stock) == (cards, ())
