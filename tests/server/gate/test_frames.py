"""Frames: what goes out is what any websocket reader reads, and the short way in is no other way."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from stampede.protocol.codec import JSON, MSGPACK, Encoding
from stampede.protocol.events import Said
from stampede.server.gate.frames import WRITERS, short_message, unfinished


def said(length: int) -> Said:
    return Said(player="ann", name="Ann", text="x" * length, time_ms=1)


def parsed(data: bytes, *, mask: bool) -> Frame:
    """The one frame in `data`, by the parser of another hand."""
    stream = StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    with pytest.raises(StopIteration) as stopped:
        next(Frame.parse(stream.read_exact, mask=mask))
    with pytest.raises(StopIteration) as ended:
        next(stream.at_eof())
    assert ended.value.value is True
    frame: Frame = stopped.value.value
    return frame


@pytest.mark.parametrize("encoding", [JSON, MSGPACK], ids=lambda encoding: encoding.name)
@pytest.mark.parametrize("length", [0, 40, 60, 80, 100, 200, *range(440, 465), 65_400, 65_500, 65_600, 200_000])
def test_an_event_is_one_frame_of_the_encodings_kind(encoding: Encoding, length: int) -> None:
    frame = parsed(WRITERS[encoding](said(length)), mask=False)
    assert frame.opcode is (Opcode.TEXT if encoding.text else Opcode.BINARY)
    assert (frame.fin, frame.rsv1, frame.rsv2, frame.rsv3) == (True, False, False, False)
    assert bytes(frame.data) == encoding.encode(said(length))


@given(st.binary(min_size=1, max_size=125), st.booleans())
def test_a_short_message_is_read_as_a_parser_reads_it(payload: bytes, text: bool) -> None:
    data = Frame(Opcode.TEXT if text else Opcode.BINARY, payload).serialize(mask=True)
    assert short_message(data) == payload
    assert bytes(parsed(data, mask=True).data) == payload


@pytest.mark.parametrize(
    "data",
    [
        Frame(Opcode.TEXT, b"").serialize(mask=True),
        Frame(Opcode.TEXT, b"x" * 126).serialize(mask=True),
        Frame(Opcode.TEXT, b"x", fin=False).serialize(mask=True),
        b"\xc1" + Frame(Opcode.TEXT, b"x").serialize(mask=True)[1:],  # compressed
        Frame(Opcode.CONT, b"x").serialize(mask=True),
        Frame(Opcode.PING, b"x").serialize(mask=True),
        Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True),
        Frame(Opcode.TEXT, b"x").serialize(mask=False),
        Frame(Opcode.TEXT, b"xyz").serialize(mask=True)[:-1],
        Frame(Opcode.TEXT, b"xyz").serialize(mask=True) + b"\x81",
        b"",
        b"\x81",
        b"\x81\x80",
    ],
    ids=lambda data: data.hex()[:24],
)
def test_everything_else_is_left_to_the_parser(data: bytes) -> None:
    assert short_message(data) is None


frames = st.builds(
    lambda opcode, payload, fin: Frame(opcode, payload, fin=fin).serialize(mask=True),
    st.sampled_from((Opcode.TEXT, Opcode.BINARY, Opcode.CONT)),
    st.one_of(st.binary(max_size=130), st.just(b"y" * 65_536)),
    st.booleans(),
)


@given(st.lists(frames, max_size=5), frames, st.data())
def test_what_is_unfinished_is_what_follows_the_last_whole_frame(whole: list[bytes], last: bytes, data: Any) -> None:
    cut = data.draw(st.integers(0, len(last) - 1))
    assert unfinished(b"".join(whole) + last[:cut]) == last[:cut]
    assert unfinished(b"".join(whole)) == b""
