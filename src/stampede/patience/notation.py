"""Actions as text: `TD 5`, `AS home`, `draw`, `undo`. Goes both ways."""

from stampede.patience.cards import named
from stampede.patience.game import Action, Draw, Move, Undo
from stampede.patience.referee import PLACES


def read(text: str) -> Action:
    """The action that `text` writes; raises `ValueError` saying what it should look like."""
    if text == "draw":
        return Draw()
    if text == "undo":
        return Undo()
    name, _, to = text.partition(" ")
    card = named(name)
    if card is None or to not in PLACES:
        raise ValueError(f"An action is 'CARD TO' (like 'TD 5' or 'AS home'), 'draw' or 'undo'; {text[:40]!r} is not.")
    return Move(card, to)


def write(action: Action) -> str:
    """The text of an action."""
    return str(action)
