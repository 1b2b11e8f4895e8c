"""What someone in a room sees: the table, the others, and the news."""

import asyncio
from typing import Final

from rich.text import Text

from stampede.client_cli import advice
from stampede.client_cli.beside import beside
from stampede.client_cli.card_text import Faces, clock
from stampede.client_cli.news_lines import break_line, entrant_line, finish_line, phase_line, result_line
from stampede.client_cli.prompt import Prompt
from stampede.client_cli.room_text import how_to_start, room_text
from stampede.client_cli.scoreboard import scoreboard, standings
from stampede.client_cli.table_picture import table_picture
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import CATALOGUE
from stampede.protocol import events
from stampede.protocol.client import Client
from stampede.protocol.link import Refused
from stampede.protocol.news import Disconnected, HungUp, News, Reconnected, SeatLost

_SCORES_EVERY_S: Final = 3.0
"""How often those who only watch are shown the scores."""


class SeatScreen:
    """Shows what the client knows of its room."""

    def __init__(self, client: Client, prompt: Prompt, *, watches: bool) -> None:
        self._client = client
        self._prompt = prompt
        self._faces = Faces(prompt.console)
        self._watches = watches
        self._known: dict[str, events.Entrant] = {}
        self._host = ""
        self._scores_at = client.now()
        self._countdown: asyncio.Task[None] | None = None

    @property
    def _rules(self) -> Ruleset | None:
        room = self._client.sight.room
        return CATALOGUE.get(room.deal.variant) if room else None

    def close(self) -> None:
        """Show nothing more."""
        if self._countdown is not None:
            self._countdown.cancel()

    def show_room(self) -> None:
        """The room, for someone who has just come in."""
        room, me = self._client.sight.room, self._client.sight.player
        if room is None:
            return
        self._known = {entrant.player: entrant for entrant in room.entrants}
        self._host = room.host
        self._prompt.tell(room_text(room))
        if self._client.sight.board is not None:
            self.show_table()
            return
        self._prompt.tell(scoreboard(self._rules, room, me))
        if room.phase == "lobby" and not self._watches:
            self._prompt.tell(how_to_start(room, host=room.host == me))
            self._prompt.tell("Type help to see all that can be typed.", "dim")
        elif room.phase == "countdown":
            self._count_down()

    def show_table(self) -> None:
        """The table with the others beside it; the others alone for who has no table."""
        sight = self._client.sight
        if sight.room is None:
            return
        others = scoreboard(self._rules, sight.room, sight.player)
        if sight.board is None:
            self._prompt.tell(others)
            return
        elapsed_ms = None
        if sight.racing and sight.starts_at is not None:
            elapsed_ms = int((self._client.now() - sight.starts_at) * 1000)
        picture = table_picture(self._faces, self._rules, sight.board, elapsed_ms)
        self._prompt.tell("")
        self._prompt.tell(beside(self._prompt.console, picture, others))

    def show(self, news: News) -> None:
        """A piece of news, if it is worth a line."""
        tell = self._prompt.tell
        match news:
            case events.EntrantChanged(entrant=entrant, host=host):
                self._tell_of(entrant, host)
            case events.PhaseChanged():
                self._show_phase(news)
            case events.Board():
                self.show_table()
            case events.Progress():
                self._show_scores_now_and_then()
            case events.Finish(player=player):
                tell(finish_line(self._rules, news, self._name(player)), "bold green")
            case events.Result():
                self._show_result(news)
            case events.Said(name=name, text=text):
                tell(f"{name}: {text}", "cyan")
            case events.Invitation(room=room):
                tell(f"A rematch is open in room {room}: type rematch to join it.", "bold")
            case events.Goodbye(reason=reason, retry_ms=retry_ms):
                tell(f"The server goes down ({reason}) and is expected back in {retry_ms / 1000:g} s.", "yellow")
            case Disconnected():
                tell(break_line(news), "yellow")
            case Reconnected():
                tell(break_line(news), "green")
            case SeatLost(problem=problem):
                tell(f"The seat is lost: {advice.refusal(Refused(problem))}", "red")
            case HungUp():
                tell(advice.end(news), "red")
            case _:
                pass

    def _name(self, player: str) -> str:
        entrant = self._client.sight.entrant(player)
        return entrant.name if entrant else player

    def _tell_of(self, entrant: events.Entrant, host: str) -> None:
        line = entrant_line(self._known.get(entrant.player), entrant)
        self._known[entrant.player] = entrant
        if line is not None:
            self._prompt.tell(line)
        if host != self._host:
            self._host = host
            self._prompt.tell(f"{self._name(host)} is the host now.")

    def _show_phase(self, event: events.PhaseChanged) -> None:
        self.close()
        room = self._client.sight.room
        if line := phase_line(event, room.settings.tail_s if room else 0):
            self._prompt.tell(line, "bold")
        if event.phase == "countdown":
            self._count_down()

    def _count_down(self) -> None:
        starts_at = self._client.sight.starts_at
        if starts_at is not None:
            self._countdown = asyncio.create_task(self._tick(starts_at))

    async def _tick(self, starts_at: float) -> None:
        """Say the last seconds as they pass."""
        while (left := starts_at - self._client.now()) > 1.0:
            seconds = int(left - 0.001)
            await asyncio.sleep(left - seconds)
            self._prompt.tell(f"{seconds} ...")

    def _show_scores_now_and_then(self) -> None:
        sight, now = self._client.sight, self._client.now()
        if sight.room is None or sight.racing or now < self._scores_at + _SCORES_EVERY_S:
            return
        self._scores_at = now
        if sight.starts_at is not None:
            self._prompt.tell(Text(clock(int((now - sight.starts_at) * 1000)), "dim"))
        self._prompt.tell(scoreboard(self._rules, sight.room, sight.player))

    def _show_result(self, result: events.Result) -> None:
        self._prompt.tell(result_line(result), "bold green")
        self._prompt.tell(standings(self._rules, result.standings, self._client.sight.player))
        self._prompt.tell(f"The deal was {result.code}.")
        if not self._watches:
            self._prompt.tell("Type rematch for another race, or quit.", "dim")
