"""`replay` and `verify`: looking at a finished race."""

import math
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from stampede.client_cli import film, replays
from stampede.client_cli.audit import audit
from stampede.client_cli.failure import FAILED
from stampede.client_cli.line import passing_by
from stampede.client_cli.options import Who
from stampede.client_cli.terminal import console
from stampede.protocol.events import ReplayAnswer

_SOMEONE = Who()

Source = Annotated[str, Parameter(help="A room whose race is over, or a file with its replay.")]


def add_to(app: App) -> None:
    """Give `app` these commands."""
    app.command(replay)
    app.command(verify)


async def replay(
    source: Source,
    /,
    *,
    speed: Annotated[
        float,
        Parameter(validator=Number(gte=0), help="How many times as fast as it was; 0: without waiting at all."),
    ] = 4.0,
    player: Annotated[str | None, Parameter(help="Whose table to follow; the winner's unless given.")] = None,
    save: Annotated[str | None, Parameter(help="Write the replay to this file (JSON), and do not play it.")] = None,
    who: Who = _SOMEONE,
) -> int:
    """Play a finished race again in the terminal."""
    race = await _fetch(source, who)
    screen = console()
    if save is not None:
        replays.save(race, save)
        screen.print(f"The replay of {race.room} is in {save}.")
        return 0
    await film.show(race, screen, speed=0 if math.isinf(speed) or math.isnan(speed) else speed, player=player)
    return 0


async def verify(source: Source, /, *, who: Who = _SOMEONE) -> int:
    """Check a finished race without trusting the server.

    Commitment, code, deal, every move of every racer and the places are judged again here. Exit code 1 if anything
    is wrong.
    """
    race = await _fetch(source, who)
    screen = console()
    well = True
    for finding in audit(race):
        screen.print("ok   " if finding.well else "WRONG", finding.text, style="" if finding.well else "bold red")
        well = well and finding.well
    screen.print("All is well." if well else "Something is wrong with this race.", style="bold")
    return 0 if well else FAILED


async def _fetch(source: str, who: Who) -> ReplayAnswer:
    if replays.is_file(source):
        return replays.from_file(source)
    async with passing_by(who) as client:
        return await replays.from_room(client, source)
