"""A seat in a room: the news on the screen, what is typed to the server.

Laws of this file:
- News and typed lines are handled side by side, so that a move that waits for the line to come back does not hide
  that it broke.
- Leaving the program never gives a race up; in the lobby it frees the seat.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from stampede.client_cli import advice, typed
from stampede.client_cli.failure import FAILED
from stampede.client_cli.prompt import Prompt
from stampede.client_cli.seat_screen import SeatScreen
from stampede.patience.cards import Card, spoken
from stampede.patience.game import Draw, Move, Undo
from stampede.protocol import commands, events
from stampede.protocol.client import Client
from stampede.protocol.link import ClientError, Ended, Refused, Unanswered
from stampede.protocol.news import HungUp, News, SeatLost

_QUIT: Final = typed.Word("quit")


class Seat:
    """Someone in a room, at a terminal. The client has entered the room already."""

    def __init__(self, client: Client, prompt: Prompt, *, watches: bool = False) -> None:
        self._client = client
        self._prompt = prompt
        self._screen = SeatScreen(client, prompt, watches=watches)
        self._watches = watches
        self._failed = False

    async def sit(self, lines: AsyncIterator[str], *, ready: bool = False) -> int:
        """Stay until the end of input, `quit`, or the end of the race for who only watches; the exit code."""
        heard = self._client.events()
        self._screen.show_room()
        entered: asyncio.Queue[typed.Typed | None] = asyncio.Queue()
        work = (self._read_news(heard), self._read_keys(lines, entered), self._do_what_is_entered(entered, ready))
        tasks = {asyncio.create_task(task) for task in work}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._screen.close()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await self._say_goodbye()
        for task in tasks:
            if not task.cancelled():
                task.result()
        return FAILED if self._failed else 0

    async def _read_news(self, heard: AsyncIterator[News]) -> None:
        async for news in heard:
            self._screen.show(news)
            match news:
                case SeatLost() | HungUp():
                    self._failed = True
                    return
                case events.Result() if self._watches:
                    return
                case events.PhaseChanged(phase="cancelled"):
                    return

    async def _read_keys(self, lines: AsyncIterator[str], entered: "asyncio.Queue[typed.Typed | None]") -> None:
        """Understand each line; returns if it is `quit` and what came before may have to wait for long."""
        async for line in lines:
            self._prompt.entered()
            meant = typed.understood(line)
            if meant == _QUIT and not self._client.connected:
                return
            entered.put_nowait(meant)
        if not self._watches:
            # Who only watches need not type, so for them the end of input is not the end.
            entered.put_nowait(None)
        await asyncio.Event().wait()

    async def _do_what_is_entered(self, entered: "asyncio.Queue[typed.Typed | None]", ready: bool) -> None:
        """Do one thing after the other, until `quit` or the end of input."""
        if ready:
            await self._do(typed.Ready(True))
        while True:
            self._prompt.ask()
            meant = await entered.get()
            if meant is None or meant == _QUIT:
                return
            await self._do(meant)

    async def _do(self, meant: typed.Typed) -> None:
        try:
            match meant:
                case Move() | Draw() | Undo():
                    await self._client.play(meant)
                    self._screen.show_table()
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
        except (Refused, Unanswered, Ended) as error:
            self._prompt.tell(advice.refusal(error), "yellow")

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
                self._screen.show_room()
            case _:
                self._screen.show_table()

    async def _targets(self, card: Card) -> events.TargetsAnswer | None:
        answer = await self._client.ask(commands.Targets(card=card))
        return answer if isinstance(answer, events.TargetsAnswer) else None

    async def _find_place(self, card: Card) -> None:
        targets = await self._targets(card)
        if targets is None or not isinstance(targets.best, str):
            self._prompt.tell(f"{spoken(card)} cannot go anywhere now.", "yellow")
            return
        await self._client.play(Move(card, targets.best))
        self._screen.show_table()

    async def _where_to(self, card: Card) -> None:
        targets = await self._targets(card)
        if targets is None or not targets.to:
            self._prompt.tell(f"{spoken(card)} cannot go anywhere now.")
            return
        places = ", ".join(place if place == "home" else f"column {place}" for place in targets.to)
        self._prompt.tell(f"{spoken(card)} can go: {places}.")

    async def _say_goodbye(self) -> None:
        sight = self._client.sight
        self._prompt.leave()
        if sight.room is None:
            return
        if sight.racing:
            self._prompt.tell(f"Your seat is kept: stampede join {sight.room.id} brings you back to it.")
        elif sight.room.phase in ("lobby", "countdown"):
            # Best effort: the server frees the seat of someone who stays away from a lobby anyway.
            with contextlib.suppress(ClientError, TimeoutError):
                async with asyncio.timeout(1):
                    await self._client.ask(commands.Leave())
