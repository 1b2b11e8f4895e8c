"""The port of the log: append-only streams of facts, each in one total order.

Laws that every log keeps, and `tests/server/log/test_contract.py` checks:

1. An entry is durable before anyone is given it: append resolves, and followers hear, only after the log has it.
2. A follower is given every entry of its stream once, in order, without gaps, also over a lost connection; on the
   node that appended, its followers have been given an entry before the append resolves.
3. Entry ids of a stream only ever grow. An id carries the log's own time, which never runs backwards.
4. An append that fails with `StorageError` may be tried again by the caller; facts are safe to repeat.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from msgspec import Struct

_SEQUENCE_BITS: Final = 20


class Entry(Struct, frozen=True, gc=False):
    """One fact in its place in a stream."""

    id: int
    """Unix milliseconds of the log's clock, shifted left by 20 bits, plus a sequence number within them."""
    fact: bytes

    @property
    def time_ms(self) -> int:
        """When the log took it: Unix milliseconds of the log's clock."""
        return self.id >> _SEQUENCE_BITS


def entry_id(time_ms: int, sequence: int = 0) -> int:
    """The id of entry number `sequence` within a millisecond."""
    return (time_ms << _SEQUENCE_BITS) + sequence


def time_of(identity: int) -> int:
    """The Unix milliseconds in an entry's id."""
    return identity >> _SEQUENCE_BITS


class StorageError(Exception):
    """The log cannot do it now; nothing is acknowledged, and trying again later may help."""


class LogUnusable(Exception):
    """The log cannot be opened as configured: one sentence for the operator that says why and what would be right."""


class Following(Protocol):
    """A subscription to a stream."""

    def close(self) -> None:
        """End it; nothing is delivered after this."""


class Log(Protocol):
    """Where rooms live. All methods are called on the event loop's thread and never block it.

    Under load a log may let the loop sleep for a few milliseconds before it commits (see `groups`).
    """

    def time_ms(self) -> int:
        """The log's clock now, Unix milliseconds; never runs backwards, also over restarts."""

    def append(self, stream: str, facts: Sequence[bytes]) -> "asyncio.Future[list[Entry]]":
        """Append facts to a stream, all or nothing, in this order.

        Resolves once they are durable and followers on this node have been given them; raises `StorageError`.
        Appends that wait at the same moment, of all streams, go out in one commit or pipeline. Appends of one
        caller to one stream keep their order.
        """

    def submit(self, stream: str, fact: bytes, failed: Callable[[bytes, StorageError], None]) -> None:
        """Append a fact for someone who follows the stream, and so is given it when it is durable.

        `failed` is called with the fact, later, if the log cannot take it. The same as `append`, for less.
        """

    async def read(self, stream: str, after: int = 0) -> list[Entry]:
        """All entries of a stream with an id greater than `after`, in order; none if there is no such stream."""

    def follow(self, stream: str, after: int, deliver: Callable[[Entry], None], reset: Callable[[], None]) -> Following:
        """Be given every entry with an id greater than `after`, once and in order, from now until closed.

        `after` is 0, or the id of an entry of the stream that the log has given before.
        `reset` is called if the log turns out to hold less than was delivered (a fail-over, a lost tail): the
        follower has then to close this and fold again from what is there. It must not raise; nor must `deliver`.
        """

    async def streams(self, prefix: str) -> list[tuple[str, int]]:
        """All streams whose name begins with `prefix`, each with the id of its last entry. Reads the whole index."""

    async def trim(self, stream: str, through: int) -> None:
        """Forget the entries of a stream up to and including the id `through`.

        A follower that had not been given all of them may be reset.
        """

    async def delete(self, stream: str) -> None:
        """Forget a stream. Its followers are reset."""

    async def beat(self, node: str) -> None:
        """Tell the other nodes that `node` is alive; to be called every few seconds."""

    async def nodes(self) -> frozenset[str]:
        """The nodes that were heard of lately. An embedded log knows only this process's."""

    async def check(self) -> None:
        """Raise `StorageError`, saying what is wrong, unless the log can be appended to."""

    async def close(self) -> None:
        """Finish what is under way and let go of everything."""
