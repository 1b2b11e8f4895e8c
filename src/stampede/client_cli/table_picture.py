"""A picture of one's own table: foundations, stock and waste above seven columns."""

from typing import Final

from rich.text import Text

from stampede.client_cli.card_text import DIM, Faces, clock, score
from stampede.patience.cards import RANKS, SUITS
from stampede.patience.ruleset import Ruleset
from stampede.protocol.events import Board

_WIDTH: Final = 5
"""Columns of a terminal for each of the table."""
_FANNED: Final = 3
"""How many cards of the waste are shown."""


def table_picture(faces: Faces, rules: Ruleset | None, board: Board, elapsed_ms: int | None = None) -> Text:
    """The table as several lines; `elapsed_ms` is the race's time now, if it has gone on since the board was sent."""
    lines = [_status(rules, board, elapsed_ms), _upper_row(faces, rules, board), Text()]
    lines.append(Text("".join(f"{number:>{_WIDTH - 1}} " for number in range(1, 8)), DIM))
    for row in range(max((len(column) for column in board.columns), default=0)):
        line = Text()
        for column in board.columns:
            if row < len(column):
                line.append("  ").append(faces.card(column[row])).append(" ")
            else:
                line.append(" " * _WIDTH)
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)


def _status(rules: Ruleset | None, board: Board, elapsed_ms: int | None) -> Text:
    home = sum(board.home.values())
    time = clock(board.elapsed_ms if elapsed_ms is None else elapsed_ms)
    line = Text(f"score {score(rules, board.score)}   home {home}   moves {board.moves}   time {time}")
    if board.undo_left:
        line.append(f"   undo {board.undo_left}", DIM)
    return line


def _upper_row(faces: Faces, rules: Ruleset | None, board: Board) -> Text:
    line = Text("home ")
    for suit in SUITS:
        count = board.home.get(suit, 0)
        line.append(" ").append(faces.card(RANKS[count - 1] + suit) if count else Text("-").append(faces.suit(suit)))
    if rules is None or rules.draws:
        line.append(f"   stock {board.stock}   waste ").append(_waste(faces, board))
    return line


def _waste(faces: Faces, board: Board) -> Text:
    """The upper cards of the waste, fanned; the one in brackets is the only one that can be played."""
    if not board.waste:
        return Text("empty", DIM)
    *under, top = board.waste
    line = Text(f"{len(board.waste)}: {'… ' if len(under) >= _FANNED else ''}", DIM)
    for card in under[-(_FANNED - 1) :]:
        line.append(Text(faces.card(card).plain, DIM)).append(" ")
    return line.append("[").append(faces.card(top)).append("]")
