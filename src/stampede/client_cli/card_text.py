"""Cards and scores as a terminal shows them.

Suits and colours can be told apart on every terminal: red cards are red where there are colours, else hollow
(♡ ♢); where there are no symbols the suits are the letters S H D C.
"""

from typing import Final

from rich.text import Text

from stampede.client_cli.terminal import SafeConsole
from stampede.patience.cards import HIDDEN, Card
from stampede.patience.ruleset import Ruleset

_FULL: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_HOLLOW: Final = {"S": "♠", "H": "♡", "D": "♢", "C": "♣"}
RED: Final = "bold red"
BLACK: Final = "bold"
DIM: Final = "dim"


class Faces:
    """How cards look on one terminal."""

    def __init__(self, console: SafeConsole) -> None:
        self._suits = {suit: suit for suit in _FULL}
        if console.symbols:
            self._suits = _FULL if console.colours else _HOLLOW

    def card(self, card: Card) -> Text:
        """A card in two columns of a terminal, as it is typed: `TD` is `T♦`; a hidden one is `--`."""
        if card == HIDDEN:
            return Text(HIDDEN, DIM)
        return Text(card[0] + self._suits[card[1]], RED if card[1] in "HD" else BLACK)

    def suit(self, suit: str) -> Text:
        """A suit in one column of a terminal."""
        return Text(self._suits[suit], RED if suit in "HD" else BLACK)


def clock(elapsed_ms: int, *, tenths: bool = False) -> str:
    """Milliseconds as people read them: `1:02`, `1:02:03`, or `1:02.4`."""
    seconds, rest = divmod(max(0, elapsed_ms), 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{text}.{rest // 100}" if tenths else text


def score(rules: Ruleset | None, points: int) -> str:
    """A score as its game shows it; plain where the game is not known."""
    return rules.scoring.shown(points) if rules else str(points)
