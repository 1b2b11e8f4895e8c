"""`solve`: can a deal be won, and how?"""

import json as javascript
from collections.abc import Iterator
from typing import Annotated, Final

from cyclopts import App, Parameter
from cyclopts.validators import Number

from stampede.client_cli.failure import USAGE, Failure
from stampede.client_cli.terminal import console
from stampede.patience.codes import BadCode, Code, dealing_order
from stampede.patience.solver import Answer, Grade, LockSet, grade
from stampede.patience.solver import solve as solved
from stampede.patience.variants import CATALOGUE, parse_code

_ACROSS: Final = 8
"""Actions in a row of print."""


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(solve)


def solve(
    code: Annotated[str, Parameter(help="A deal code, like YU1-C-AAAAAAB.")],
    /,
    *,
    budget: Annotated[float, Parameter(validator=Number(gte=0), help="Seconds to think at most.")] = 10.0,
    json: Annotated[
        bool,
        Parameter(negative="", help="One line of JSON: code, answer, line, seconds, grade (null unless winnable)."),
    ] = False,
) -> int:
    """Say whether a deal can be won, all cards seen: winnable with a line, unwinnable, or open (the budget is spent).

    The grade says how hard a winnable deal is: easy, medium, hard or expert. Exit code 0 with each of the three
    answers.
    """
    try:
        known = parse_code(code)
    except BadCode as error:
        raise Failure(str(error), USAGE) from error
    answer = solved(known, budget_s=budget)
    hard = grade(CATALOGUE[known.ruleset_name], dealing_order(known)) if answer.answer == "winnable" else None
    if json:
        print(_as_json(known, answer, hard))
        return 0
    screen = console()
    for line in _told(known, answer, hard):
        screen.print(line)
    return 0


def _as_json(code: Code, answer: Answer, hard: Grade | None) -> str:
    return javascript.dumps(
        {
            "code": str(code),
            "answer": answer.answer,
            "line": list(answer.line),
            "seconds": round(answer.seconds, 3),
            "grade": hard,
        }
    )


def _told(code: Code, answer: Answer, hard: Grade | None) -> Iterator[str]:
    took = f"{answer.seconds:.3f} s, {answer.nodes} tables looked at"
    match answer.answer:
        case "winnable":
            yield f"{code}: winnable, {hard}; {len(answer.line)} actions ({took})."
            for at in range(0, len(answer.line), _ACROSS):
                yield "".join(f"{action:<9}" for action in answer.line[at : at + _ACROSS]).rstrip()
        case "unwinnable":
            yield f"{code}: unwinnable ({took})."
            if isinstance(answer.certificate, LockSet):
                yield f"These cards lock each other in: {' '.join(sorted(answer.certificate.cards))}."
            else:
                yield "Every way to play was followed to its end."
        case "open":
            yield f"{code}: open ({took}). It may be winnable or not; try a larger --budget."
