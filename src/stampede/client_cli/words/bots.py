"""`bot`: a program that races."""

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from stampede.client_cli.bots.mind import Mind
from stampede.client_cli.bots.rider import Rider
from stampede.client_cli.bots.skills import Skill, mind_of
from stampede.client_cli.card_text import clock
from stampede.client_cli.line import passing_by
from stampede.client_cli.news_lines import break_line
from stampede.client_cli.options import DEFAULT_URL, Url, Who
from stampede.client_cli.terminal import SafeConsole, console
from stampede.client_cli.words.seats import Passphrase, RoomId
from stampede.patience.variants import CATALOGUE
from stampede.protocol.events import RoomPicture
from stampede.protocol.news import Disconnected, News, Reconnected


def add_to(app: App) -> None:
    """Give `app` this command."""
    app.command(bot)


async def bot(
    room: RoomId,
    /,
    *,
    skill: Annotated[
        Skill,
        Parameter(
            help="How well it plays: habits and mistakes; two moves ahead; or imagining and solving the hidden cards."
        ),
    ] = Skill.CLUB,
    pace: Annotated[float, Parameter(validator=Number(gte=0), help="Seconds between two moves, more or less.")] = 1.5,
    name: Annotated[str, Parameter(help="What to call the bot.")] = "Bot",
    seed: Annotated[int | None, Parameter(help="For a game that can be repeated.")] = None,
    passphrase: Passphrase = None,
    url: Url = DEFAULT_URL,
) -> int:
    """Send a bot into a room: it gets ready, races, and leaves after the result.

    It sees no more than any player sees: the table, never the code. An expert takes moves back, where the room allows
    it, and remembers what it saw. The longer its pace, the better an expert thinks.
    """
    screen = console()
    chance = random.Random(seed)

    def mind(seen: RoomPicture) -> Mind:
        return mind_of(skill, CATALOGUE[seen.deal.variant], chance, pace)

    async with passing_by(Who(url=url, name=name, fresh=True), kind="bot") as client:
        telling = asyncio.create_task(_tell_of_breaks(client.events(), name, screen))
        try:
            sight = await Rider(client, mind, pace_s=pace, chance=chance).ride(room, passphrase)
        finally:
            telling.cancel()
    me = sight.me
    if me is None or sight.result is None:
        screen.print(f"{name}: the race in room {room} is over.")
        return 0
    screen.print(
        f"{name}: {me.status.replace('_', ' ')}, place {me.place}, {me.home} cards home, {me.moves} moves, "
        f"{clock(me.elapsed_ms, tenths=True)}."
    )
    return 0


async def _tell_of_breaks(heard: AsyncIterator[News], name: str, screen: SafeConsole) -> None:
    async for news in heard:
        if isinstance(news, Disconnected | Reconnected):
            screen.print(f"{name}: {break_line(news)}")
