"""A session: from frames to commands, and from events to frames, for one connection."""

from collections import deque
from math import ceil
from typing import Final, Protocol

from msgspec import UNSET

from stampede.protocol.codec import BadMessage, Encoding, Undecodable
from stampede.protocol.events import Event
from stampede.protocol.problems import Close, Code, Problem
from stampede.server.gate.allowance import Allowance
from stampede.server.gate.frames import WRITERS
from stampede.server.hall.house import House
from stampede.server.hall.outbox import Letter
from stampede.server.hall.refusals import error, incident
from stampede.server.hall.visitor import Visitor

_EXCESS_S: Final = 10.0
"""Constant excess of commands that ends a connection."""
_QUEUE_HIGH: Final = 16
"""Commands waiting for their turn, beyond which reading pauses: the kernel holds the rest back."""


class Wire(Protocol):
    """What a session needs of its connection."""

    @property
    def crowded(self) -> bool:
        """Whether its reader does not keep up."""

    def write(self, data: bytes) -> None:
        """Send a whole frame; never waits."""

    def close(self, code: int, reason: str) -> None:
        """Close with a code, once what was written before has gone out."""

    def pause(self) -> None:
        """Read no more for now."""

    def resume(self) -> None:
        """Read on."""

    def rest(self) -> None:
        """Read no more for a moment."""


class Session:
    """One connection's side of the hall: limits, order, encoding."""

    def __init__(self, house: House, wire: Wire, encoding: Encoding, now: float) -> None:
        self._wire = wire
        self._encoding = encoding
        self._writer = WRITERS[encoding]
        limits = house.limits
        self._allowance = Allowance(limits.commands_per_s, limits.commands_burst, now)
        self._tally = house.tally
        self._queue: deque[tuple[bytes, float]] = deque()
        """Commands waiting for their turn, and when they came."""
        self._closing = False
        self._paused = False
        self._held = False
        self.visitor = Visitor(house, self)

    @property
    def greeted(self) -> bool:
        """Whether hello has been said."""
        return bool(self.visitor.player)

    def receive(self, data: bytes, *, text: bool, now: float) -> None:
        """Take a whole message from the network, at `now` of the event loop's clock."""
        if self._closing:
            return
        if text is not self._encoding.text:
            kind = "text" if self._encoding.text else "binary"
            self.close(Close.WRONG_FRAME_TYPE, f"{self._encoding.subprotocol} goes in {kind} frames")
            return
        wait = self._allowance.take(now)
        if wait:
            self._too_fast(data, wait)
        elif self.visitor.busy or self._queue or self._held:
            self._queue.append((data, now))
            if len(self._queue) >= _QUEUE_HIGH and not self._paused:
                self._paused = True
                self._wire.pause()
        else:
            self._handle(data, now)

    def fuss(self, now: float) -> None:
        """Count what came from the network and is no command: part of one, or a ping."""
        if not self._closing and self._allowance.take(now):
            self._excessive()

    def hold(self) -> None:
        """Handle no more commands for now: their answers would only pile up before a peer that has to read first."""
        self._held = True

    def go_on(self) -> None:
        """Handle those that have been waiting, and the next ones."""
        self._held = False
        self.answered()

    def gone(self) -> None:
        """The connection is no more."""
        self._closing = True
        self._queue.clear()
        self.visitor.gone()

    # The hall's outbox.

    def send(self, event: Event) -> None:
        """Send one event to this reader."""
        if not self._closing:
            self._wire.write(self._writer(event))

    def post(self, letter: Letter, *, droppable: bool = False) -> None:
        """Send a letter; a droppable one is left out for a reader that does not keep up."""
        if not (self._closing or (droppable and self._wire.crowded)):
            self._wire.write(letter.written(self._writer))

    def answered(self) -> None:
        """The command under way has got its answer: take the next ones, until one has to wait again."""
        queue = self._queue
        while queue and not (self.visitor.busy or self._held or self._closing):
            self._handle(*queue.popleft())
        if self._paused and not queue and not self._closing:
            self._paused = False
            self._wire.resume()

    def close(self, code: int, reason: str) -> None:
        """Close the connection; nothing is sent or taken after that."""
        if not self._closing:
            self._wire.close(code, reason)
            self.gone()

    def _handle(self, data: bytes, now: float) -> None:
        self.visitor.heard_at = now
        try:
            command = self._encoding.decode_command(data)
        except BadMessage as bad:
            self.send(error(bad.problem, UNSET if bad.re is None else bad.re))
            return
        except Undecodable as bad:
            self.close(Close.UNDECODABLE, str(bad))
            return
        try:
            self.visitor.hear(command)
        except Exception as failure:
            self._tally.incidents += 1
            self.send(error(incident(failure), command.id))

    def _too_fast(self, data: bytes, wait: float) -> None:
        self._tally.rate_limited += 1
        if self._excessive():
            return
        try:
            re = self._encoding.decode_command(data).id
        except BadMessage as bad:
            re = UNSET if bad.re is None else bad.re
        except Undecodable as bad:
            self.close(Close.UNDECODABLE, str(bad))
            return
        text = "Too many commands; slow down."
        self.send(error(Problem(Code.LIMIT_RATE, text, retry_ms=max(1, ceil(wait * 1000))), re))

    def _excessive(self) -> bool:
        """There was too much: once more, or for too long."""
        if self._allowance.excess_s() >= _EXCESS_S:
            self.close(Close.TOO_MANY_COMMANDS, "too many commands for too long")
            return True
        self._wire.rest()
        return False
