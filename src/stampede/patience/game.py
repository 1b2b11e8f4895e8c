"""A game: a table with score, move count and undo; a fold of actions."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, assert_never

from stampede.patience import errors, referee
from stampede.patience.cards import Card
from stampede.patience.codes import Code, dealing_order
from stampede.patience.errors import Refusal
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table, deal
from stampede.patience.variants import CATALOGUE

UNDO_LIMIT: Final = 100
"""The most actions that can be taken back in a row, in any game."""


@dataclass(frozen=True, slots=True)
class Move:
    """Move a card, with all that lies on it, to `1`-`7` or `home`."""

    card: Card
    to: str

    def __str__(self) -> str:
        return f"{self.card} {self.to}"


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw from the stock, or turn the waste over."""

    def __str__(self) -> str:
        return "draw"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the latest move or draw."""

    def __str__(self) -> str:
        return "undo"


Action = Move | Draw | Undo


Past = tuple["Past | None", Table, int, int]
"""Table and score before an action, linked to what was before that, and how many links there are: a chain, since it
grows with every move."""


class Game(NamedTuple):
    """One player's game at one moment; `play` gives the next one. A named tuple, for speed."""

    rules: Ruleset
    table: Table
    score: int
    """In points, or in dollars where the ruleset's scoring says so."""
    moves: int = 0
    """Accepted moves and draws; an undo neither adds nor takes away."""
    undo_limit: int = UNDO_LIMIT
    undo_left: int = 0
    """How many undos are possible in a row now; at most `undo_limit`."""
    past: Past | None = None
    """What the latest actions were played on, up to `UNDO_LIMIT` of them."""
    older: Past | None = None
    """As many before those. Whatever lies further back has been let go."""

    @property
    def won(self) -> bool:
        """Whether all 52 cards are home."""
        return self.table.won


_game_of: Final[Callable[[tuple[Ruleset, Table, int, int, int, int, Past | None, Past | None]], Game]] = partial(
    tuple.__new__, Game
)
"""The same as `Game`, a third quicker."""


def start(rules: Ruleset, order: Sequence[Card], undo_limit: int = UNDO_LIMIT) -> Game:
    """A fresh game on the 52 cards of `order`, dealt from its front.

    The `undo_limit` latest actions can be taken back; `ValueError` if it is not from 0 to `UNDO_LIMIT`.
    """
    if not 0 <= undo_limit <= UNDO_LIMIT:
        raise ValueError(f"undo_limit is from 0 to {UNDO_LIMIT}, not {undo_limit}")
    return Game(rules, deal(rules, order), rules.scoring.start, 0, undo_limit)


def start_code(code: Code, undo_limit: int = UNDO_LIMIT) -> Game:
    """A fresh game on the deal of a code of the catalogue; as `start` does."""
    return start(CATALOGUE[code.ruleset_name], dealing_order(code), undo_limit)


def play(game: Game, action: Action) -> Game | Refusal:
    """The game after `action`, or why it is refused; `game` itself never changes. Costs some 3 µs."""
    rules, table, score, moves, undo_limit, undo_left, past, older = game
    if table.won:
        return errors.game_over()
    match action:
        case Move():  # not Move(card, to): taking it apart in the pattern costs more than a tenth of the judging
            outcome = referee.judge_move(rules, table, action.card, action.to)
        case Draw():
            outcome = referee.judge_draw(rules, table)
        case Undo():
            return _undone(game)
        case _:
            assert_never(action)
    if isinstance(outcome, Refusal):
        return outcome
    after, points = outcome
    moves += 1
    if undo_left < undo_limit:
        undo_left += 1
    if undo_limit:
        if past is None:
            past = (None, table, score, 1)
        elif past[3] < UNDO_LIMIT:
            past = (past, table, score, past[3] + 1)
        else:
            past, older = (None, table, score, 1), past
    if points:
        score = rules.scoring.added(score, points)
    return _game_of((rules, after, score, moves, undo_limit, undo_left, past, older))


def replay(game: Game, actions: Iterable[Action]) -> Game | Refusal:
    """The game after all of `actions`, one after the other, or the first refusal."""
    for action in actions:
        after = play(game, action)
        if isinstance(after, Refusal):
            return after
        game = after
    return game


def targets(game: Game, card: Card) -> tuple[tuple[str, ...], str | None]:
    """All places where a card may go now, and the one a double click would choose; nothing once won."""
    if game.won:
        return (), None
    places = referee.targets(game.rules, game.table, card)
    return places, referee.best_of(game.table, places)


def _undone(game: Game) -> Game | Refusal:
    rules, _, _, moves, undo_limit, undo_left, past, older = game
    if past is None:
        past, older = older, None
    if not undo_left or past is None:
        return errors.undo_nothing(undo_limit)
    earlier, table, score, _ = past
    return Game(rules, table, score, moves, undo_limit, undo_left - 1, earlier, older)
