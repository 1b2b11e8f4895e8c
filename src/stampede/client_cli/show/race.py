"""One race of bots, shown from the server's start to the standings."""

import asyncio
import contextlib
import random
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from stampede.client_cli.bots.skills import Skill
from stampede.client_cli.failure import Failure
from stampede.client_cli.news_lines import result_line
from stampede.client_cli.printable import printable
from stampede.client_cli.scoreboard import scoreboard, standings
from stampede.client_cli.show.processes import bot, server
from stampede.client_cli.show.screens import screen
from stampede.client_cli.terminal import SafeConsole
from stampede.patience.variants import CATALOGUE
from stampede.protocol import events
from stampede.protocol.client import Client
from stampede.protocol.commands import Open, Settings, Start
from stampede.protocol.sight import Sight

VARIANT: Final = "YU1-C"
GRADE: Final = "easy"
BOTS: Final = {"Comet": Skill.EXPERT, "Dusty": Skill.EXPERT, "Ember": Skill.CLUB}
_PACE_S: Final = 0.2
"""A race is some 110 actions then, and half a minute."""
_RACE_S: Final = 40.0
"""When the show is over, won or not."""
_AT_MOST_S: Final = 58.0
"""When the show is broken off."""
_COUNTDOWN_S: Final = 3
_TAIL_S: Final = 10


async def race_show(console: SafeConsole, chance: random.Random) -> None:
    """Show one race; raises `Failure` or `ClientError` if it cannot be shown to its end."""
    try:
        async with asyncio.timeout(_AT_MOST_S):
            with tempfile.TemporaryDirectory(prefix="stampede-") as directory:
                async with contextlib.AsyncExitStack() as stack:
                    url = await stack.enter_async_context(server(Path(directory)))
                    client = await stack.enter_async_context(Client(url, "The show"))
                    room, code = await _open(client)
                    console.print(f"A server is at {url}. Room {room} has the deal {code}, which can be won.")
                    racers = ", ".join(f"{name} ({skill})" for name, skill in BOTS.items())
                    console.print(f"{racers}: three bots, each a process of its own, who see what players see.")
                    for name, skill in BOTS.items():
                        options = ("--name", name, "--skill", skill, "--pace", f"{_PACE_S}")
                        seed = ("--seed", str(chance.getrandbits(32)))
                        await stack.enter_async_context(bot(url, room, *options, *seed))
                    await client.until(lambda sight: _ready(sight) == len(BOTS))
                    heard = client.events()
                    await client.ask(Start())
                    await _look_on(client, heard, console)
    except TimeoutError as error:
        raise Failure(f"The race did not come to its end within {_AT_MOST_S:g} s.") from error


async def _open(client: Client) -> tuple[str, str]:
    """Open a room on a proven deal; its id, and the deal's code."""
    settings = Settings(grade=GRADE, capacity=len(BOTS), start="host", countdown_s=_COUNTDOWN_S, tail_s=_TAIL_S)
    answer = await client.ask(Open(deal=VARIANT, settings=settings, role="watcher"))
    if not isinstance(answer, events.Room) or not isinstance(answer.room.deal.code, str):
        raise Failure("The server does not open a room.")
    return answer.room.id, answer.room.deal.code


def _ready(sight: Sight) -> int:
    return sum(entrant.status == "ready" for entrant in sight.room.entrants) if sight.room else 0


async def _look_on(client: Client, heard: AsyncIterator[object], console: SafeConsole) -> None:
    """Show the race until its result, or as long as the show may last."""
    shown = screen(client, console, CATALOGUE[VARIANT])
    with shown, contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_RACE_S):
            async for news in heard:
                shown.show(news)
                if isinstance(news, events.Result):
                    break
    result, room = client.sight.result, client.sight.room
    console.print()
    if result is not None:
        console.print(result_line(result), style="bold green")
    if room is not None and (result is None or not result.winner):
        console.print(_furthest(room), style="bold green")
    if result is not None:
        console.print(standings(CATALOGUE[VARIANT], result.standings))
    elif room is not None:
        console.print(scoreboard(CATALOGUE[VARIANT], room, ""))


def _furthest(room: events.RoomPicture) -> str:
    """Who came furthest in a race that no one has won."""
    racers = [entrant for entrant in room.entrants if entrant.role == "racer"]
    most = max(racer.home for racer in racers)
    who = " and ".join(printable(racer.name) for racer in racers if racer.home == most)
    return f"No one has won this time. {who} came furthest, with {most} of 52 cards home."
