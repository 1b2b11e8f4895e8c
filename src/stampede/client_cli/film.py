"""A film: a finished race played again, action by action."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.live import Live

from stampede.client_cli.beside import beside
from stampede.client_cli.card_text import Faces, clock
from stampede.client_cli.failure import Failure
from stampede.client_cli.printable import printable
from stampede.client_cli.scoreboard import standings
from stampede.client_cli.table_picture import table_picture
from stampede.client_cli.terminal import SafeConsole
from stampede.patience import codes, game
from stampede.patience.cards import SUITS
from stampede.patience.errors import Refusal
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import parse_code
from stampede.protocol.events import Board, ReplayAnswer, ReplayRacer, Standing


class Frame(NamedTuple):
    """One action, and how all stand after it."""

    elapsed_ms: int
    racer: int
    action: game.Action
    games: tuple[game.Game, ...]


def frames(replay: ReplayAnswer) -> Iterator[Frame]:
    """All racers' actions in the order of time; raises `Failure` where one is not allowed."""
    games = [_start(replay)] * len(replay.racers)
    happened = [
        (elapsed_ms, racer, number)
        for racer, one in enumerate(replay.racers)
        for number, (elapsed_ms, _) in enumerate(one.actions)
    ]
    for elapsed_ms, racer, number in sorted(happened):
        action = replay.racers[racer].actions[number][1].action()
        after = game.play(games[racer], action)
        if isinstance(after, Refusal):
            name = printable(replay.racers[racer].name)
            raise Failure(f"{name} cannot have played {action}: {after.text} See: stampede verify")
        games[racer] = after
        yield Frame(elapsed_ms, racer, action, tuple(games))


async def show(
    replay: ReplayAnswer,
    console: SafeConsole,
    *,
    speed: float,
    player: str | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Play a race at `speed` times its own; without waiting if that is 0. Follows the table of `player`."""
    followed = _followed(replay, player)
    start = _start(replay)
    now_ms = 0
    if console.is_terminal and not console.is_dumb_terminal and speed:
        with Live(console=console, auto_refresh=False) as live:
            live.update(_picture(replay, console, 0, [start] * len(replay.racers), followed), refresh=True)
            for frame in frames(replay):
                await sleep((frame.elapsed_ms - now_ms) / 1000 / speed)
                now_ms = frame.elapsed_ms
                live.update(_picture(replay, console, now_ms, frame.games, followed), refresh=True)
        return
    last: Frame | None = None
    for last in frames(replay):
        if speed:
            await sleep((last.elapsed_ms - now_ms) / 1000 / speed)
        now_ms = last.elapsed_ms
        name, now = printable(replay.racers[last.racer].name), last.games[last.racer]
        shown = start.rules.scoring.shown(now.score)
        console.print(
            f"{clock(now_ms, tenths=True):>9}  {name:<16} {last.action!s:<8} "
            f"score {shown}, home {now.table.cards_home}, moves {now.moves}"
        )
    games = last.games if last else (start,) * len(replay.racers)
    console.print(_picture(replay, console, now_ms, games, followed))


def board_of(now: game.Game, n: int, elapsed_ms: int) -> Board:
    """A game as its player sees it."""
    table = now.table
    return Board(
        n=n,
        columns=[table.seen(column) for column in range(len(table.columns))],
        home=dict(zip(SUITS, table.home, strict=True)),
        stock=len(table.stock),
        waste=table.waste,
        score=now.score,
        moves=now.moves,
        elapsed_ms=elapsed_ms,
        undo_left=now.undo_left,
    )


def _start(replay: ReplayAnswer) -> game.Game:
    try:
        return game.start_code(parse_code(replay.code), replay.settings.undo)
    except codes.BadCode as error:
        raise Failure(f"The code of this race is none: {error}") from error


def _followed(replay: ReplayAnswer, player: str | None) -> int | None:
    """Whose table is shown: that of `player`, by name or id, else the first in the standings."""
    if player is None:
        return min(range(len(replay.racers)), key=lambda at: replay.racers[at].place, default=None)
    for at, racer in enumerate(replay.racers):
        if player in (racer.player, racer.name, printable(racer.name)):
            return at
    names = ", ".join(printable(racer.name) for racer in replay.racers)
    raise Failure(f"{player!r} was not in this race; these were: {names}.")


def _picture(
    replay: ReplayAnswer,
    console: SafeConsole,
    now_ms: int,
    games: Sequence[game.Game],
    at: int | None,
) -> RenderableType:
    rules: Ruleset = _start(replay).rules
    rows = [_row(racer, now, now_ms) for racer, now in zip(replay.racers, games, strict=True)]
    rows.sort(key=lambda row: (-row.home, row.place))
    scores = standings(rules, rows)
    if at is None:
        return scores
    return beside(console, table_picture(Faces(console), rules, board_of(games[at], 0, now_ms)), scores)


def _row(racer: ReplayRacer, now: game.Game, now_ms: int) -> Standing:
    acted = [elapsed_ms for elapsed_ms, _ in racer.actions if elapsed_ms <= now_ms]
    last_ms = acted[-1] if acted else 0
    through = len(acted) == len(racer.actions)
    return Standing(
        place=racer.place,
        player=racer.player,
        name=racer.name,
        status=racer.status if through else "racing",
        score=now.score,
        moves=now.moves,
        home=now.table.cards_home,
        elapsed_ms=last_ms,
    )
