"""Where the show is seen: a scoreboard that stays in its place, or a line now and then."""

import contextlib
from typing import Final

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from stampede.client_cli.card_text import clock
from stampede.client_cli.news_lines import finish_line
from stampede.client_cli.scoreboard import scoreboard
from stampede.client_cli.terminal import SafeConsole
from stampede.patience.ruleset import Ruleset
from stampede.protocol import events
from stampede.protocol.client import Client


def screen(client: Client, console: SafeConsole, rules: Ruleset) -> "Screen":
    """The screen that suits a console."""
    live = console.is_terminal and not console.is_dumb_terminal
    return LiveBoard(client, console, rules) if live else Lines(client, console, rules)


class Screen(contextlib.AbstractContextManager["Screen", None]):
    """Where the race is shown."""

    def __init__(self, client: Client, console: SafeConsole, rules: Ruleset) -> None:
        self._client = client
        self._console = console
        self._rules = rules

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


class LiveBoard(Screen):
    """A scoreboard that stays in its place."""

    def __init__(self, client: Client, console: SafeConsole, rules: Ruleset) -> None:
        super().__init__(client, console, rules)
        self._live = Live(console=console, get_renderable=self._picture, refresh_per_second=8)

    def __enter__(self) -> "LiveBoard":
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


class Lines(Screen):
    """A line now and then, for an output that is no terminal."""

    _EVERY_S: Final = 2.0

    def __init__(self, client: Client, console: SafeConsole, rules: Ruleset) -> None:
        super().__init__(client, console, rules)
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
