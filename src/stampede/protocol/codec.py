"""The codec: MessagePack and JSON from the same structs."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import UNSET

from stampede.protocol.commands import LARGEST_ID, AnyCommand, Ping
from stampede.protocol.events import AnyEvent
from stampede.protocol.problems import Code, Problem, bad_field


class Undecodable(ValueError):
    """Bytes that are not MessagePack or JSON at all."""


class BadMessage(ValueError):
    """A well-formed value that is no command: the problem to answer with, and the command's `id` if it has one."""

    def __init__(self, problem: Problem, re: int | None) -> None:
        super().__init__(problem.text)
        self.problem = problem
        self.re = re


class Encoding:
    """One of the two ways to write the messages; there are two instances, `MSGPACK` and `JSON`."""

    def __init__(self, name: str, module: Any, *, text: bool) -> None:
        self.name = name
        self.subprotocol = f"stampede.v1.{name}"
        self.text = text
        """Whether frames are text frames."""
        self.encode: Callable[[Any], bytes] = module.Encoder().encode
        self._command: Callable[[bytes | str], AnyCommand] = module.Decoder(AnyCommand).decode
        self._event: Callable[[bytes], AnyEvent] = module.Decoder(AnyEvent).decode
        # Not msgspec's for JSON: numbers beyond its range are no fault of the form.
        self._anything: Callable[[bytes], Any] = _read_json if text else module.Decoder().decode

    def decode_command(self, data: bytes) -> AnyCommand:
        """The command in a frame; raises `Undecodable` or `BadMessage`."""
        try:
            # As a text first: what is skipped, or taken as it is, has to be UTF-8 too.
            command = self._command(data.decode() if self.text else data)
        except msgspec.ValidationError as error:
            # Found while decoding: the rest may still be no MessagePack or JSON at all.
            raise self._bad(self._loosely(data), str(error)) from None
        except (ValueError, RecursionError, TypeError) as error:
            raise Undecodable(f"This is not {self.name}: {error}") from None
        if type(command) is Ping and command.t is not UNSET:
            self._loosely(bytes(command.t))  # goes back as it is, so it had better be something
        return command

    def decode_event(self, data: bytes) -> AnyEvent | None:
        """The event in a frame, or None if its type is unknown; raises `Undecodable` if it is neither."""
        try:
            return self._event(data)
        except msgspec.ValidationError as error:
            if str(error).endswith("`$.type`"):
                return None
            raise Undecodable(f"This is no event: {error}") from None
        except (ValueError, RecursionError, TypeError) as error:
            raise Undecodable(f"This is not {self.name}: {error}") from None

    def _loosely(self, data: bytes) -> Any:
        try:
            return self._anything(data)
        except (ValueError, RecursionError, TypeError) as error:
            raise Undecodable(f"This is not {self.name}: {error}") from None

    @staticmethod
    def _bad(value: Any, error: str) -> BadMessage:
        if not isinstance(value, dict):
            problem = Problem(Code.MESSAGE_UNKNOWN_TYPE, 'A message is a map with a type, like {"type": "ping"}.')
            return BadMessage(problem, None)
        identity = value.get("id")
        answers = type(identity) is int and 0 <= identity <= LARGEST_ID
        return BadMessage(_explained(value, error), identity if answers else None)


def _read_json(data: bytes) -> Any:
    return json.loads(data.decode(), parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_TYPES: Final = tuple(member.__struct_config__.tag for member in AnyCommand.__args__)
_PLACE = re.compile(r"^(?P<expected>.*?)(?: - at `(?P<path>.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(\w+)`")


def _explained(value: dict[Any, Any], error: str) -> Problem:
    found = _PLACE.match(error)
    expected, path = (found["expected"], found["path"] or "$") if found else (error, "$")
    missing = _MISSING.fullmatch(expected)
    if path == "$.type" or (missing and missing[1] == "type") or value.get("type") not in _TYPES:
        kind = value.get("type")
        shown = f"not {kind[:40]!r}" if isinstance(kind, str) else "as a text"
        return Problem(Code.MESSAGE_UNKNOWN_TYPE, f"The type of a command is one of {', '.join(_TYPES)}, {shown}.")
    field = path.removeprefix("$").removeprefix(".")
    if missing:
        return bad_field(f"{field}.{missing[1]}".removeprefix("."), "it is required")
    return bad_field(field, _EXPECTED.get(field) or expected[:1].lower() + expected[1:])


_EXPECTED: Final = {
    "do.move": "expected a card, rank then suit, like TD",
    "card": "expected a card, rank then suit, like TD",
    "do.to": "expected a column 1 to 7 or home",
    "kind": "expected human or bot",
    "role": "expected racer or watcher",
    "settings.start": "expected host or all_ready",
    "settings.grade": "expected easy, medium, hard or expert",
}

MSGPACK: Final = Encoding("msgpack", msgspec.msgpack, text=False)
JSON: Final = Encoding("json", msgspec.json, text=True)
ENCODINGS: Final = {encoding.subprotocol: encoding for encoding in (MSGPACK, JSON)}
"""By subprotocol, in the order of the server's preference."""
