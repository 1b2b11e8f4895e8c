"""Frames: the websocket frames (RFC 6455, 5.2) that come and go by the thousand, without the detour of a parser.

Out: unmasked frames without extensions, which differ in nothing from one reader to another. In: the one shape that
nearly every command has. All else is left to the websocket protocol's own parser.
"""

from collections.abc import Callable
from typing import Final

from stampede.protocol.codec import JSON, MSGPACK, Encoding
from stampede.protocol.events import Event
from stampede.server.hall.outbox import Writer

try:
    from websockets.speedups import apply_mask
except ImportError:  # built without its C part
    from websockets.utils import apply_mask

FINAL_TEXT: Final = 0x81
FINAL_BINARY: Final = 0x82
_OFTEN: Final = 512
"""Below so many bytes, heads of frames are kept ready: most answers are."""


def _writer(encoding: Encoding) -> Writer:
    head = FINAL_TEXT if encoding.text else FINAL_BINARY
    heads = [bytes((head, size)) for size in range(126)]
    heads += [bytes((head, 126)) + size.to_bytes(2) for size in range(126, _OFTEN)]
    encode: Callable[[Event], bytes] = encoding.encode

    def written(event: Event) -> bytes:
        data = encode(event)
        size = len(data)
        if size < _OFTEN:
            return heads[size] + data
        if size < 65_536:
            return bytes((head, 126)) + size.to_bytes(2) + data
        return bytes((head, 127)) + size.to_bytes(8) + data

    return written


WRITERS: Final[dict[Encoding, Writer]] = {encoding: _writer(encoding) for encoding in (MSGPACK, JSON)}


def short_message(data: bytes) -> bytes | None:
    """The payload, if `data` is exactly one whole message: one final, masked data frame of 1 to 125 bytes."""
    if len(data) > 6 and (data[0] == FINAL_BINARY or data[0] == FINAL_TEXT):
        size = data[1] - 0x80
        if 0 < size < 126 and len(data) == size + 6:
            return apply_mask(data[6:], data[2:6])
    return None


def unfinished(data: bytes) -> bytes:
    """What is left of `data`, which begins with a masked frame, after its last whole frame."""
    at = 0
    while len(data) - at >= 2:
        size = data[at + 1] & 0x7F
        head = 6
        if size >= 126:
            head = 8 if size == 126 else 14
            size = int.from_bytes(data[at + 2 : at + head - 4])
        if len(data) - at < head + size:
            break
        at += head + size
    return data[at:]
