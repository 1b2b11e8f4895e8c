"""The outflow: what has been written to one peer and may still be in the outbox, which is the transport's buffer."""

import asyncio
from collections import deque
from typing import Final

SEND_S: Final = 5.0
"""A message that could not be handed to the network for so long ends the connection."""
OUTBOX_BYTES: Final = 256 * 1024
"""More than this in the outbox ends it at once, unless it is a single message."""
CROWDED_BYTES: Final = 16 * 1024
"""From here on, progress is left out."""
ANSWERS_BYTES: Final = 64 * 1024
"""With more than this in the outbox, the peer has to read before its next command is handled."""


class Outflow:
    """How much of what was written to a transport its peer has still to take, and since when."""

    __slots__ = ("_checkpoints", "_long", "_transport", "_written")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._written = 0
        self._long = 0
        """The size of a single long message that may still be in the outbox."""
        self._checkpoints: deque[tuple[float, int]] = deque()
        """Now and then, how many bytes had been written by then; those that have been handed on are forgotten."""

    @property
    def crowded(self) -> bool:
        """Whether the reader does not keep up."""
        return self._transport.get_write_buffer_size() > CROWDED_BYTES

    @property
    def over(self) -> bool:
        """Whether more is in the outbox than may be."""
        return self._transport.get_write_buffer_size() > OUTBOX_BYTES + self._long

    def takes(self, size: int) -> bool:
        """Count a message that is about to be written; False if there is no room for it."""
        waiting = self._transport.get_write_buffer_size()
        if waiting:
            if waiting + size > OUTBOX_BYTES + self._long:
                return False
        elif self._long or size > OUTBOX_BYTES:
            self._long = size if size > OUTBOX_BYTES else 0
        self._written += size
        return True

    def count(self, size: int) -> None:
        """Count bytes of the protocol's own: pongs, closes, handshakes."""
        self._written += size

    def stuck(self, now: float) -> bool:
        """Whether something was written more than `SEND_S` ago and is still here; to be asked about twice a second."""
        checkpoints = self._checkpoints
        waiting = self._transport.get_write_buffer_size()
        if not waiting:
            checkpoints.clear()
            return False
        while checkpoints and checkpoints[0][1] <= self._written - waiting:
            checkpoints.popleft()
        if checkpoints and now - checkpoints[0][0] > SEND_S:
            return True
        checkpoints.append((now, self._written))
        return False
