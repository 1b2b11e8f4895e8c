"""The picture of a table, to the letter."""

from textwrap import dedent

import pytest

from stampede.client_cli.card_text import Faces, clock
from stampede.client_cli.film import board_of
from stampede.client_cli.table_picture import table_picture
from stampede.client_cli.terminal import SafeConsole
from stampede.patience import game, notation
from stampede.patience.game import Draw, Game
from stampede.patience.variants import CATALOGUE, parse_code

from .screens import screen, shown


def dealt(code: str, *actions: str) -> Game:
    now = game.replay(game.start_code(parse_code(code)), map(notation.read, actions))
    assert isinstance(now, Game)
    return now


def picture(console: SafeConsole, now: Game, elapsed_ms: int = 0) -> str:
    console.print(table_picture(Faces(console), now.rules, board_of(now, 0, elapsed_ms)))
    return shown(console)


def lines(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_fresh_yukon_deal() -> None:
    assert picture(screen(), dealt("YU1-C-AAAAAAB")) == lines(
        """
        score 0   home 0   moves 0   time 0:00
        home  -♠ -♡ -♢ -♣

           1    2    3    4    5    6    7
          K♡   --   --   --   --   --   --
               9♢   --   --   --   --   --
               7♡   K♢   --   --   --   --
               8♣   2♢   K♠   --   --   --
               A♡   4♠   9♠   Q♡   --   --
               T♠   T♢   J♠   T♣   2♠   --
                    5♡   3♡   5♢   A♣   J♡
                         Q♢   6♡   2♣   Q♣
                              7♣   9♣   T♡
                                   5♣   6♠
                                        6♣
        """
    )


def test_letters_where_there_are_no_symbols() -> None:
    assert "\n  KH   --   --" in picture(screen(symbols=False), dealt("YU1-C-AAAAAAB"))
    assert "home  -S -H -D -C" in picture(screen(symbols=False), dealt("YU1-C-AAAAAAB"))


def test_red_cards_are_red_where_there_are_colours_and_hollow_where_there_are_none() -> None:
    coloured = screen(colours=True)
    picture(coloured, dealt("YU1-C-AAAAAAB"))
    assert "\x1b[1;31mK♥\x1b[0m" in coloured.file.getvalue()
    assert "K♡" in picture(screen(), dealt("YU1-C-AAAAAAB"))


def test_no_colour_means_no_escapes_at_all() -> None:
    assert "\x1b" not in picture(screen(), dealt("YU1-C-AAAAAAB"))


@pytest.mark.parametrize(
    ("draws", "row"),
    [
        (0, "home  -♠ -♡ -♢ -♣   stock 24   waste empty"),
        (1, "home  -♠ -♡ -♢ -♣   stock 23   waste 1: [5♢]"),
        (3, "home  -♠ -♡ -♢ -♣   stock 21   waste 3: 5♢ K♠ [A♠]"),
        (5, "home  -♠ -♡ -♢ -♣   stock 19   waste 5: … A♠ 4♣ [Q♣]"),
    ],
)
def test_the_waste_is_fanned_and_only_its_top_marked_as_playable(draws: int, row: str) -> None:
    now = dealt("KL1-D1N-AAAAAAB", *(["draw"] * draws))
    assert picture(screen(), now).splitlines()[1] == row


def test_foundations_show_their_top_cards() -> None:
    now = dealt("KL1-D1N-AAAAAAB", "draw", "draw", "draw", "AS home")
    assert picture(screen(), now).splitlines()[1].startswith("home  A♠ -♡")


def test_vegas_scores_are_money() -> None:
    assert picture(screen(), dealt("KL1-D1V-AAAAAAB")).startswith("score -$52 ")
    assert picture(screen(), dealt("KL1-D3V-AAAAAAB")).startswith("score -$52 ")


def test_undo_is_told_while_there_is_any() -> None:
    now = game.play(dealt("KL1-D1N-AAAAAAB"), Draw())
    assert isinstance(now, Game)
    assert picture(screen(), now, 62_000).splitlines()[0] == "score 0   home 0   moves 1   time 1:02   undo 1"


def test_hidden_cards_are_dashes_in_every_variant() -> None:
    for name in CATALOGUE:
        assert picture(screen(), dealt(f"{name}-AAAAAAB")).count("--") == 21


def test_times() -> None:
    assert clock(0) == "0:00"
    assert clock(62_999) == "1:02"
    assert clock(62_999, tenths=True) == "1:02.9"
    assert clock(3_600_000 * 2 + 5_000) == "2:00:05"
