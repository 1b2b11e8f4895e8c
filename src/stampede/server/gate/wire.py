"""A wire: one socket, between the event loop and the websocket protocol.

The websocket rules are those of the Sans-I/O core of `websockets`; this class moves bytes, keeps deadlines, and
never waits: no task and no lock belongs to a connection, and a message costs one call.
"""

import asyncio
import contextlib
import logging
from collections.abc import Coroutine, Sequence
from http import HTTPStatus
from typing import Final, cast

from websockets.exceptions import InvalidMessage, NegotiationError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import CONNECTING, OPEN
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from stampede.protocol.codec import ENCODINGS, JSON
from stampede.protocol.commands import COMMAND_BYTES
from stampede.protocol.problems import Close
from stampede.server.gate.addresses import Addresses
from stampede.server.gate.frames import FINAL_TEXT, short_message, unfinished
from stampede.server.gate.outflow import ANSWERS_BYTES, CROWDED_BYTES, Outflow
from stampede.server.gate.pages import Pages, plain
from stampede.server.gate.session import Session
from stampede.server.hall.house import House
from stampede.server.hall.refusals import incident

HANDSHAKE_S: Final = 10.0
HELLO_S: Final = 10.0
CLOSING_S: Final = 2.0
PING_S: Final = 20.0
PONG_S: Final = 20.0
PAGE_S: Final = 30.0
"""How long a page may take to be fetched."""
SLICE_BYTES: Final = 4096
"""So much is taken from one connection before it may have to rest."""
REST_S: Final = 0.1
"""How long a connection that asks for too much is not read from; as many times that as there are such connections."""
LONGEST_REST_S: Final = 0.9
"""Less than a second, which would look as if it had stopped asking for too much."""
SOCKETS_PER_CONNECTION: Final = 16
"""An address may hold so many sockets for each connection it is allowed: those that are yet to be turned away."""

# What peers do wrong is theirs to know (their close code says it), not news for the server's log.
_SILENT: Final = logging.Logger("websockets.silent", logging.CRITICAL + 1)


class Wire(asyncio.Protocol):
    """One connection, from its first byte to its last."""

    def __init__(
        self, house: House, pages: Pages, sockets: Addresses, addresses: Addresses, wires: "set[Wire]"
    ) -> None:
        self._house = house
        self._pages = pages
        self._sockets = sockets
        self._addresses = addresses
        self._wires = wires
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._outflow: Outflow
        self._protocol = ServerProtocol(select_subprotocol=_subprotocol, max_size=COMMAND_BYTES, logger=_SILENT)
        self._open = False
        """Whether the websocket is: what its protocol says, kept at hand."""
        self.session: Session | None = None
        self._peer = ""
        self._counted = False
        """Whether its socket is among those of its peer."""
        self._address: str | None = None
        """Whose connections this one is counted among, once its handshake has come."""
        self._parts: list[bytes] = []
        self._text = False
        self._unfinished = b""
        """The beginning of a frame whose end has not come yet."""
        self._backlog = b""
        """What came in and has to wait while the connection rests."""
        self._resting = self._held = False
        self._began = self._heard = self._loop.time()
        self._pinged = 0.0
        self._closing_since = 0.0
        self._page: asyncio.Task[None] | None = None

    # Callbacks of the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A socket was accepted."""
        # uvloop's transport is one by its methods, not by its class.
        self._transport = transport = cast(asyncio.Transport, transport)
        self._outflow = Outflow(transport)
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if isinstance(peer, tuple) else ""
        transport.set_write_buffer_limits(high=ANSWERS_BYTES, low=CROWDED_BYTES)
        self._wires.add(self)
        if not self._pages.is_proxy(self._peer):
            self._counted = self._sockets.take(self._peer)
            if not self._counted:
                transport.abort()

    def data_received(self, data: bytes) -> None:
        """Bytes came in: most often one short message, which then goes straight to the session."""
        self._heard = self._loop.time()
        if self._open and self.session is not None and not self._unfinished and not self._parts:
            payload = short_message(data)
            if payload is not None:
                self.session.receive(payload, text=data[0] == FINAL_TEXT, now=self._heard)
                return
        if self._protocol.state is CONNECTING:
            data = self._parse_request(data)
        self._take(data)

    def _parse_request(self, data: bytes) -> bytes:
        """Take lines until the request is answered: what follows it has to wait for that. Returns what follows."""
        protocol, at = self._protocol, 0
        while at < len(data) and protocol.state is CONNECTING:
            if self._page is not None or protocol.close_expected():
                return b""
            end = data.find(b"\n", at) + 1 or len(data)
            protocol.receive_data(data[at:end])
            at = end
            for event in protocol.events_received():
                if isinstance(event, Request):
                    self._request(event)
            if isinstance(protocol.handshake_exc, InvalidMessage):
                text = "This is no HTTP request that could open a websocket or fetch a page.\n"
                self._transport.write(plain(HTTPStatus.BAD_REQUEST, text).serialize())
            self._flush()
        return data[at:]

    def _take(self, data: bytes) -> None:
        """Parse bytes bit by bit, as long as the peer does not ask for too much."""
        at = 0
        while at < len(data):
            if self._resting:
                self._backlog += data[at:]
                return
            self._parse(data[at : at + SLICE_BYTES])
            at += SLICE_BYTES

    def _parse(self, data: bytes) -> None:
        """Let the websocket protocol make sense of bytes, and remember whether they end within a frame."""
        protocol = self._protocol
        protocol.receive_data(data)
        self._open = protocol.state is OPEN
        if self.session is not None:
            # Once the protocol is closing it takes no more frames, and nothing may pile up here either.
            self._unfinished = unfinished(self._unfinished + data) if self._open else b""
        for event in protocol.events_received():
            if isinstance(event, Frame):
                self._frame(event)
        self._flush()

    def eof_received(self) -> None:
        """The peer sends no more."""
        self._protocol.receive_eof()
        self._flush()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone."""
        self._wires.discard(self)
        if self._counted:
            self._sockets.release(self._peer)
        if self._address is not None:
            self._addresses.release(self._address)
        if self._page is not None:
            self._page.cancel()
        if self.session is not None:
            self.session.gone()

    def pause_writing(self) -> None:
        """The peer has a good deal to read."""
        if self.session is not None:
            self.session.hold()

    def resume_writing(self) -> None:
        """It has read most of it."""
        if self.session is not None:
            self.session.go_on()

    # What the session asks for.

    @property
    def crowded(self) -> bool:
        """Whether the reader does not keep up."""
        return self._outflow.crowded

    def write(self, data: bytes) -> None:
        """Send a whole frame; never waits."""
        if not self._open:
            return
        if self._outflow.takes(len(data)):
            self._transport.write(data)
        else:
            self._drop()

    def close(self, code: int, reason: str) -> None:
        """Close with a code; the peer has a moment to answer."""
        if self._open:
            self._protocol.send_close(code, _cut(reason))
            self._flush()
            self._closing_since = self._closing_since or self._loop.time()
            self._backlog = b""
            self._held = self._resting = False
            self._read_on()

    def pause(self) -> None:
        """Read no more for now."""
        self._held = True
        self._transport.pause_reading()

    def resume(self) -> None:
        """Read on."""
        self._held = False
        self._read_on()

    def rest(self) -> None:
        """Read no more for a moment: the kernel, and in the end the peer, holds the rest back."""
        if not (self._resting or self._transport.is_closing()):
            self._resting = True
            self._transport.pause_reading()
            crowd = sum(wire._resting for wire in self._wires)
            self._loop.call_later(min(REST_S * crowd, LONGEST_REST_S), self._rested)

    def _rested(self) -> None:
        if self._resting and not self._transport.is_closing():
            self._resting = False
            backlog, self._backlog = self._backlog, b""
            self._heard = self._loop.time()
            self._take(backlog)
            self._read_on()

    def _read_on(self) -> None:
        if not (self._held or self._resting or self._transport.is_closing()):
            self._transport.resume_reading()

    # What the door asks for.

    def leave(self, code: int, reason: str) -> None:
        """See the peer out: close with a code, or just close if there is no session yet."""
        if self.session is not None:
            self.session.close(code, reason)
        else:
            self._transport.close()

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        self._transport.abort()

    def look_after(self, now: float) -> None:
        """Keep the deadlines; called about twice a second."""
        if self._closing_since:
            page = self.session is None and self._transport.get_write_buffer_size() > 0
            if now - self._closing_since > (PAGE_S if page else CLOSING_S):
                self._transport.abort()
        elif self.session is None:
            if now - self._began > HANDSHAKE_S and self._page is None:
                self._transport.abort()
        elif not self.session.greeted and now - self._began > HELLO_S:
            self.session.close(Close.NO_HELLO, "no hello within 10 s")
        elif self._outflow.stuck(now):
            self._drop()
        else:
            self._look_for_silence(now)

    def _look_for_silence(self, now: float) -> None:
        if self._held:
            self._heard = now  # its pongs wait where nobody reads: the silence is ours
        if now - self._heard <= PING_S:
            return
        if self._pinged <= self._heard:
            self._pinged = now
            self._protocol.send_ping(b"")
            self._flush()
        elif now - self._pinged > PONG_S and self.session is not None:
            self.session.close(Close.IDLE, "no answer to pings")

    def _drop(self) -> None:
        """End the connection of a reader that has stopped reading, and would not read a close frame either."""
        self._house.tally.slow_dropped += 1
        session, self.session = self.session, None
        self.close(Close.TOO_SLOW, "too slow a reader")
        self._transport.abort()
        if session is not None:
            session.gone()

    # The websocket protocol.

    def _flush(self) -> None:
        """Send what the protocol has to say; to be called after whatever it was told."""
        transport = self._transport
        self._open = self._protocol.state is OPEN
        for data in self._protocol.data_to_send():
            if transport.is_closing():
                return
            if data:
                transport.write(data)
                self._outflow.count(len(data))
            else:
                # Half-closed only: a full close while bytes are still coming in could take our last words along.
                with contextlib.suppress(OSError, RuntimeError):
                    transport.write_eof()
        if self._protocol.close_expected() and not self._closing_since:
            self._closing_since = self._loop.time()
        if self.session is not None and self._outflow.over:
            self._drop()  # pongs, for a peer that pings and never reads

    def _frame(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode in (Opcode.TEXT, Opcode.BINARY):
            self._text = opcode is Opcode.TEXT
            if frame.fin:
                self._message(bytes(frame.data))
            else:
                self._parts = [bytes(frame.data)]
                self._fuss()
        elif opcode is Opcode.CONT:
            if frame.data:  # empty ones are free of charge for the limit of a message's size, so none is kept
                self._parts.append(bytes(frame.data))
            if frame.fin:
                parts, self._parts = self._parts, []
                self._message(b"".join(parts))
            else:
                self._fuss()
        elif opcode is not Opcode.CLOSE:
            self._fuss()

    def _fuss(self) -> None:
        """Count a frame that is no command: a peer may not send endlessly many of those either."""
        if self.session is not None:
            self.session.fuss(self._heard)

    def _message(self, data: bytes) -> None:
        if self.session is not None:
            self.session.receive(data, text=self._text, now=self._heard)

    def _request(self, request: Request) -> None:
        page = self._pages.answer(request, self._peer)
        if page is not None:
            if isinstance(page, Response):
                self._respond(page)
            else:
                self._page = self._loop.create_task(self._respond_later(page))
            return
        address = self._pages.address_of(request, self._peer)
        if not self._addresses.take(address):
            self._house.tally.turned_away += 1
            limit = self._house.limits.connections_per_address
            self._respond(
                plain(HTTPStatus.TOO_MANY_REQUESTS, f"limit.connections: at most {limit} from one address.\n")
            )
            return
        self._address = address
        self._shake_hands(request)

    def _shake_hands(self, request: Request) -> None:
        response = self._protocol.accept(request)
        self._protocol.send_response(response)
        if self._protocol.state is OPEN:
            encoding = ENCODINGS.get(str(self._protocol.subprotocol), JSON)
            self._began = self._loop.time()
            self.session = Session(self._house, self, encoding, self._began)
        self._flush()

    def _respond(self, response: Response) -> None:
        if self._protocol.state is CONNECTING:
            self._protocol.send_response(response)
            self._flush()

    async def _respond_later(self, page: Coroutine[None, None, Response]) -> None:
        try:
            response = await page
        except Exception as failure:
            response = plain(HTTPStatus.INTERNAL_SERVER_ERROR, f"{incident(failure).text}\n")
        self._respond(response)


def _subprotocol(protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first of ours that was offered; none (which means JSON) if nothing was."""
    for ours in ENCODINGS:
        if ours in offered:
            return Subprotocol(ours)
    if offered:
        raise NegotiationError(f"the subprotocols spoken here are {', '.join(ENCODINGS)}")
    return None


def _cut(reason: str) -> str:
    """A close reason has at most 123 bytes."""
    return reason.encode()[:123].decode(errors="ignore")
