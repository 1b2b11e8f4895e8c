"""Players: who they are, which rooms they have seats in, and which connection of theirs is the newest."""

import re
import secrets
from base64 import b32encode
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from stampede.server.hall.rooms import Rooms
from stampede.server.log.port import Log

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """256 random bits as 43 base64url characters."""
    return secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    """Whether a text has the form of a token; any such text is some player's."""
    return _TOKEN.fullmatch(text) is not None


def player_of(token: str) -> str:
    """The public id of the player with this token: 80 bits of its SHA-256, so any node can check it."""
    return b32encode(sha256(token.encode("ascii")).digest()[:10]).decode("ascii").lower()


class Seated(Struct, array_like=True, frozen=True, gc=False):
    """An entry of a player's stream: a seat was taken there. Whether it still is, only the room knows."""

    room: str
    as_host: bool


_encode: Final = msgspec.msgpack.Encoder().encode
decode_seated: Final = msgspec.msgpack.Decoder(Seated).decode


class Players:
    """The seats of players, each in a small stream of its own."""

    def __init__(self, log: Log, rooms: Rooms) -> None:
        self._log = log
        self._rooms = rooms

    def seated(self, player: str, room: str, *, as_host: bool) -> None:
        """Note a seat, in the log before the seat itself is; a note too many does no harm."""
        noted = self._log.append(_stream(player), [_encode(Seated(room, as_host))])
        # A failure shows where the seat itself is appended.
        noted.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def seats(self, player: str) -> list[Seated]:
        """The player's seats in rooms that are not over, oldest first; wakes those rooms. Raises `StorageError`."""
        entries = await self._log.read(_stream(player))
        kept: dict[str, Seated] = {}
        stale = 0
        for entry in entries:
            seated = decode_seated(entry.fact)
            live = await self._rooms.find(seated.room)
            state = live.now() if live is not None else None
            if state is not None and not state.ended and player in state.seats:
                kept[seated.room] = Seated(seated.room, seated.as_host or _was_host(kept, seated.room))
            elif not kept:
                stale = entry.id
        if stale:
            await self._log.trim(_stream(player), stale)
        return list(kept.values())


def _was_host(kept: dict[str, Seated], room: str) -> bool:
    return room in kept and kept[room].as_host


def _stream(player: str) -> str:
    return f"player:{player}"
