"""A wire: its deadlines and its outbox, on a transport that hands on as much as the test says."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from stampede.protocol.events import Progress, RacerProgress, Said
from stampede.server.gate.addresses import Addresses
from stampede.server.gate.pages import Pages
from stampede.server.gate.wire import Wire
from stampede.server.hall.outbox import Letter
from stampede.server.log.port import Entry

from ..hall.company import Company, settled
from ..hall.timelapse import in_no_time

MEBIBYTE = 2**20


class Network(asyncio.Transport):
    """A transport whose peer reads everything at once, until it is told to go deaf."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 5000)})
        self.handed = bytearray()
        """What the peer has got."""
        self.waiting = bytearray()
        self.deaf = self.paused = False
        self.aborted = self.ended = False
        self.lost: Callable[[], None] = lambda: None

    def write(self, data: Any) -> None:
        assert not self.is_closing()
        self.waiting += data
        if not self.deaf:
            self.hand_on(len(self.waiting))

    def hand_on(self, size: int) -> None:
        """The peer reads that many bytes."""
        self.handed += self.waiting[:size]
        del self.waiting[:size]

    def get_write_buffer_size(self) -> int:
        return len(self.waiting)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        if not self.aborted:
            self.aborted = True
            self.lost()

    close = abort

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class Peer:
    """A wire with its network, looked after as the door does, and the client at the other end."""

    def __init__(self, company: Company) -> None:
        self.loop = asyncio.get_running_loop()
        self.network = Network()
        self.wires: set[Wire] = set()
        self.wire = Wire(company.house, Pages(company.house), Addresses(0), Addresses(0), self.wires)
        self.network.lost = lambda: self.wire.connection_lost(None)
        self.wire.connection_made(self.network)
        self.client = ClientProtocol(parse_uri("ws://race.example/ws"), max_size=None)
        self.codes: list[int] = []
        self.began = self.loop.time()

    def shakes_hands(self) -> "Peer":
        self.client.send_request(self.client.connect())
        self.tells(*self.client.data_to_send())
        assert self.wire.session is not None
        self.hears()
        return self

    def says(self, **message: Any) -> "Peer":
        self.client.send_text(json.dumps(message).encode())
        self.tells(*self.client.data_to_send())
        return self

    def tells(self, *data: bytes) -> None:
        for part in data:
            if part and not self.network.is_closing():
                self.wire.data_received(part)

    def hears(self) -> list[Any]:
        """The messages that have come; pings are not answered."""
        data, self.network.handed = bytes(self.network.handed), bytearray()
        self.client.receive_data(data)
        frames = [event for event in self.client.events_received() if isinstance(event, Frame)]
        self.codes += [int.from_bytes(frame.data[:2]) for frame in frames if frame.opcode is Opcode.CLOSE]
        self.pings = sum(frame.opcode is Opcode.PING for frame in frames)
        return [json.loads(bytes(frame.data)) for frame in frames if frame.opcode is Opcode.TEXT]

    async def for_seconds(self, seconds: float) -> "Peer":
        """Let time pass, with someone at the door."""
        end = self.loop.time() + seconds
        while self.loop.time() < end:
            await asyncio.sleep(0.5)
            if self.wire in self.wires:
                self.wire.look_after(self.loop.time())
        return self

    async def greeted(self) -> "Peer":
        self.shakes_hands().says(type="hello", name="Ann")
        await settled()
        assert self.hears()[0]["type"] == "welcome"
        return self


def said(size: int) -> Said:
    return Said(player="ann", name="Ann", text="x" * size, time_ms=1)


# Deadlines


@in_no_time
async def test_who_does_not_shake_hands_within_10_s_is_let_go() -> None:
    async with Company() as company:
        peer = Peer(company)
        await peer.for_seconds(9.5)
        assert not peer.network.aborted
        await peer.for_seconds(1)
        assert peer.network.aborted
        assert peer.wires == set()


@in_no_time
async def test_who_does_not_say_hello_within_10_s_is_closed_with_4004() -> None:
    async with Company() as company:
        peer = Peer(company).shakes_hands()
        await peer.for_seconds(9.5)
        peer.says(type="ping")
        assert len(peer.hears()) == 1
        assert peer.codes == []
        await peer.for_seconds(1)
        peer.hears()
        assert peer.codes == [4004]


@in_no_time
async def test_a_peer_that_does_not_answer_a_close_is_let_go_after_a_moment() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        peer.wire.leave(1012, "the server restarts")
        await peer.for_seconds(1.5)
        assert not peer.network.aborted
        await peer.for_seconds(1.5)
        assert peer.network.aborted
        peer.hears()
        assert peer.codes == [1012]


@in_no_time
async def test_who_is_silent_is_pinged_and_lives_on_by_answering() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        for _ in range(10):
            await peer.for_seconds(21)
            peer.hears()
            assert peer.pings == 1
            peer.tells(*peer.client.data_to_send())  # the library's own pong
        await peer.for_seconds(5)
        peer.hears()
        assert peer.codes == []


@in_no_time
async def test_who_is_silent_and_answers_no_ping_is_closed_with_4005() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        await peer.for_seconds(39)
        peer.hears()
        assert (peer.pings, peer.codes) == (1, [])
        await peer.for_seconds(3)
        peer.hears()
        assert peer.codes == [4005]


@in_no_time
async def test_who_is_not_read_from_because_the_log_is_stuck_is_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Company() as company:
        peer = Peer(company).shakes_hands().says(type="hello", name="Ann")
        goes_on = asyncio.Event()
        read = company.log.read

        async def stuck(stream: str, after: int = 0) -> list[Entry]:
            await goes_on.wait()
            return await read(stream, after)

        monkeypatch.setattr(company.log, "read", stuck)
        for number in range(20):
            peer.says(type="rooms", id=number)
        assert peer.network.paused
        await peer.for_seconds(100)
        goes_on.set()
        await peer.for_seconds(1)
        assert not peer.network.paused
        assert [message["re"] for message in peer.hears() if message["type"] == "rooms"] == list(range(20))
        await peer.for_seconds(35)
        peer.hears()
        assert (peer.pings, peer.codes) == (1, [])
        await peer.for_seconds(10)
        peer.hears()
        assert peer.codes == [4005]


@in_no_time
async def test_who_speaks_is_never_pinged() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        for _ in range(10):
            await peer.for_seconds(15)
            peer.says(type="ping")
            peer.hears()
            assert peer.pings == 0


# The outbox


@in_no_time
async def test_a_reader_that_stands_still_for_5_s_is_dropped() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        peer.network.deaf = True
        session.send(said(100))
        await peer.for_seconds(4.5)
        assert not peer.network.aborted
        await peer.for_seconds(2)
        assert peer.network.aborted
        assert peer.wires == set()
        assert company.house._connections == set()


@in_no_time
async def test_a_slow_reader_is_kept_as_long_as_every_message_gets_out_in_time() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        peer.network.deaf = True
        for _ in range(35):
            session.send(said(10_000))
            await peer.for_seconds(1)
            peer.network.hand_on(9_900)
        assert not peer.network.aborted
        assert 0 < len(peer.network.waiting) < 20_000


@in_no_time
async def test_a_trickle_that_leaves_a_message_behind_for_5_s_does_not_save_a_reader() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        peer.network.deaf = True
        session.send(said(100_000))
        for _ in range(14):
            await peer.for_seconds(0.5)
            peer.network.hand_on(100)
        assert peer.network.aborted


@in_no_time
async def test_an_outbox_over_256_kib_ends_the_connection_at_once() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        peer.network.deaf = True
        for _ in range(25):
            session.send(said(10_000))
        assert not peer.network.aborted
        session.send(said(10_000))
        session.send(said(10_000))
        assert peer.network.aborted


@in_no_time
async def test_one_single_message_may_be_longer_and_others_may_follow_it() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        peer.network.deaf = True
        session.send(said(3 * MEBIBYTE))
        for _ in range(20):
            session.send(said(10_000))
        assert not peer.network.aborted
        peer.network.hand_on(len(peer.network.waiting))
        assert len(peer.hears()) == 21


@in_no_time
async def test_progress_is_left_out_for_a_reader_that_does_not_keep_up_and_nothing_else() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        session = peer.wire.session
        assert session is not None
        progress = Letter(Progress(racers=[RacerProgress("ann", 1, 1, 1, 1)]))
        peer.network.deaf = True
        session.post(progress, droppable=True)
        session.send(said(20_000))
        for _ in range(100):
            session.post(progress, droppable=True)
        session.post(Letter(said(5)))
        peer.network.hand_on(len(peer.network.waiting))
        assert [message["type"] for message in peer.hears()] == ["progress", "said", "said"]
        session.post(progress, droppable=True)
        peer.network.hand_on(len(peer.network.waiting))
        assert len(peer.hears()) == 1


@in_no_time
async def test_nothing_is_written_after_a_close() -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        peer.wire.leave(4001, "taken over by a newer connection")
        size = len(peer.network.handed)
        peer.wire.write(b"\x81\x00")
        assert len(peer.network.handed) == size


# Frames


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
@in_no_time
async def test_it_does_not_matter_how_the_network_cuts_what_it_carries(size: int) -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        messages: list[dict[str, Any]] = [{"type": "ping", "id": at, "t": "x" * (60 * at)} for at in range(12)]
        for message in messages:
            if message["id"] % 3:
                peer.client.send_text(json.dumps(message).encode())
            else:
                halves = json.dumps(message).encode()
                peer.client.send_text(halves[:9], fin=False)
                peer.client.send_continuation(halves[9:], fin=True)
        data = b"".join(peer.client.data_to_send())
        for at in range(0, len(data), size):
            peer.tells(data[at : at + size])
        assert [(pong["re"], pong["t"]) for pong in peer.hears()] == [(one["id"], one["t"]) for one in messages]


@pytest.mark.parametrize("head", [b"\x81\xff" + b"\x7f" + b"\xff" * 7, b"\x81\xfe\xff\xff"])
@in_no_time
async def test_of_a_frame_that_is_too_big_nothing_is_kept(head: bytes) -> None:
    async with Company() as company:
        peer = await Peer(company).greeted()
        peer.tells(head + b"\0\0\0\0")
        for _ in range(100):
            peer.tells(b"x" * 65_536)
        peer.hears()
        assert peer.codes == [1009]
        assert len(peer.wire._unfinished) + len(peer.wire._backlog) < 65_536
