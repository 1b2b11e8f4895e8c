"""`race`: see a whole race, from the server's start to the standings."""

import random
import shutil
import sys
from pathlib import Path
from typing import Annotated, Final

from cyclopts import App, Parameter

from stampede.client_cli.show.race import race_show
from stampede.client_cli.terminal import console

_YOURSELF: Final = {
    "stampede-server": "the server; it prints its address",
    "stampede host YU1-C": "open a room, and race in it",
    "stampede join ROOM": "come in, from another terminal or (--url ws://HOST:7117/ws) machine",
    "stampede bot ROOM --skill expert": "send a bot in",
}


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(race)


async def race(*, seed: Annotated[int | None, Parameter(help="For bots whose chances can be repeated.")] = None) -> int:
    """Show a race: a server, three bots, one deal. It takes about half a minute and needs nothing else."""
    screen = console()
    await race_show(screen, random.Random(seed))
    own = "" if shutil.which("stampede") else f"{Path(sys.executable).parent}/"
    screen.print()
    screen.print("Race yourself:", style="bold")
    for command, what in _YOURSELF.items():
        screen.print(f"  {own}{command:<32} {what}")
    return 0
