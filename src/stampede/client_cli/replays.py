"""Replays of finished races: asked of a server, or read from a file."""

from pathlib import Path
from typing import Final

import msgspec

from stampede.client_cli.failure import Failure
from stampede.protocol.client import Client
from stampede.protocol.commands import Replay
from stampede.protocol.events import ReplayAnswer

VERSION: Final = 1
"""The version of replays that is understood here."""


def is_file(source: str) -> bool:
    """Whether a source is meant as a file rather than as a room."""
    return Path(source).exists() or "/" in source or source.lower().endswith(".json")


def from_file(source: str) -> ReplayAnswer:
    """The replay in a JSON file; raises `Failure`."""
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise Failure(f"Cannot read {source}: {error.strerror or error}.") from error
    try:
        replay = msgspec.json.decode(data, type=ReplayAnswer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Failure(f"{source} is no replay of a race: {error}.") from error
    return _checked(replay, source)


async def from_room(client: Client, room: str) -> ReplayAnswer:
    """The replay of a finished race; raises as `Client.ask` does, and `Failure`."""
    answer = await client.ask(Replay(room=room))
    if not isinstance(answer, ReplayAnswer):
        raise Failure(f"The server does not give the replay of {room}.")
    return _checked(answer, room)


def save(replay: ReplayAnswer, path: str) -> None:
    """Write a replay to a JSON file; raises `Failure`."""
    data = msgspec.json.format(msgspec.json.encode(replay), indent=1)
    try:
        Path(path).write_bytes(data + b"\n")
    except OSError as error:
        raise Failure(f"Cannot write {path}: {error.strerror or error}.") from error


def _checked(replay: ReplayAnswer, source: str) -> ReplayAnswer:
    if replay.version != VERSION:
        raise Failure(f"The replay of {source} has version {replay.version}; this program understands {VERSION}.")
    return replay
