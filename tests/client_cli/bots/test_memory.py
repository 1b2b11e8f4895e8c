"""What a player remembers: no more than was shown, and that until the end."""

import random

from stampede.client_cli.bots.memory import Memory
from stampede.client_cli.bots.mind import visible_table
from stampede.client_cli.bots.novice import Novice
from stampede.client_cli.film import board_of
from stampede.patience import game
from stampede.patience.cards import DECK, HIDDEN
from stampede.patience.game import Draw, Game, Undo
from stampede.patience.table import Table

from .play import deal, rules_of


def cards_of(table: Table) -> list[str]:
    home = [card for suit in range(4) for card in DECK[13 * suit : 13 * suit + table.home[suit]]]
    return sorted([*(card for column in table.columns for card in column), *table.stock, *table.waste, *home])


def test_an_imagined_table_is_a_whole_deck_that_looks_the_same() -> None:
    for variant in ("YU1-C", "YU1-T", "KL1-D1N", "KL1-D3V"):
        memory, chance = Memory(), random.Random(1)
        mind, now = Novice(rules_of(variant), random.Random(2)), deal(variant, 4)
        for n in range(80):
            board = board_of(now, n, 0)
            imagined = memory.imagine(memory.see(board), chance)
            assert cards_of(imagined) == sorted(DECK)
            assert imagined.down == now.table.down
            assert [list(imagined.seen(at)) for at in range(7)] == [list(column) for column in board.columns]
            assert (imagined.waste, len(imagined.stock), imagined.home) == (
                now.table.waste,
                len(now.table.stock),
                now.table.home,
            )
            action = mind.choose(board, ())
            if action is None:
                break
            after = game.play(now, action)
            assert isinstance(after, Game)
            now = after


def test_nothing_is_known_at_first_but_what_lies_open() -> None:
    memory, start = Memory(), deal("YU1-C", 4)
    table = memory.see(board_of(start, 0, 0))
    hidden = sorted(
        card for column, down in zip(start.table.columns, start.table.down, strict=True) for card in column[:down]
    )
    assert sorted(memory.unseen(table)) == hidden


def test_a_card_that_was_turned_up_is_remembered_after_an_undo() -> None:
    for number in range(20):
        memory, now, n = Memory(), deal("YU1-C", number), 0
        mind = Novice(now.rules, random.Random(number))
        unseen = memory.unseen(memory.see(board_of(now, 0, 0)))
        while now.table.down == deal("YU1-C", number).table.down:
            action = mind.choose(board_of(now, n, 0), ())
            after = game.play(now, action) if action is not None else None
            assert isinstance(after, Game)
            now, n = after, n + 1
            memory.see(board_of(now, n, 0))
        turned = next(
            column[down]
            for column, down, was in zip(
                now.table.columns, now.table.down, deal("YU1-C", number).table.down, strict=True
            )
            if down != was
        )
        back = game.play(now, Undo())
        assert isinstance(back, Game)
        table = memory.see(board_of(back, n + 1, 0))
        assert memory.unseen(table) == [card for card in unseen if card != turned]
        imagined = memory.imagine(table, random.Random(1))
        at = next(at for at, down in enumerate(back.table.down) if down != now.table.down[at])
        assert imagined.columns[at][now.table.down[at]] == turned
        assert visible_table(board_of(back, 0, 0)).columns[at][now.table.down[at]] == HIDDEN


def test_the_talon_keeps_its_order_when_the_waste_is_turned() -> None:
    memory, now = Memory(), deal("KL1-D1N", 8)
    order = now.table.stock
    memory.see(board_of(now, 0, 0))
    for n in range(1, 26):  # all 24 cards, and the turn
        after = game.play(now, Draw())
        assert isinstance(after, Game)
        now = after
        table = memory.see(board_of(now, n, 0))
    assert not now.table.waste
    assert memory.imagine(table, random.Random(5)).stock == order


def test_who_comes_back_into_a_game_knows_what_lies_there_and_no_more() -> None:
    now = deal("KL1-D3N", 8)
    for _ in range(3):
        after = game.play(now, Draw())
        assert isinstance(after, Game)
        now = after
    memory = Memory()
    table = memory.see(board_of(now, 3, 0))
    assert set(memory.unseen(table)).isdisjoint(now.table.waste)
    assert cards_of(memory.imagine(table, random.Random(1))) == sorted(DECK)
