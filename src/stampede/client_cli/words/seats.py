"""`host`, `join`, `watch` and `rooms`: finding a room and sitting in it."""

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from stampede.client_cli import keyboard
from stampede.client_cli.line import as_player, passing_by
from stampede.client_cli.options import RoomOptions, Who
from stampede.client_cli.printable import printable
from stampede.client_cli.prompt import Prompt
from stampede.client_cli.seat import Seat
from stampede.client_cli.terminal import console
from stampede.patience.variants import CATALOGUE
from stampede.protocol.client import Client
from stampede.protocol.commands import Join, Open, Role, Rooms
from stampede.protocol.events import RoomsAnswer

_NO_OPTIONS = RoomOptions()
_SOMEONE = Who()

RoomId = Annotated[str, Parameter(help="The room, as its host was told.")]
Passphrase = Annotated[str | None, Parameter(env_var="STAMPEDE_PASSPHRASE", help="The room's passphrase.")]
AtOnce = Annotated[bool, Parameter(name="--ready", negative="", help="Be ready at once.")]


def add_to(app: App) -> None:
    """Give `app` these commands."""
    for command in (host, join, watch, rooms):
        app.command(command)


async def host(
    deal: Annotated[str, Parameter(help="A variant for a fresh deal, like YU1-C, or a code, like YU1-C-AAAAAAB.")],
    /,
    *,
    options: RoomOptions = _NO_OPTIONS,
    watching: Annotated[bool, Parameter(name="--watch", negative="", help="Host without racing.")] = False,
    ready: AtOnce = False,
    who: Who = _SOMEONE,
) -> int:
    """Open a room on a deal, and race in it.

    Variants: YU1-C Yukon, YU1-R relaxed, YU1-T traditional; KL1-D1N and KL1-D3N Klondike (draw 1 or 3),
    KL1-D1V and KL1-D3V the same with Vegas scoring.
    """
    async with as_player(who) as client:
        role: Role = "watcher" if watching else "racer"
        await client.ask(Open(deal=deal, settings=options.settings(), role=role))
        prompt = _prompt()
        room = client.sight.room
        if room is not None:
            prompt.tell(f"Others come in with: stampede join {room.id}", "bold")
        return await _sit(client, prompt, ready=ready)


async def join(room: RoomId, /, *, passphrase: Passphrase = None, ready: AtOnce = False, who: Who = _SOMEONE) -> int:
    """Race in a room, or come back to a seat there.

    Moves are typed: `td 5`, `as home`, `td` alone to find a place, `d` to draw, `u` to undo; `help` tells them all.
    """
    async with as_player(who) as client:
        await client.ask(Join(room=room, passphrase=passphrase))
        return await _sit(client, _prompt(), ready=ready)


async def watch(room: RoomId, /, *, passphrase: Passphrase = None, who: Who = _SOMEONE) -> int:
    """Watch a race to its end: scores, places and chat. Cards are shown to no one while it goes on.

    Where you race yourself, give another --name: with your own, you take your seat over.
    """
    async with as_player(who) as client:
        await client.ask(Join(room=room, role="watcher", passphrase=passphrase))
        return await _sit(client, _prompt(), watches=True)


async def rooms(*, who: Who = _SOMEONE) -> int:
    """List the rooms that are open to all."""
    async with passing_by(who) as client:
        answer = await client.ask(Rooms())
    screen = console()
    found = answer.rooms if isinstance(answer, RoomsAnswer) else []
    if not found:
        screen.print("No room is listed. Open one with: stampede host YU1-C --listed")
        return 0
    table = Table(box=None, pad_edge=False, padding=(0, 2), header_style="dim")
    for column in ("room", "game", "phase", "racers", "title"):
        table.add_column(column, no_wrap=column != "title")
    for room in found:
        rules = CATALOGUE.get(room.variant)
        title = printable(room.title) + (" (passphrase)" if room.passphrase else "")
        game = rules.title if rules else printable(room.variant)
        table.add_row(printable(room.id), game, room.phase, f"{room.racers}/{room.capacity}", title.strip())
    screen.print(table)
    return 0


def _prompt() -> Prompt:
    return Prompt(console(), person=keyboard.is_person())


async def _sit(client: Client, prompt: Prompt, *, ready: bool = False, watches: bool = False) -> int:
    return await Seat(client, prompt, watches=watches).sit(keyboard.typed_lines(), ready=ready)
