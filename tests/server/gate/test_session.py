"""A session: from frames to commands and back, in order, within limits."""

import json
from typing import Any

import msgspec
import pytest

from stampede.protocol.codec import JSON, MSGPACK, Encoding
from stampede.protocol.events import Done, Progress
from stampede.server.gate.session import Session
from stampede.server.hall.limits import Limits
from stampede.server.hall.outbox import Letter

from ..hall.company import Company, settled
from ..hall.timelapse import in_no_time
from ..race.story import CODE


class Wire:
    """A wire that remembers."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.closed: tuple[int, str] | None = None
        self.crowded = False
        self.reading: list[str] = []

    def write(self, data: bytes) -> None:
        self.frames.append(data)

    def close(self, code: int, reason: str) -> None:
        self.closed = (int(code), reason)

    def pause(self) -> None:
        self.reading.append("pause")

    def resume(self) -> None:
        self.reading.append("resume")

    def rest(self) -> None:
        self.reading.append("rest")


class Line:
    """A session and its wire, spoken to in plain maps."""

    def __init__(self, company: Company, encoding: Encoding = JSON) -> None:
        self.wire = Wire()
        self.encoding = encoding
        self.session = Session(company.house, self.wire, encoding, 0.0)

    def says(self, now: float = 0.0, **message: Any) -> None:
        self.sends(self._codec().encode(message), now=now)

    def sends(self, data: bytes, *, text: bool | None = None, now: float = 0.0) -> None:
        self.session.receive(data, text=self.encoding.text if text is None else text, now=now)

    def told(self) -> list[dict[str, Any]]:
        """All messages so far, read from their frames."""
        frames, self.wire.frames = self.wire.frames, []
        return [
            self._codec().decode(frame[2 if frame[1] < 126 else 4 if frame[1] == 126 else 10 :]) for frame in frames
        ]

    def _codec(self) -> Any:
        return msgspec.json if self.encoding.text else msgspec.msgpack


both = pytest.mark.parametrize("encoding", [JSON, MSGPACK], ids=lambda encoding: encoding.name)


@both
@in_no_time
async def test_a_command_is_answered_in_its_own_encoding(encoding: Encoding) -> None:
    async with Company() as company:
        line = Line(company, encoding)
        line.says(type="ping", id=3, t={"a": [1, None]})
        (pong,) = line.told()
        assert (pong["type"], pong["re"], pong["t"]) == ("pong", 3, {"a": [1, None]})
        line.says(type="hello", name="Ann", id=4)
        (welcome,) = line.told()
        assert (welcome["type"], welcome["re"], welcome["name"]) == ("welcome", 4, "Ann")
        assert line.session.greeted


@both
@in_no_time
async def test_a_message_begins_with_its_type(encoding: Encoding) -> None:
    async with Company() as company:
        line = Line(company, encoding)
        line.says(id=1, name="Ann", type="hello")
        assert next(iter(line.told()[0])) == "type"


@both
@in_no_time
async def test_the_wrong_kind_of_frame_closes(encoding: Encoding) -> None:
    async with Company() as company:
        line = Line(company, encoding)
        line.sends(b"{}", text=not encoding.text)
        assert line.wire.closed is not None
        assert line.wire.closed[0] == 1003


@both
@pytest.mark.parametrize("data", [b"", b"\xc1", b"\xff\xff", b'{"type":', b'{"type": "ping"} x', b"\x81\xa4type"])
@in_no_time
async def test_what_cannot_be_decoded_closes(encoding: Encoding, data: bytes) -> None:
    async with Company() as company:
        line = Line(company, encoding)
        line.sends(data)
        assert line.wire.closed is not None
        assert line.wire.closed[0] == 1007
        line.says(type="ping", id=1)
        assert line.told() == []


@both
@pytest.mark.parametrize(
    ("message", "code", "re"),
    [
        (3, "message.unknown_type", None),
        (None, "message.unknown_type", None),
        ([1, 2], "message.unknown_type", None),
        ({}, "message.unknown_type", None),
        ({"id": 7}, "message.unknown_type", 7),
        ({"type": "fly", "id": 7}, "message.unknown_type", 7),
        ({"type": 3, "id": 7}, "message.unknown_type", 7),
        ({"type": None}, "message.unknown_type", None),
        ({"type": "hello", "id": 7}, "message.bad_field", 7),
        ({"type": "hello", "id": 7, "name": 3}, "message.bad_field", 7),
        ({"type": "hello", "id": -1, "name": "Ann"}, "message.bad_field", None),
        ({"type": "hello", "id": 2**53, "name": "Ann"}, "message.bad_field", None),
        ({"type": "hello", "id": 1.5, "name": "Ann"}, "message.bad_field", None),
        ({"type": "hello", "id": True, "name": "Ann"}, "message.bad_field", None),
        ({"type": "hello", "id": "7", "name": "Ann"}, "message.bad_field", None),
        ({"type": "open", "id": 7, "deal": "YU1-C", "settings": {"undo": 101}}, "message.bad_field", 7),
        ({"type": "play", "id": 7, "n": 1, "do": {}}, "message.bad_field", 7),
        ({"type": "play", "id": 7, "n": 1, "do": {"move": "1S", "to": "1"}}, "message.bad_field", 7),
        ({"type": "play", "id": 7, "n": 1, "do": {"move": "AS", "to": "8"}}, "message.bad_field", 7),
        ({"type": "play", "id": 7, "n": 1, "do": {"move": "AS"}}, "message.bad_field", 7),
        ({"type": "play", "id": 7, "n": 1, "do": {"draw": True, "undo": True}}, "message.bad_field", 7),
    ],
    ids=str,
)
@in_no_time
async def test_a_mistake_in_a_well_formed_frame_is_answered_and_closes_nothing(
    encoding: Encoding, message: Any, code: str, re: int | None
) -> None:
    async with Company() as company:
        line = Line(company, encoding)
        line.sends((json.dumps(message).encode()) if encoding.text else msgspec.msgpack.encode(message))
        (told,) = line.told()
        assert (told["type"], told["code"], told.get("re")) == ("error", code, re)
        assert told["text"].endswith(".")
        line.says(type="ping", id=8)
        assert line.told()[0]["re"] == 8
        assert line.wire.closed is None


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"type": "hello"}, "name"),
        ({"type": "hello", "name": "Ann", "kind": "cat"}, "kind"),
        ({"type": "open", "deal": "YU1-C", "settings": {"undo": 101}}, "settings.undo"),
        ({"type": "open", "deal": "YU1-C", "settings": {"start": "never"}}, "settings.start"),
        ({"type": "open", "deal": "YU1-C", "settings": 3}, "settings"),
        ({"type": "open", "deal": "x" * 201}, "deal"),
        ({"type": "say", "text": "x" * 281}, "text"),
        ({"type": "play", "n": -1, "do": {"undo": True}}, "n"),
        ({"type": "play", "n": 1, "do": {"move": "1S", "to": "1"}}, "do.move"),
        ({"type": "play", "n": 1, "do": {"move": "AS", "to": "9"}}, "do.to"),
        ({"type": "targets", "card": "XX"}, "card"),
        ({"type": "ready", "ready": 1}, "ready"),
        ({"type": "join", "room": None}, "room"),
    ],
    ids=str,
)
@in_no_time
async def test_a_bad_field_is_named_with_what_was_expected(message: Any, field: str) -> None:
    async with Company() as company:
        line = Line(company)
        line.says(**message)
        (told,) = line.told()
        assert (told["code"], told["data"]["field"]) == ("message.bad_field", field)
        assert told["data"]["expected"]
        assert field in told["text"]


@in_no_time
async def test_commands_are_handled_one_after_the_other_and_answered_in_order() -> None:
    async with Company() as company:
        line = Line(company)
        line.says(type="hello", name="Ann", id=1)
        line.says(type="open", deal=CODE, settings={"countdown_s": 0, "capacity": 1}, id=2)
        line.says(type="ready", ready=True, id=3)
        line.says(type="play", n=1, do={"move": "QD", "to": "1"}, id=4)
        line.says(type="play", n=2, do={"move": "AS", "to": "home"}, id=5)
        line.says(type="sync", id=6)
        line.says(type="forfeit", id=7)
        assert [one.get("re") for one in line.told()] == [1]
        for _ in range(20):
            await settled()
        told = line.told()
        assert [one["re"] for one in told if "re" in one] == [2, 3, 4, 5, 6, 7]
        assert [one["type"] for one in told if "re" in one] == ["room", "done", "played", "played", "room", "done"]


@in_no_time
async def test_reading_pauses_while_many_commands_wait_and_goes_on_when_none_does() -> None:
    async with Company() as company:
        line = Line(company)
        line.says(type="hello", name="Ann", id=1)
        line.says(type="open", deal=CODE, id=2)
        for at in range(30):
            line.says(type="ping", id=10 + at)
        assert line.wire.reading == ["pause"]
        for _ in range(20):
            await settled()
        assert line.wire.reading == ["pause", "resume"]
        assert [one["re"] for one in line.told() if one["type"] == "pong"] == list(range(10, 40))


@in_no_time
async def test_too_many_commands_are_refused_with_how_long_to_wait() -> None:
    async with Company(Limits(commands_per_s=20)) as company:
        line = Line(company)
        for at in range(45):
            line.says(type="ping", id=at)
        told = line.told()
        assert [one["type"] for one in told] == ["pong"] * 40 + ["error"] * 5
        assert {one["code"] for one in told[40:]} == {"limit.rate"}
        assert [one["re"] for one in told] == list(range(45))
        assert told[40]["retry_ms"] == 50
        line.says(type="ping", id=99, now=1.0)
        assert line.told()[0]["type"] == "pong"
        assert line.wire.closed is None


@in_no_time
async def test_the_rate_is_looked_at_before_the_fields() -> None:
    async with Company(Limits(commands_per_s=1)) as company:
        line = Line(company)
        for at in range(4):
            line.says(type="fly", id=at)
        assert [one["code"] for one in line.told()] == ["message.unknown_type"] * 2 + ["limit.rate"] * 2


@in_no_time
async def test_ten_seconds_of_constant_excess_close() -> None:
    async with Company(Limits(commands_per_s=1)) as company:
        line = Line(company)
        tick = 0
        while line.wire.closed is None and tick < 300:
            line.says(type="ping", now=tick / 10)
            tick += 1
        assert line.wire.closed is not None
        assert line.wire.closed[0] == 4003
        assert 100 <= tick <= 110


@in_no_time
async def test_a_reader_that_does_not_keep_up_loses_progress_first() -> None:
    async with Company() as company:
        line = Line(company)
        line.wire.crowded = True
        line.session.post(Letter(Progress(racers=[])), droppable=True)
        assert line.told() == []
        line.session.post(Letter(Done()))
        line.session.send(Done())
        assert [one["type"] for one in line.told()] == ["done", "done"]


@in_no_time
async def test_a_letter_is_written_once_for_all_readers_of_an_encoding() -> None:
    async with Company() as company:
        letter = Letter(Done())
        lines = [Line(company), Line(company), Line(company, MSGPACK)]
        for line in lines:
            line.session.post(letter)
        assert lines[0].wire.frames[0] is lines[1].wire.frames[0]
        assert lines[0].wire.frames[0] != lines[2].wire.frames[0]


@in_no_time
async def test_after_closing_nothing_is_sent_and_nothing_taken() -> None:
    async with Company() as company:
        line = Line(company)
        line.says(type="hello", name="Ann", id=1)
        line.session.close(4001, "taken over")
        line.told()
        line.says(type="ping", id=2)
        line.session.send(Done())
        line.session.close(1007, "once more")
        assert line.told() == []
        assert line.wire.closed == (4001, "taken over")


@in_no_time
async def test_a_fault_while_handling_a_command_is_answered() -> None:
    async with Company() as company:
        line = Line(company)

        def fails(_: object) -> None:
            raise RuntimeError("a fault")

        line.session.visitor.hear = fails  # type: ignore[method-assign]
        line.says(type="ping", id=5)
        (told,) = line.told()
        assert (told["code"], told["re"]) == ("server.internal", 5)
        assert told["data"]["incident"] in told["text"]
        assert line.wire.closed is None


@in_no_time
async def test_commands_wait_while_their_answers_would_only_pile_up() -> None:
    async with Company() as company:
        line = Line(company)
        line.says(type="ping", id=1)
        line.session.hold()
        for at in range(2, 30):
            line.says(type="ping", id=at)
        assert [one["re"] for one in line.told()] == [1]
        assert line.wire.reading == ["pause"]
        line.session.go_on()
        assert [one["re"] for one in line.told()] == list(range(2, 30))
        assert line.wire.reading == ["pause", "resume"]


@in_no_time
async def test_what_others_do_is_told_all_the_same_while_commands_wait() -> None:
    async with Company() as company:
        line = Line(company)
        line.session.hold()
        line.session.post(Letter(Done()))
        assert len(line.told()) == 1
