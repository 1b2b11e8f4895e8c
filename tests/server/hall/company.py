"""Company: a house on a log in memory, and visitors whose outboxes remember what they were sent."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from stampede.protocol import commands
from stampede.protocol.events import Event
from stampede.server.hall.house import House
from stampede.server.hall.limits import Limits
from stampede.server.hall.outbox import Letter
from stampede.server.hall.visitor import Visitor
from stampede.server.log.in_memory import InMemoryLog
from stampede.server.log.port import Entry, StorageError

from ..race.story import BEGINNING, CODE, lines

UNLIMITED = Limits(commands_per_s=0, connections_per_address=0, rooms_per_player=0, watchers_per_room=0)


class FragileLog(InMemoryLog):
    """A log that can be away, when appends and reads fail, or slow."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self.away = False
        self.appended = 0
        self.slow: str | None = None
        """A stream whose appends take a second."""
        self.slow_read_s = 0.0
        """How long reads take."""
        self.full = False
        """Whether appends fail, after ten seconds; reads do not."""

    def append(self, stream: str, facts: Sequence[bytes]) -> "asyncio.Future[list[Entry]]":
        if self.away:
            failed: asyncio.Future[list[Entry]] = asyncio.get_running_loop().create_future()
            failed.set_exception(StorageError("the log is away"))
            return failed
        if self.full:
            return asyncio.ensure_future(self._fail_slowly())
        self.appended += len(facts)
        if stream == self.slow:
            return asyncio.ensure_future(self._append_slowly(stream, facts))
        return super().append(stream, facts)

    def submit(self, stream: str, fact: bytes, failed: Callable[[bytes, StorageError], None]) -> None:
        def appended(done: "asyncio.Future[list[Entry]]") -> None:
            if not done.cancelled() and isinstance(error := done.exception(), StorageError):
                failed(fact, error)

        self.append(stream, [fact]).add_done_callback(appended)

    async def _append_slowly(self, stream: str, facts: Sequence[bytes]) -> list[Entry]:
        await asyncio.sleep(1)
        return await super().append(stream, facts)

    async def _fail_slowly(self) -> list[Entry]:
        await asyncio.sleep(10)
        raise StorageError("the disk is full")

    async def read(self, stream: str, after: int = 0) -> list[Entry]:
        if self.away:
            raise StorageError("the log is away")
        await asyncio.sleep(self.slow_read_s)
        return await super().read(stream, after)

    async def check(self) -> None:
        if self.away:
            raise StorageError("the log is away")

    async def beat(self, node: str) -> None:
        if self.away:
            raise StorageError("the log is away")
        await super().beat(node)


class Outbox:
    """What a visitor was sent, in order."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.closed: tuple[int, str] | None = None
        self.turns = 0
        self._heard = asyncio.Event()

    def send(self, event: Event) -> None:
        self.sent.append(event)
        self._heard.set()

    def post(self, letter: Letter, *, droppable: bool = False) -> None:
        self.send(letter.event)

    def answered(self) -> None:
        self.turns += 1

    def close(self, code: int, reason: str) -> None:
        self.closed = (int(code), reason)
        self._heard.set()

    async def heard(self) -> None:
        """Wait for something new."""
        self._heard.clear()
        await self._heard.wait()


class Guest:
    """A visitor and their outbox, who asks and is answered."""

    def __init__(self, house: House) -> None:
        self.outbox = Outbox()
        self.visitor = Visitor(house, self.outbox)
        outbox = self.outbox
        taken_over = outbox.close

        def close(code: int, reason: str) -> None:
            taken_over(code, reason)
            self.visitor.gone()

        outbox.close = close  # type: ignore[method-assign]
        self.token = ""
        self.n = 0
        self._id = 0

    @property
    def player(self) -> str:
        return self.visitor.player

    async def ask(self, command: Any) -> Any:
        """Say something, and return its answer; there must be exactly one."""
        self._id += 1
        re = self._id
        self.visitor.hear(replace(command, id=re))
        async with asyncio.timeout(3600):
            while not (answers := [event for event in self.outbox.sent if getattr(event, "re", UNSET) == re]):
                await self.outbox.heard()
        await settled()
        assert len([event for event in self.outbox.sent if getattr(event, "re", UNSET) == re]) == 1
        assert not self.visitor.busy
        return answers[0]

    async def refused(self, command: Any) -> str:
        """Say something that is refused; return the code."""
        return code_of(await self.ask(command))

    async def hello(self, name: str, token: str | None = None, kind: Any = "human") -> "Guest":
        welcome = await self.ask(commands.Hello(name=name, token=token, kind=kind))
        assert kind_of(welcome) == "welcome", welcome
        self.token = welcome.token
        return self

    async def play(self, action: str, n: int | None = None) -> Any:
        """Play the next action."""
        answer = await self.ask(commands.Play(n=self.n + 1 if n is None else n, do=do_of(action)))
        if kind_of(answer) in ("played", "board"):
            self.n = answer.n
        return answer

    async def wins(self) -> None:
        for action in lines()[CODE][self.n :]:
            assert kind_of(await self.play(action)) == "played"

    def heard(self, kind: str) -> list[Any]:
        """All of one type it was sent."""
        return [event for event in self.outbox.sent if kind_of(event) == kind]

    def take(self) -> list[Any]:
        """All it was sent since the last time."""
        sent, self.outbox.sent = self.outbox.sent, []
        return sent

    async def until(self, kind: str) -> Any:
        """Wait for an event of this type."""
        async with asyncio.timeout(100_000):
            while not self.heard(kind):
                await self.outbox.heard()
        return self.heard(kind)[-1]

    def drops(self) -> None:
        """The connection breaks."""
        self.visitor.gone()


class Company:
    """The house and its log. To be made within a test, on its loop."""

    def __init__(self, limits: Limits = UNLIMITED, log: FragileLog | None = None) -> None:
        loop = asyncio.get_running_loop()
        self.log = log or FragileLog(lambda: BEGINNING + round(loop.time() * 1000))
        self.house = House(self.log, limits, "stampede/test")

    async def __aenter__(self) -> "Company":
        await self.house.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.house.close()

    async def guest(self, name: str, token: str | None = None, kind: Any = "human") -> Guest:
        """Someone who has said hello."""
        return await Guest(self.house).hello(name, token, kind)

    async def lobby(self, *names: str, **chosen: Any) -> tuple[str, list[Guest]]:
        """A room on a known deal, and who is in it, the host first."""
        chosen = {"countdown_s": 0} | chosen
        guests = [await self.guest(name) for name in names]
        opened = await guests[0].ask(commands.Open(deal=CODE, settings=commands.Settings(**chosen)))
        assert kind_of(opened) == "room", opened
        for guest in guests[1:]:
            join = commands.Join(room=opened.room.id, passphrase=chosen.get("passphrase"))
            assert kind_of(await guest.ask(join)) == "room"
        return opened.room.id, guests

    async def race(self, *names: str, **chosen: Any) -> tuple[str, list[Guest]]:
        """The same, racing."""
        room, guests = await self.lobby(*names, **chosen)
        await guests[0].ask(commands.Start())
        for guest in guests:
            await guest.until("board")
        return room, guests


async def settled() -> None:
    """Let everything that is due happen, without letting time pass."""
    for _ in range(20):
        await asyncio.sleep(0)


def kind_of(event: Any) -> str:
    return str(event.__struct_config__.tag)


def kinds(events: list[Any]) -> list[str]:
    return [kind_of(event) for event in events]


def code_of(event: Any) -> str:
    assert kind_of(event) == "error", event
    return str(event.code)


def do_of(action: str) -> commands.Do:
    match action.split():
        case ["undo"]:
            return commands.Do(undo=True)
        case ["draw"]:
            return commands.Do(draw=True)
        case [card, to]:
            return commands.Do(move=card, to=to)
    raise ValueError(action)
