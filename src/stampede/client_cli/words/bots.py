"""`bot`: a program that races."""

import random
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from stampede.client_cli.bots.rider import Rider
from stampede.client_cli.card_text import clock
from stampede.client_cli.line import passing_by
from stampede.client_cli.options import DEFAULT_URL, Url, Who
from stampede.client_cli.terminal import console
from stampede.client_cli.words.seats import Passphrase, RoomId


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(bot)


async def bot(
    room: RoomId,
    /,
    *,
    pace: Annotated[float, Parameter(validator=Number(gte=0), help="Seconds between two moves, more or less.")] = 1.5,
    name: Annotated[str, Parameter(help="What to call the bot.")] = "Bot",
    seed: Annotated[int | None, Parameter(help="For pauses that can be repeated.")] = None,
    passphrase: Passphrase = None,
    url: Url = DEFAULT_URL,
) -> int:
    """Send a bot into a room: it gets ready, races, and leaves after the result.

    It plays the solution of an open deal that it knows by heart, and by simple sense otherwise, seeing no more
    than any player sees.
    """
    screen = console()
    async with passing_by(Who(url=url, name=name, fresh=True), kind="bot") as client:
        sight = await Rider(client, pace_s=pace, chance=random.Random(seed)).ride(room, passphrase)
    me = sight.me
    if me is None or sight.result is None:
        screen.print(f"{name}: the race in room {room} is over.")
        return 0
    screen.print(
        f"{name}: {me.status.replace('_', ' ')}, place {me.place}, {me.home} cards home, {me.moves} moves, "
        f"{clock(me.elapsed_ms, tenths=True)}."
    )
    return 0
