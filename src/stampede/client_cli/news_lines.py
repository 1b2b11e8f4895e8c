"""News in a line each: what is told to someone who is in a room."""

from stampede.client_cli.card_text import clock, score
from stampede.client_cli.printable import printable
from stampede.client_cli.scoreboard import names
from stampede.patience.ruleset import Ruleset
from stampede.protocol.comeback import sentence
from stampede.protocol.events import Entrant, Finish, PhaseChanged, Result
from stampede.protocol.news import Disconnected, Reconnected

_NOW: dict[str, str] = {
    "ready": "is ready",
    "waiting": "is not ready yet",
    "forfeited": "has given up",
    "timed_out": "is out of time",
    "left": "has left",
}


def entrant_line(before: Entrant | None, now: Entrant) -> str | None:
    """What has changed about someone, if it is worth a line."""
    name = printable(now.name)
    if before is None or (before.status == "left" and now.status != "left"):
        return f"{name} is here{' to watch' if now.role == 'watcher' else ''}."
    if before.away is not now.away and now.status != "left":
        return f"{name} {'is away' if now.away else 'is back'}."
    if before.status != now.status and now.status in _NOW:
        return f"{name} {_NOW[now.status]}."
    return None


def phase_line(event: PhaseChanged, tail_s: int) -> str | None:
    """What a new phase means; nothing where other news say it better."""
    match event.phase:
        case "lobby":
            return "The countdown has stopped: back to the lobby."
        case "countdown" if isinstance(event.in_ms, int):
            return f"The race starts in {(event.in_ms + 500) // 1000} s."
        case "racing":
            return "GO!"
        case "closing":
            return f"The race goes on for the other places, for {clock(tail_s * 1000)} at most." if tail_s else None
        case "cancelled":
            reason = printable(event.reason) if isinstance(event.reason, str) else ""
            return f"The race is cancelled{': ' + reason if reason else ''}."
        case _:
            return None


def finish_line(rules: Ruleset | None, event: Finish, name: str) -> str:
    """Someone has all cards home."""
    points = score(rules, event.score)
    time = clock(event.elapsed_ms, tenths=True)
    return f"{printable(name)} has all 52 cards home: place {event.place}, {time}, {event.moves} moves, score {points}."


def break_line(news: Disconnected | Reconnected) -> str:
    """The line to the server is broken, or back."""
    return f"{sentence(news.why)} Coming back ..." if isinstance(news, Disconnected) else "The line is back."


def result_line(result: Result) -> str:
    """Who has won."""
    if not result.winner:
        return "The race is over, and no one has won."
    who = names(result.winner, result.standings)
    if len(result.winner) > 1:
        return f"The race is over: a dead heat, won by {who}."
    return f"The race is over. The winner is {who}."
