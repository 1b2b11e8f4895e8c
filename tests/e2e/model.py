"""A plain model of the rules, written from their description alone; it knows nothing of the project's own referee.

Slow and simple on purpose: piles are lists of cards, the past is a list of copies.
"""

import copy
from hashlib import sha256
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "SHDC"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
PLACES = ["1", "2", "3", "4", "5", "6", "7", "home"]
VARIANTS = ["YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D1V", "KL1-D3N", "KL1-D3V"]


def rank(card: str) -> int:
    return RANKS.index(card[0]) + 1


def is_red(card: str) -> bool:
    return card[1] in "HD"


class Model:
    """One player's game."""

    def __init__(self, code: str, undo_limit: int = 100) -> None:
        game, self.variant, payload = code.split("-")
        self.yukon = game == "YU1"
        self.vegas = self.variant.endswith("V")
        self.draws = int(self.variant[1]) if not self.yukon else 0
        self.undo_limit = undo_limit
        deck = sorted(DECK, key=lambda card: sha256(f"{game}-{payload}:{card}".encode()).digest())
        self.columns: list[list[str]] = []
        self.down: list[int] = []
        for at in range(7):
            size = (1 if at == 0 else at + 5) if self.yukon else at + 1
            self.columns.append(deck[:size])
            self.down.append(at)
            deck = deck[size:]
        self.stock = deck
        self.waste: list[str] = []
        self.home = dict.fromkeys(SUITS, 0)
        self.score = -52 if self.vegas else 0
        self.moves = 0
        self.past: list[dict[str, Any]] = []

    # What can be seen.

    @property
    def won(self) -> bool:
        return sum(self.home.values()) == 52

    @property
    def undo_left(self) -> int:
        return 0 if self.won else len(self.past)

    def view(self) -> dict[str, Any]:
        """The table as its player sees it."""
        return {
            "columns": [["--"] * down + column[down:] for column, down in zip(self.columns, self.down, strict=True)],
            "home": dict(self.home),
            "stock": len(self.stock),
            "waste": list(self.waste),
        }

    # What can be done.

    def act(self, action: str) -> str:
        """Do `CARD TO`, `draw` or `undo`: `ok`, or the code of the refusal."""
        if self.won:
            return "game.over"
        if action == "undo":
            if not self.past:
                return "undo.nothing"
            self.__dict__.update(self.past.pop())
            return "ok"
        refusal = self.draw_refusal() if action == "draw" else self.refusal(*action.split())
        if refusal:
            return refusal
        kept = ("columns", "down", "stock", "waste", "home", "score")
        before = {name: copy.deepcopy(getattr(self, name)) for name in kept}
        if action == "draw":
            self.draw()
        else:
            self.move(*action.split())
        self.past = [*self.past, before][-self.undo_limit :] if self.undo_limit else []
        self.moves += 1
        return "ok"

    def draw_refusal(self) -> str | None:
        if self.yukon:
            return "draw.no_stock"
        if not self.stock and not self.waste:
            return "draw.nothing_left"
        if not self.stock and self.vegas:
            return "draw.one_pass"
        return None

    def draw(self) -> None:
        if not self.stock:
            self.stock, self.waste = self.waste, []
            self.earn(-100)
            return
        for _ in range(min(self.draws, len(self.stock))):
            self.waste.append(self.stock.pop(0))

    def where(self, card: str) -> tuple[str, int]:
        """The pile of a card, and how many cards lie on it."""
        for at, column in enumerate(self.columns):
            if card in column:
                return str(at + 1), len(column) - column.index(card) - 1
        if card in self.waste:
            return "waste", len(self.waste) - self.waste.index(card) - 1
        if card in self.stock:
            return "stock", 0
        return "home", self.home[card[1]] - rank(card)

    def refusal(self, card: str, to: str) -> str | None:
        """Why a move is not allowed; the first reason of the table that applies."""
        pile, above = self.where(card)
        in_column = pile in "1234567"
        if self.variant == "T":
            aces = [column[-1] for column in self.columns if column and column[-1][0] == "A"]
            if aces and not (card in aces and to == "home"):
                return "move.ace_first"
        if in_column:
            column = self.columns[int(pile) - 1]
            if column.index(card) < self.down[int(pile) - 1]:
                return "move.not_available"
        elif pile == "stock" or above:
            return "move.not_available"
        if pile == to:
            return "move.same_place"
        if pile == "home" and self.variant == "T":
            return "move.home_is_final"
        if to == "home":
            if in_column and above:
                return "move.covered"
            return None if rank(card) == self.home[card[1]] + 1 else "move.not_next_home"
        if self.yukon and in_column and above + 1 > 20:
            return "move.group_too_large"
        target = self.columns[int(to) - 1]
        if not target:
            return None if rank(card) == 13 else "move.kings_only"
        fits = rank(target[-1]) == rank(card) + 1 and (self.variant == "R" or is_red(target[-1]) != is_red(card))
        return None if fits else "move.does_not_fit"

    def move(self, card: str, to: str) -> None:
        pile, _ = self.where(card)
        if pile == "waste":
            group = [self.waste.pop()]
        elif pile == "home":
            self.home[card[1]] -= 1
            group = [card]
        else:
            column = self.columns[int(pile) - 1]
            at = column.index(card)
            group, self.columns[int(pile) - 1] = column[at:], column[:at]
        points = 0
        if to == "home":
            self.home[card[1]] += 1
            points += 5 if self.vegas else 10
        else:
            self.columns[int(to) - 1] += group
            if pile == "waste" and not self.vegas:
                points += 5
        for at, column in enumerate(self.columns):
            if column and len(column) == self.down[at]:
                self.down[at] -= 1
                points += 0 if self.vegas else 5
        self.earn(points)

    def earn(self, points: int) -> None:
        self.score += points
        if not self.vegas:
            self.score = max(0, self.score)

    # What help there is.

    def targets(self, card: str) -> tuple[list[str], str | None]:
        """All places where a card may go, and what a double click would do."""
        places = [] if self.won else [to for to in PLACES if self.refusal(card, to) is None]
        if not places:
            return [], None
        if "home" in places:
            return places, "home"
        size = {to: len(self.columns[int(to) - 1]) for to in places}
        return places, max(places, key=lambda to: (size[to], -int(to)))

    def legal(self) -> list[str]:
        """All allowed actions but undo."""
        moves = [f"{card} {to}" for card in DECK for to in self.targets(card)[0]]
        return moves + (["draw"] if self.draw_refusal() is None and not self.won else [])
