"""The show: a server, three bots in processes of their own, one deal, and a race to its end.

Laws of this file:
- The server is a process like any other: it is started, spoken to over the wire, and stopped.
- Whatever happens, no process is left behind.
"""

import asyncio
import contextlib
import random
import re
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from stampede.client_cli.bots.skills import Skill
from stampede.client_cli.card_text import clock
from stampede.client_cli.failure import Failure
from stampede.client_cli.news_lines import finish_line, result_line
from stampede.client_cli.printable import printable
from stampede.client_cli.scoreboard import scoreboard, standings
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
_LISTENING: Final = re.compile(r"ws://[^\s\"']+/ws")
_COUNTDOWN_S: Final = 3
_TAIL_S: Final = 10


async def race_show(console: SafeConsole, chance: random.Random) -> None:
    """Show one race; raises `Failure` or `ClientError` if it cannot be shown to its end."""
    try:
        async with asyncio.timeout(_AT_MOST_S):
            with tempfile.TemporaryDirectory(prefix="stampede-") as directory:
                async with contextlib.AsyncExitStack() as stack:
                    url = await stack.enter_async_context(_server(Path(directory)))
                    client = await stack.enter_async_context(Client(url, "The show"))
                    room, code = await _open(client)
                    console.print(f"A server is at {url}. Room {room} has the deal {code}, which can be won.")
                    racers = ", ".join(f"{name} ({skill})" for name, skill in BOTS.items())
                    console.print(f"{racers}: three bots, each a process of its own, who see what players see.")
                    for name, skill in BOTS.items():
                        await stack.enter_async_context(_bot(name, skill, room, url, chance.getrandbits(32)))
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
    live = console.is_terminal and not console.is_dumb_terminal
    screen = _Live(client, console) if live else _Lines(client, console)
    with screen, contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_RACE_S):
            async for news in heard:
                screen.show(news)
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


class _Screen(contextlib.AbstractContextManager["_Screen", None]):
    """Where the race is shown."""

    def __init__(self, client: Client, console: SafeConsole) -> None:
        self._client = client
        self._console = console
        self._rules = CATALOGUE[VARIANT]

    def __exit__(self, *_: object) -> None:
        return None

    def show(self, news: object) -> None:
        """Show how the race stands after some news."""

    def _finished(self, news: events.Finish) -> str:
        entrant = self._client.sight.entrant(news.player)
        return finish_line(self._rules, news, entrant.name if entrant else news.player)

    def _time(self) -> str:
        starts_at = self._client.sight.starts_at
        if starts_at is None:
            return ""
        seconds = self._client.now() - starts_at
        return clock(int(seconds * 1000)) if seconds >= 0 else f"starts in {-seconds:.0f} s"


class _Live(_Screen):
    """A scoreboard that stays in its place."""

    def __init__(self, client: Client, console: SafeConsole) -> None:
        super().__init__(client, console)
        self._live = Live(console=console, get_renderable=self._picture, refresh_per_second=8)

    def __enter__(self) -> "_Live":
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, news: object) -> None:
        """The scoreboard shows itself; what is worth keeping is printed above it."""
        if isinstance(news, events.Finish):
            self._console.print(self._finished(news))

    def _picture(self) -> RenderableType:
        room = self._client.sight.room
        if room is None:
            return Text()
        return Group(Text(self._time(), "bold"), scoreboard(self._rules, room, ""))


class _Lines(_Screen):
    """A line now and then, for an output that is no terminal."""

    _EVERY_S: Final = 2.0

    def __init__(self, client: Client, console: SafeConsole) -> None:
        super().__init__(client, console)
        self._next_at = 0.0

    def show(self, news: object) -> None:
        """A line for each finish, and one every two seconds."""
        if isinstance(news, events.Finish):
            self._console.print(self._finished(news))
        elif isinstance(news, events.Progress) and self._client.now() >= self._next_at:
            self._next_at = self._client.now() + self._EVERY_S
            room = self._client.sight.room
            racers = [entrant for entrant in room.entrants if entrant.role == "racer"] if room else []
            shown = (
                f"{racer.name} {racer.home:2} home, score {racer.score:3}, {racer.moves:3} moves" for racer in racers
            )
            self._console.print(f"{self._time():>5}  {'   '.join(shown)}")


@contextlib.asynccontextmanager
async def _server(directory: Path) -> AsyncIterator[str]:
    """A server process on a free port, with its log in `directory`; its address."""
    log = f"sqlite:{directory / 'race.db'}"
    command = ("-m", "stampede.server", "--host", "127.0.0.1", "--port", "0", "--log", log)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
    reading: asyncio.Task[None] | None = None
    try:
        url, said = await _address(process)
        if url is None:
            raise Failure(f"The server did not start: {said}")
        reading = asyncio.create_task(_read_on(process))
        yield url
    finally:
        await _stop(process)
        if reading is not None:
            await reading


async def _address(process: Process) -> tuple[str | None, str]:
    """Read until the server says where it listens; the last that it said instead if it does not."""
    said = "it said nothing"
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while line := (await process.stdout.readline()).decode("utf-8", errors="replace"):
        said = line.strip() or said
        if found := _LISTENING.search(line):
            return found[0], said
    return None, said


async def _read_on(process: Process) -> None:
    """Read what the server says, so that it never has to wait for a reader."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while await process.stdout.read(65_536):
        pass


@contextlib.asynccontextmanager
async def _bot(name: str, skill: Skill, room: str, url: str, seed: int) -> AsyncIterator[None]:
    options = ("--url", url, "--name", name, "--skill", skill, "--pace", f"{_PACE_S}", "--seed", str(seed))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "stampede.client_cli", "bot", room, *options, stdin=DEVNULL, stdout=DEVNULL
    )
    try:
        yield
    finally:
        await _stop(process)


async def _stop(process: Process) -> None:
    """End a process: it is asked to, and after five seconds made to."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(5):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
