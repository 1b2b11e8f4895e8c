"""A seat in a room: the table and the news on the screen, what is typed to the server.

Laws of this file:
- News and typed lines are handled side by side, so that a move that waits for the line to come back does not hide
  that it broke.
- Leaving the program never gives a race up; in the lobby it frees the seat.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from rich.table import Table
from rich.text import Text

from stampede.client_cli import typed
from stampede.client_cli.card_text import Faces, clock
from stampede.client_cli.failure import FAILED
from stampede.client_cli.news_lines import entrant_line, finish_line, phase_line, result_line
from stampede.client_cli.prompt import Prompt
from stampede.client_cli.room_text import how_to_start, room_text
from stampede.client_cli.scoreboard import scoreboard, standings
from stampede.client_cli.table_picture import table_picture
from stampede.patience.cards import Card, spoken
from stampede.patience.game import Draw, Move, Undo
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import CATALOGUE
from stampede.protocol import commands, events
from stampede.protocol.client import Client
from stampede.protocol.link import ClientError, Ended, Refused, Unanswered
from stampede.protocol.news import Disconnected, HungUp, News, Reconnected, SeatLost

_BESIDE: Final = 84
"""From this width on the others stand beside the table, else below it."""
_SCORES_EVERY_S: Final = 3.0
"""How often those who only watch are shown the scores."""


class Seat:
    """Someone in a room, at a terminal. The client has entered the room already."""

    def __init__(self, client: Client, prompt: Prompt, *, watches: bool = False) -> None:
        self._client = client
        self._prompt = prompt
        self._faces = Faces(prompt.console)
        self._watches = watches
        self._known = {entrant.player: entrant for entrant in self._room.entrants}
        self._host = self._room.host
        self._scores_at = client.now()
        self._countdown: asyncio.Task[None] | None = None
        self._failed = False

    @property
    def _room(self) -> events.RoomPicture:
        room = self._client.sight.room
        assert room is not None, "a seat is in a room"  # noqa: S101 - see the class
        return room

    @property
    def _rules(self) -> Ruleset | None:
        return CATALOGUE.get(self._room.deal.variant)

    async def sit(self, lines: AsyncIterator[str], *, ready: bool = False) -> int:
        """Stay until the end of input, `quit`, or the end of the race for who only watches; the exit code."""
        heard = self._client.events()
        self._show_room()
        news = asyncio.create_task(self._read_news(heard))
        keys = asyncio.create_task(self._read_keys(lines, ready))
        # Who only watches need not type, so for them the end of input is not the end.
        waiting = {news} if self._watches else {news, keys}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (news, keys, self._countdown):
                if task is not None:
                    task.cancel()
            await asyncio.wait({news, keys})
            await self._say_goodbye()
        for task in (news, keys):
            if not task.cancelled():
                task.result()
        return FAILED if self._failed else 0

    # Typed lines.

    async def _read_keys(self, lines: AsyncIterator[str], ready: bool) -> None:
        if ready:
            await self._do(typed.Ready(True))
        self._prompt.ask()
        async for line in lines:
            self._prompt.entered()
            meant = typed.understood(line)
            if meant == typed.Word("quit"):
                return
            await self._do(meant)
            self._prompt.ask()
        self._prompt.tell("")

    async def _do(self, meant: typed.Typed) -> None:
        try:
            match meant:
                case Move() | Draw() | Undo():
                    await self._client.play(meant)
                    self._show_table()
                case typed.FindPlace(card):
                    await self._find_place(card)
                case typed.WhereTo(card):
                    await self._where_to(card)
                case typed.Ready(ready):
                    await self._client.ask(commands.Ready(ready=ready))
                case typed.Say(text):
                    await self._client.ask(commands.Say(text=text))
                case typed.Word(word):
                    await self._do_word(word)
                case typed.Unclear(text):
                    self._prompt.tell(text)
        except Refused as refused:
            self._prompt.tell(str(refused), "yellow")
        except (Unanswered, Ended) as error:
            self._prompt.tell(str(error), "yellow")

    async def _do_word(self, word: str) -> None:
        match word:
            case "help":
                self._prompt.tell(typed.HELP)
            case "forfeit":
                await self._client.ask(commands.Forfeit())
            case "start":
                await self._client.ask(commands.Start())
            case "rematch":
                await self._client.ask(commands.Rematch())
                self._known = {entrant.player: entrant for entrant in self._room.entrants}
                self._host = self._room.host
                self._show_room()
            case _:
                self._show_table()

    async def _targets(self, card: Card) -> events.TargetsAnswer | None:
        answer = await self._client.ask(commands.Targets(card=card))
        return answer if isinstance(answer, events.TargetsAnswer) else None

    async def _find_place(self, card: Card) -> None:
        targets = await self._targets(card)
        if targets is None or not isinstance(targets.best, str):
            self._prompt.tell(f"{spoken(card)} cannot go anywhere now.", "yellow")
            return
        await self._client.play(Move(card, targets.best))
        self._show_table()

    async def _where_to(self, card: Card) -> None:
        targets = await self._targets(card)
        if targets is None or not targets.to:
            self._prompt.tell(f"{spoken(card)} cannot go anywhere now.")
            return
        places = ", ".join(place if place == "home" else f"column {place}" for place in targets.to)
        self._prompt.tell(f"{spoken(card)} can go: {places}.")

    # News.

    async def _read_news(self, heard: AsyncIterator[News]) -> None:
        async for news in heard:
            self._tell(news)
            if self._watches and isinstance(news, events.Result):
                return
            if isinstance(news, events.PhaseChanged) and news.phase == "cancelled":
                return

    def _tell(self, news: News) -> None:
        match news:
            case events.EntrantChanged(entrant=entrant, host=host):
                self._tell_of(entrant, host)
            case events.PhaseChanged():
                self._count_down(news)
                if line := phase_line(news, self._room.settings.tail_s):
                    self._prompt.tell(line, "bold")
            case events.Board():
                self._show_table()
            case events.Progress():
                self._show_scores_now_and_then()
            case events.Finish(player=player):
                entrant_ = self._client.sight.entrant(player)
                self._prompt.tell(finish_line(self._rules, news, entrant_.name if entrant_ else player), "bold green")
            case events.Result():
                self._show_result(news)
            case events.Said(name=name, text=text):
                self._prompt.tell(f"{name}: {text}", "cyan")
            case events.Invitation(room=room):
                self._prompt.tell(f"A rematch is open in room {room}: type rematch to join it.", "bold")
            case events.Goodbye(reason=reason, retry_ms=retry_ms):
                self._prompt.tell(f"The server goes down ({reason}) and is expected back in {retry_ms / 1000:g} s.")
            case Disconnected(why=why):
                self._prompt.tell(f"The line is broken ({why}). Coming back ...", "yellow")
            case Reconnected():
                self._prompt.tell("The line is back.", "green")
            case SeatLost(problem=problem):
                self._prompt.tell(f"The seat is lost: {problem.text}", "red")
            case HungUp(why=why):
                self._prompt.tell(why, "red")
                self._failed = True
            case _:
                pass

    def _tell_of(self, entrant: events.Entrant, host: str) -> None:
        line = entrant_line(self._known.get(entrant.player), entrant)
        self._known[entrant.player] = entrant
        if line is not None:
            self._prompt.tell(line)
        if host != self._host:
            self._host = host
            is_host = self._client.sight.entrant(host)
            if is_host is not None:
                self._prompt.tell(f"{is_host.name} is the host now.")

    def _count_down(self, event: events.PhaseChanged) -> None:
        if self._countdown is not None:
            self._countdown.cancel()
            self._countdown = None
        starts_at = self._client.sight.starts_at
        if event.phase == "countdown" and starts_at is not None:
            self._countdown = asyncio.create_task(self._tick(starts_at))

    async def _tick(self, starts_at: float) -> None:
        """Say the last seconds as they pass."""
        while (left := starts_at - self._client.now()) > 1.0:
            seconds = int(left - 0.001)
            await asyncio.sleep(left - seconds)
            self._prompt.tell(f"{seconds} ...")

    # The screen.

    def _show_room(self) -> None:
        room = self._room
        self._prompt.tell(room_text(room))
        if room.phase == "lobby":
            self._prompt.tell(scoreboard(self._rules, room, self._client.sight.player))
            if not self._watches:
                self._prompt.tell(how_to_start(room, host=room.host == self._client.sight.player))
                self._prompt.tell("Type help to see all that can be typed.", "dim")
        elif self._client.sight.board is None:
            self._prompt.tell(scoreboard(self._rules, room, self._client.sight.player))

    def _show_table(self) -> None:
        sight = self._client.sight
        others = scoreboard(self._rules, self._room, sight.player)
        if sight.board is None:
            self._prompt.tell(others)
            return
        elapsed_ms = None
        if sight.racing and sight.starts_at is not None:
            elapsed_ms = int((self._client.now() - sight.starts_at) * 1000)
        picture = table_picture(self._faces, self._rules, sight.board, elapsed_ms)
        self._prompt.tell("")
        if self._prompt.console.width < _BESIDE:
            self._prompt.tell(picture)
            self._prompt.tell(others)
            return
        beside = Table.grid(padding=(0, 4))
        beside.add_row(picture, others)
        self._prompt.tell(beside)

    def _show_scores_now_and_then(self) -> None:
        if self._client.sight.racing or self._client.now() < self._scores_at + _SCORES_EVERY_S:
            return
        self._scores_at = self._client.now()
        starts_at = self._client.sight.starts_at
        if starts_at is not None:
            self._prompt.tell(Text(clock(int((self._scores_at - starts_at) * 1000)), "dim"))
        self._prompt.tell(scoreboard(self._rules, self._room, self._client.sight.player))

    def _show_result(self, result: events.Result) -> None:
        self._prompt.tell(result_line(result), "bold green")
        self._prompt.tell(standings(self._rules, result.standings, self._client.sight.player))
        self._prompt.tell(f"The deal was {result.code}.")
        if not self._watches:
            self._prompt.tell("Type rematch for another race, or quit.", "dim")

    async def _say_goodbye(self) -> None:
        room, sight = self._room, self._client.sight
        if sight.racing:
            self._prompt.tell(f"Your seat is kept: stampede join {room.id} brings you back to it.")
        elif room.phase in ("lobby", "countdown"):
            # Best effort: the server frees the seat of someone who stays away from a lobby anyway.
            with contextlib.suppress(ClientError, TimeoutError):
                async with asyncio.timeout(1):
                    await self._client.ask(commands.Leave())
