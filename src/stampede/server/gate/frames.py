"""Frames: events as whole websocket frames, ready for the network and for many readers."""

from collections.abc import Callable
from typing import Final

from stampede.protocol.codec import JSON, MSGPACK, Encoding
from stampede.protocol.events import Event
from stampede.server.hall.outbox import Writer

_FINAL_TEXT: Final = 0x81
_FINAL_BINARY: Final = 0x82


def _writer(encoding: Encoding) -> Writer:
    head = _FINAL_TEXT if encoding.text else _FINAL_BINARY
    encode: Callable[[Event], bytes] = encoding.encode

    def written(event: Event) -> bytes:
        """An unmasked frame (RFC 6455, 5.2) without extensions: these differ in nothing from one reader to another."""
        data = encode(event)
        size = len(data)
        if size < 126:
            return bytes((head, size)) + data
        if size < 65_536:
            return bytes((head, 126)) + size.to_bytes(2) + data
        return bytes((head, 127)) + size.to_bytes(8) + data

    return written


WRITERS: Final[dict[Encoding, Writer]] = {encoding: _writer(encoding) for encoding in (MSGPACK, JSON)}
