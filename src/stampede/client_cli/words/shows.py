"""`race`: see a whole race, from the server's start to the standings."""

import random
import shutil
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from stampede.client_cli.race_show import race_show
from stampede.client_cli.terminal import console


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(race)


async def race(*, seed: Annotated[int | None, Parameter(help="Choose the deal and the paces by this.")] = None) -> int:
    """Show a race: a server, three bots, one deal. It takes about half a minute and needs nothing else."""
    screen = console()
    await race_show(screen, random.Random(seed))
    own = "" if shutil.which("stampede") else f"{Path(sys.executable).parent}/"
    screen.print()
    screen.print("Race yourself:", style="bold")
    screen.print(f"  {own}stampede-server             the server; it prints its address")
    screen.print(f"  {own}stampede host YU1-C         open a room, and race in it")
    screen.print(
        f"  {own}stampede join ROOM          come in, from another terminal or machine (--url ws://HOST:7117/ws)"
    )
    screen.print(f"  {own}stampede bot ROOM --skill expert  send a bot in")
    return 0
