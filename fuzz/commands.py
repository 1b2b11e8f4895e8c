"""Fuzzes the path of a command: a house with visitors, any commands and bytes, time that jumps, lines that break.

    python fuzz/commands.py [options of libFuzzer]

Every command is answered once; the server never has an incident; the log, folded once more, comes to the same room.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import atheris

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

with atheris.instrument_imports(include=["stampede"]):
    from server.hall.quiet_house import BOUNDLESS, Clock, Guest, open_house, settled
    from stampede.patience.cards import DECK
    from stampede.patience.referee import PLACES
    from stampede.protocol import commands as say
    from stampede.protocol.codec import JSON, BadMessage, Undecodable
    from stampede.protocol.commands import AnyCommand, Do, Settings
    from stampede.protocol.events import Error, Room
    from stampede.server.log.in_memory import InMemoryLog
    from stampede.server.race import facts
    from stampede.server.race.phases import advance
    from stampede.server.race.room import fold, opened
    from stampede.server.race.state import RoomState

NAMES = ("Ann", "Bob", "Cyd")
DEALS = ("YU1-C-AAAAAAB", "YU1-R-AAAAAAC", "YU1-T-AAAAAAD", "KL1-D1N-AAAAAAG", "KL1-D3V-AAAAAAG", "YU1-C", "KL1-D3N")


class Chooser:
    """Chooses by the fuzzer's bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = atheris.FuzzedDataProvider(data)

    @property
    def more(self) -> bool:
        return bool(self._data.remaining_bytes())

    def number(self, least: int, most: int) -> int:
        return int(self._data.ConsumeIntInRange(least, most))

    def one(self, things: Any) -> Any:
        return things[self.number(0, len(things) - 1)]

    def flag(self) -> bool:
        return bool(self._data.ConsumeBool())

    def text(self) -> str:
        return str(self._data.ConsumeUnicodeNoSurrogates(self.number(0, 30)))

    def bytes(self) -> bytes:
        return bytes(self._data.ConsumeBytes(self.number(0, 200)))


def command(choose: Chooser, room: str, n: int) -> AnyCommand | None:
    """Any command, mostly a sensible one; None for one that is no command at all."""
    match choose.number(0, 16):
        case 0:
            return say.Hello(name=choose.text() or "X")
        case 1:
            return say.Rooms(follow=choose.flag())
        case 2:
            settings = Settings(
                sealed=choose.flag(),
                winnable=False,
                undo=choose.one((0, 1, 100)),
                capacity=choose.number(1, 3),
                countdown_s=choose.one((0, 5)),
                start=choose.one(("host", "all_ready")),
                tail_s=choose.one((0, 300)),
                limit_s=60,
                listed=choose.flag(),
                passphrase=choose.one((None, "x")),
                bots=choose.flag(),
                chat=choose.flag(),
                title=choose.text(),
            )
            return say.Open(deal=choose.one(DEALS), settings=settings, role=choose.one(("racer", "watcher")))
        case 3:
            which = choose.one((room, room, choose.text()))
            return say.Join(room=which, role=choose.one(("racer", "watcher")), passphrase=choose.one((None, "x")))
        case 4:
            return say.Leave()
        case 5:
            return say.Ready(ready=choose.flag())
        case 6:
            return say.Start()
        case 7 | 8 | 9:
            do = choose.one((Do(draw=True), Do(undo=True), Do(move=choose.one(DECK), to=choose.one(PLACES))))
            return say.Play(n=max(0, n + choose.one((1, 1, 1, 0, 2))), do=do)
        case 10:
            return say.Targets(card=choose.one(DECK))
        case 11:
            return say.Sync()
        case 12:
            return say.Forfeit()
        case 13:
            return say.Say(text=choose.text())
        case 14:
            return say.Replay(room=choose.one((room, choose.text())))
        case 15:
            return say.Rematch()
        case _:
            try:
                return JSON.decode_command(choose.bytes())
            except (BadMessage, Undecodable):
                return None


async def told(choose: Chooser) -> None:
    """One story."""
    clock = Clock()
    log = InMemoryLog(clock)
    house = await open_house(log, limits=BOUNDLESS)
    guests = {name: Guest(house, name) for name in NAMES}
    for guest in guests.values():
        guest.say(say.Hello(name=guest.name, token=guest.token))
    room = ""
    while choose.more:
        name = choose.one(NAMES)
        guest = guests[name]
        what = choose.number(0, 15)
        if what == 0:
            clock.ms += choose.one((1, 1000, 61_000, 4_000_000))
        elif what == 1 or guest.closed:
            guest.visitor.gone()
            guest = guests[name] = Guest(house, name)
            guest.say(say.Hello(name=name, token=guest.token))
        elif (said := command(choose, room, guest.n)) is not None:
            number = guest.say(said)
            await settled(guest)
            if not guest.closed:
                answer = guest.answer(number)
                if isinstance(answer, Error) and answer.code == "server.internal":
                    raise AssertionError(answer)
        await settled(*guests.values())
        for event in guest.heard[-3:]:
            if isinstance(event, Room):
                room = event.room.id
    await same_again(log, house.rooms.awake(), clock)
    for guest in guests.values():
        guest.visitor.gone()
    await settled()
    await house.close()


async def same_again(log: InMemoryLog, rooms: list[Any], clock: Clock) -> None:
    """Every room is what its log comes to."""
    for live in rooms:
        state: RoomState | None = None
        for entry in await log.read(live.stream):
            fact = facts.decode(entry.fact)
            if state is None:
                assert isinstance(fact, facts.Opened)
                state = opened(live.state.id, fact, entry.time_ms)
            else:
                state = fold(state, fact, entry.time_ms).state
        if state is None or advance(state, clock.ms) != live.now():
            raise AssertionError(live.state.id)


def main() -> None:
    """Run until libFuzzer has had enough."""
    loop = asyncio.new_event_loop()
    faults: list[Any] = []
    loop.set_exception_handler(lambda _, context: faults.append(context))

    def one_story(data: bytes) -> None:
        loop.run_until_complete(told(Chooser(data)))
        if faults:
            raise AssertionError(faults)

    seeds = Path(__file__).parent.parent / "build" / "fuzz" / "commands"
    seeds.mkdir(parents=True, exist_ok=True)
    atheris.Setup([sys.argv[0], str(seeds), "-max_len=600", "-len_control=0", *sys.argv[1:]], one_story)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
