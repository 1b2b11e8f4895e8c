"""`deal`: the table that a code stands for."""

from typing import Annotated

from cyclopts import App, Parameter

from stampede.client_cli.card_text import Faces
from stampede.client_cli.failure import USAGE, Failure
from stampede.client_cli.film import board_of
from stampede.client_cli.table_picture import table_picture
from stampede.client_cli.terminal import console
from stampede.patience import codes, game
from stampede.patience.variants import CATALOGUE, parse_code


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(deal)


def deal(code: Annotated[str, Parameter(help="A deal code, like YU1-C-AAAAAAB.")], /) -> int:
    """Print the table that a deal code stands for, as its players see it."""
    try:
        known = parse_code(code)
    except codes.BadCode as error:
        raise Failure(str(error), USAGE) from error
    screen = console()
    rules = CATALOGUE[known.ruleset_name]
    screen.print(f"{known}: {rules.title}")
    screen.print(table_picture(Faces(screen), rules, board_of(game.start_code(known), 0, 0)))
    return 0
