"""`deal`: the table that a code stands for, or one drawn from the proven ones."""

import secrets
from typing import Annotated

from cyclopts import App, Parameter

from stampede.client_cli.card_text import Faces
from stampede.client_cli.failure import USAGE, Failure
from stampede.client_cli.film import board_of
from stampede.client_cli.table_picture import table_picture
from stampede.client_cli.terminal import console
from stampede.patience import catalogue, codes, game
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import Grade
from stampede.patience.variants import CATALOGUE, parse_code


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(deal)


def deal(
    deal: Annotated[str, Parameter(help="A deal code, like YU1-C-AAAAAAB, or a variant for a fresh deal.")] = "YU1-C",
    /,
    *,
    winnable: Annotated[bool, Parameter(negative="", help="A fresh deal that is proven winnable.")] = False,
    grade: Annotated[Grade | None, Parameter(help="The same, and so hard to win.")] = None,
) -> int:
    """Print the table of a deal, as its players see it."""
    proven = winnable or grade is not None
    if deal.upper() in CATALOGUE:
        known = _proven(deal.upper(), grade) if proven else _fresh(CATALOGUE[deal.upper()])
    elif proven:
        raise Failure("Where --winnable or --grade are given, name a variant, like YU1-C.", USAGE)
    else:
        try:
            known = parse_code(deal)
        except codes.BadCode as error:
            raise Failure(str(error), USAGE) from error
    screen = console()
    rules = CATALOGUE[known.ruleset_name]
    screen.print(f"{known}: {rules.title}")
    screen.print(table_picture(Faces(screen), rules, board_of(game.start_code(known), 0, 0)))
    return 0


def _fresh(rules: Ruleset) -> codes.Code:
    payload = codes.payload(secrets.randbelow(32**codes.OPEN_LENGTH), codes.OPEN_LENGTH)
    return codes.Code(rules.game, rules.variant, payload)


def _proven(variant: str, grade: Grade | None) -> codes.Code:
    """A deal of the catalogue; raises `Failure` if there is none of this kind."""
    if variant not in catalogue.VARIANTS:
        raise Failure(f"There are no proven deals of {variant}, only of {', '.join(catalogue.VARIANTS)}.", USAGE)
    if grade is not None and not catalogue.codes(variant, grade):
        raise Failure(f"There are no proven deals of {variant} that are {grade}.")
    return catalogue.pick(variant, grade, secrets.SystemRandom())
