"""Makes `docs/asyncapi.json`: the protocol for programs, as an AsyncAPI 3 document, from the messages themselves.

python tools/make_asyncapi.py
"""

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from stampede import __version__
from stampede.protocol import commands, events
from stampede.protocol.codec import ENCODINGS
from stampede.protocol.commands import AnyCommand, Command
from stampede.protocol.events import AnyEvent, Event

PAGE: Final = Path(__file__).parents[1] / "docs" / "asyncapi.json"

COMMANDS: Final[tuple[type[Command], ...]] = AnyCommand.__args__
EVENTS: Final[tuple[type[Event], ...]] = AnyEvent.__args__

ANSWERS: Final[dict[type[Command], tuple[type[Event], ...]]] = {
    commands.Hello: (events.Welcome,),
    commands.Rooms: (events.RoomsAnswer,),
    commands.Open: (events.Room,),
    commands.Join: (events.Room,),
    commands.Leave: (events.Done,),
    commands.Ready: (events.Done,),
    commands.Start: (events.Done,),
    commands.Play: (events.Played, events.Board),
    commands.Targets: (events.TargetsAnswer,),
    commands.Sync: (events.Room,),
    commands.Forfeit: (events.Done,),
    commands.Say: (events.Done,),
    commands.Replay: (events.ReplayAnswer,),
    commands.Rematch: (events.Room,),
    commands.Ping: (events.Pong,),
}
"""What each command is answered, beside `error`."""

_CHANNEL: Final = {"$ref": "#/channels/race"}


def document() -> dict[str, Any]:
    """The whole document."""
    schemas, components = msgspec.json.schema_components(
        [*COMMANDS, *EVENTS], ref_template="#/components/schemas/{name}"
    )
    messages = {
        _key(message): {
            "name": _type(message),
            "summary": (message.__doc__ or "").strip(),
            "payload": schema,
        }
        for message, schema in zip([*COMMANDS, *EVENTS], schemas, strict=True)
    }
    spoken = {
        "summary": "Everything that is said without having been asked for.",
        "action": "send",
        "channel": _CHANNEL,
        "messages": [_in_channel(event) for event in EVENTS],
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Stampede",
            "version": __version__,
            "description": (
                "A race server for patience: one deal, many players, every move judged, the first with 52 cards home "
                f"wins. The subprotocols are {' and '.join(ENCODINGS)}, with the same messages; see protocol.md."
            ),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"local": {"host": "127.0.0.1:7117", "protocol": "ws"}},
        "channels": {
            "race": {
                "address": "/ws",
                "messages": {key: {"$ref": f"#/components/messages/{key}"} for key in messages},
            }
        },
        "operations": {_type(command): _operation(command) for command in COMMANDS} | {"events": spoken},
        "components": {"messages": messages, "schemas": components},
    }


def text() -> str:
    """The document as it stands in its file."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def _operation(command: type[Command]) -> dict[str, Any]:
    return {
        "summary": (command.__doc__ or "").strip(),
        "action": "receive",
        "channel": _CHANNEL,
        "messages": [_in_channel(command)],
        "reply": {
            "channel": _CHANNEL,
            "messages": [_in_channel(event) for event in (*ANSWERS[command], events.Error)],
        },
    }


def _in_channel(message: type[Command] | type[Event]) -> dict[str, str]:
    return {"$ref": f"#/channels/race/messages/{_key(message)}"}


def _key(message: type[Command] | type[Event]) -> str:
    """Commands and answers share some types, so that `rooms` the command is not `rooms` the answer here."""
    return f"{'command' if issubclass(message, Command) else 'event'}-{_type(message)}"


def _type(message: type[Command] | type[Event]) -> str:
    return str(message.__struct_config__.tag)


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
