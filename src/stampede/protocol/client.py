"""A client: one player's line to the server, which comes back by itself after a break.

Laws of this file:
- Every command that is asked gets its answer, an exception, or waits for the line to come back. Never silence.
- After a break: hello with the token, join of the same room, then what was asked and not answered is said again
  where saying it twice does no harm (a `play` carries its `n`).
- Chance and the clock come from outside.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Self

from msgspec import UNSET
from websockets.exceptions import ConnectionClosed

from stampede import __version__
from stampede.patience.game import Action
from stampede.protocol.codec import MSGPACK, Encoding, Undecodable
from stampede.protocol.comeback import delay, for_good, may_pass, sentence, why
from stampede.protocol.commands import (
    AnyCommand,
    Do,
    Hello,
    Join,
    Kind,
    Leave,
    Open,
    Play,
    Rematch,
)
from stampede.protocol.events import Answer, AnyEvent, Board, Error, Goodbye, PhaseChanged, Played, Room, Welcome
from stampede.protocol.link import ANSWER_S, Ended, Link, Refused, Unreachable, open_link
from stampede.protocol.news import Disconnected, HungUp, News, Readers, Reconnected, SeatLost
from stampede.protocol.questions import Question, Questions
from stampede.protocol.sight import Sight, seen


class Client:
    """`async with Client(url, name) as client:` says hello and keeps the line until the block is left.

    Entering raises `Unreachable`, `Refused` (a bad name or token) or `ValueError` (a bad address).
    """

    def __init__(
        self,
        url: str,
        name: str,
        *,
        token: str | None = None,
        kind: Kind = "human",
        encoding: Encoding = MSGPACK,
        about: str = f"stampede/{__version__}",
        give_up_s: float = 600.0,
        chance: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url = url
        self.name = name
        self.token = token
        """Secret; it gives this player's seats back, also to another process."""
        self.kind: Kind = kind
        self.sight = Sight()
        """What is known now."""
        self.welcome: Welcome | None = None
        """The server's latest answer to hello."""
        self._encoding = encoding
        self._about = about
        self._give_up_s = give_up_s
        self._chance = chance or random.Random()
        self._clock = clock
        self._sleep = sleep
        self._link: Link | None = None
        self._questions = Questions()
        self._half_trip_s = 0.0
        self._rejoin: Join | None = None
        self._retry_s: float | None = None
        self._ended: HungUp | None = None
        self._changed = asyncio.Event()
        self._readers = Readers()
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        link = await self._arrive()
        self._keeper = asyncio.create_task(self._keep(link))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        self._end("this client has hung up")
        if self._link is not None:
            await self._link.close()

    def now(self) -> float:
        """The reading of the client's own clock, on which `Sight.starts_at` is."""
        return self._clock()

    @property
    def connected(self) -> bool:
        """Whether the line is up just now."""
        return self._link is not None

    def events(self) -> AsyncIterator[News]:
        """Everything that is said from now on without having been asked for, and the breaks and returns of the line.

        Answers go to who asked. Ends after `HungUp`. What is not read is kept, so do read on.
        """
        return self._readers.read(self._ended)

    async def until(self, holds: Callable[[Sight], bool]) -> Sight:
        """Wait until `holds` is true of what is known, and return that; raises `Ended`."""
        while not holds(self.sight):
            if self._ended is not None:
                raise Ended(self._ended.why)
            await self._changed.wait()
        return self.sight

    async def ask(self, command: AnyCommand) -> Answer:
        """Say `command` and return its answer; the client gives it its `id`.

        While the line is broken this waits for it to come back. Raises `Refused`, `Unanswered` or `Ended`.
        """
        if self._ended is not None:
            raise Ended(self._ended.why)
        question = self._questions.put(command)
        try:
            if self._link is not None:
                await self._say(self._link, question)
            return await question.answer
        finally:
            self._questions.drop(question)

    async def play(self, action: Action) -> Played | Board:
        """Play `action` as the next one; a full board comes back if it had been counted already.

        Raises as `ask` does, and `Ended` if there is no board to play on.
        """
        if self.sight.board is None:
            raise Ended("There is no table to play on.")
        answer = await self.ask(Play(n=self.sight.board.n + 1, do=Do.of(action)))
        assert isinstance(answer, Played | Board), answer  # noqa: S101 - the protocol says so
        return answer

    # The line: arriving, listening, and coming back.

    async def _arrive(self) -> Link:
        """Connect, say hello, and take the seat again if there was one."""
        link = await open_link(self.url, self._encoding, self._about)
        try:
            async with asyncio.timeout(ANSWER_S):
                said_at = self._clock()
                hello = Hello(name=self.name, client=self._about, kind=self.kind, token=self.token)
                welcome = await self._exchange(link, hello)
                if not isinstance(welcome, Welcome):
                    raise Unreachable(f"What answers at {self.url} does not greet as a race server does.")
                self._half_trip_s = (self._clock() - said_at) / 2
                self.welcome, self.token = welcome, welcome.token
                if self._rejoin is not None:
                    await self._take_seat(link, self._rejoin)
        except TimeoutError as error:
            await link.close()
            raise Unreachable(f"{self.url} does not answer.") from error
        except ConnectionClosed as error:
            raise Unreachable(f"{self.url} hangs up: {why(error)}.") from error
        except Undecodable as error:
            await link.close()
            raise Unreachable(f"{self.url} says what this client cannot read: {error}.") from error
        except BaseException:
            await link.close()
            raise
        self._link = link
        return link

    async def _take_seat(self, link: Link, join: Join) -> None:
        try:
            await self._exchange(link, join)
        except Refused as refused:
            if may_pass(refused):
                raise
            self._rejoin, self.sight = None, Sight(self.sight.player)
            self._readers.tell(SeatLost(refused.problem))

    async def _exchange(self, link: Link, command: AnyCommand) -> Answer:
        """Ask on a link that no one listens to yet."""
        identity, numbered = self._questions.number(command)
        await link.send(numbered)
        while True:
            event = await link.hear()
            self._take(event)
            if isinstance(event, Answer) and event.re == identity:
                if isinstance(event, Error):
                    raise Refused(event)
                return event

    async def _keep(self, link: Link) -> None:
        """Listen; when the line breaks come back, until told not to."""
        try:
            while True:
                broken = await self._listen(link)
                self._link = None
                if broken is None:
                    return
                self._readers.tell(Disconnected(broken))
                self._questions.line_broke()
                back = await self._come_back()
                if back is None:
                    return
                link = back
                self._readers.tell(Reconnected())
                for question in self._questions.waiting():
                    await self._say(link, question)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            # A mistake of ours must not leave those waiting who have asked something.
            self._end(f"this client has failed: {error!r}")
            raise

    async def _listen(self, link: Link) -> str | None:
        """Hear until the line breaks; why it did, or None if that was for good."""
        try:
            while True:
                self._take(await link.hear())
        except ConnectionClosed as closed:
            end = for_good(closed, announced=self._retry_s is not None)
            if end is None:
                return why(closed)
            self._end(end, closed.rcvd.code if closed.rcvd else None)
        except Undecodable as error:
            # Skipping it might leave someone waiting for ever for the answer that it was.
            self._end(f"the server says what this client cannot read: {error}")
            await link.close()
        return None

    async def _come_back(self) -> Link | None:
        """Try until the line is back; None once that is given up."""
        give_up_at, attempt = self._clock() + self._give_up_s, 0
        while True:
            asked_s, self._retry_s = self._retry_s, None
            await self._sleep(delay(attempt, asked_s, self._chance))
            attempt += 1
            try:
                return await self._arrive()
            except Refused as refused:
                if not may_pass(refused):
                    self._end(f"the server does not take us back: {refused.problem.text.rstrip('.')}")
                    return None
                self._retry_s = refused.retry_s
            except Unreachable as unreachable:
                if self._clock() >= give_up_at:
                    self._end(f"the server did not come back: {str(unreachable).rstrip('.')}")
                    return None

    async def _say(self, link: Link, question: Question) -> None:
        question.said = True
        try:
            await link.send(question.command)
        except ConnectionClosed:
            return  # the listener sees it too, and brings the line back

    # What is heard.

    def _take(self, event: AnyEvent) -> None:
        """Fold an event into the sight, then give it to whom it is for."""
        # What was said half a round trip ago happened then: the start is that much nearer than `in_ms`.
        earlier = self._half_trip_s if isinstance(event, PhaseChanged | Room) else 0.0
        self.sight = seen(self.sight, event, self._clock() - earlier)
        if isinstance(event, Goodbye):
            self._retry_s = event.retry_ms / 1000
        if not isinstance(event, Answer) or event.re is UNSET:
            self._readers.tell(event)
        elif (command := self._questions.answered(event)) is not None:
            self._remember(command, event)
        self._wake()

    def _remember(self, command: AnyCommand, answer: Answer) -> None:
        """Note which room to come back to."""
        if isinstance(answer, Room):
            role = command.role if isinstance(command, Open | Join) else "racer"
            passphrase = command.passphrase if isinstance(command, Join) else None
            if isinstance(command, Open):
                passphrase = command.settings.passphrase
            if isinstance(command, Open | Join | Rematch):
                self._rejoin = Join(room=answer.room.id, role=role, passphrase=passphrase)
        elif isinstance(command, Leave) and not isinstance(answer, Error):
            self._rejoin = None

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _end(self, reason: str, code: int | None = None) -> None:
        if self._ended is not None:
            return
        self._ended = HungUp(sentence(reason), code)
        self._questions.give_up(Ended(self._ended.why))
        self._readers.tell(self._ended)
        self._wake()
