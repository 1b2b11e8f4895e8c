"""The scoreboard: everyone in a room, side by side."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from stampede.client_cli.card_text import clock, score
from stampede.client_cli.printable import printable
from stampede.patience.ruleset import Ruleset
from stampede.protocol.events import Entrant, RoomPicture, Standing

_IN_A_RACE = ("racing", "closing", "over")


def scoreboard(rules: Ruleset | None, room: RoomPicture, me: str) -> Table:
    """Racers, best first, then watchers; `me` is marked."""
    racing = room.phase in _IN_A_RACE
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    table.add_column("")
    table.add_column("name", no_wrap=True, max_width=24, overflow="ellipsis")
    for column in ("home", "score", "moves", "time") if racing else ():
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for entrant in _in_order(room.entrants):
        place = f"{entrant.place}." if isinstance(entrant.place, int) else ""
        cells = [place, printable(entrant.name) + (" (you)" if entrant.player == me else "")]
        if racing and entrant.role == "racer":
            cells += [
                str(entrant.home),
                score(rules, entrant.score),
                str(entrant.moves),
                clock(entrant.elapsed_ms, tenths=entrant.status == "finished"),
            ]
        elif racing:
            cells += [""] * 4
        table.add_row(*cells, _state(entrant, room))
    return table


def standings(rules: Ruleset | None, rows: Iterable[Standing], me: str = "") -> Table:
    """The final table."""
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    table.add_column("")
    table.add_column("name", no_wrap=True, max_width=24, overflow="ellipsis")
    for column in ("home", "score", "moves", "time"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        table.add_row(
            f"{row.place}.",
            printable(row.name) + (" (you)" if row.player == me else ""),
            str(row.home),
            score(rules, row.score),
            str(row.moves),
            clock(row.elapsed_ms, tenths=True),
            row.status.replace("_", " "),
        )
    return table


def names(ids: Iterable[str], rows: Iterable[Standing]) -> str:
    """The names of these players: `Ada`, `Ada and Bob`."""
    called = {row.player: printable(row.name) for row in rows}
    known = [called.get(player, player) for player in ids]
    return " and ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)


def _state(entrant: Entrant, room: RoomPicture) -> Text:
    words = [] if entrant.status == "racing" else [entrant.status.replace("_", " ")]
    if entrant.away:
        words.append("away")
    if entrant.kind == "bot":
        words.append("bot")
    if entrant.player == room.host:
        words.append("host")
    return Text(", ".join(words), "yellow" if entrant.away else "")


def _in_order(entrants: Iterable[Entrant]) -> list[Entrant]:
    def rank(entrant: Entrant) -> tuple[bool, int, int, int]:
        place = entrant.place if isinstance(entrant.place, int) else 1_000
        return entrant.role == "watcher", place, -entrant.home, entrant.elapsed_ms if entrant.home else 0

    return sorted((entrant for entrant in entrants if entrant.status != "left"), key=rank)
