"""Delivery: from what Redis says of a stream, in whatever order, to what its followers are given, once and in order.

Entries come with the id of the one before them. A follower whose cursor is there takes them; one whose cursor is
before that reads on from it; one whose cursor is after that, on an entry that is not among them, was given an entry
that Redis does not have any more. Such a read begins with the entry at the cursor, which shows the same; if news
has moved the cursor on by the time it is answered, the entry that is there now has to be in the answer, or, if that
ends before it, in the next one.
"""

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from stampede.server.log import redis_scripts
from stampede.server.log.followers import Follower, Followers
from stampede.server.log.port import Entry, StorageError
from stampede.server.log.redis_entries import Arrival, from_rows, to_id, to_text
from stampede.server.log.redis_keys import Keys
from stampede.server.log.redis_link import Link

_PAGE: Final = 2000
_RETRY_S: Final = 0.5
"""How soon a read that failed is tried again."""
_CHECKED_AT_ONCE: Final = 16


class Delivery:
    """Keeps the followers of this node up with Redis."""

    def __init__(self, link: Link, keys: Keys, followers: Followers) -> None:
        self._link = link
        self._keys = keys
        self._followers = followers
        self._reading: set[Follower] = set()
        self._again: set[Follower] = set()
        """Those for whom there may be more than the read under way will bring."""
        self._held: dict[str, list[tuple[asyncio.Future[list[Entry]], list[Entry]]]] = {}
        """Appends whose entries some follower has still to be given."""
        self._round: Iterator[str] = iter(())

    def arrived(self, stream: str, arrival: Arrival) -> None:
        """There are these entries in a stream, and nothing between them and their predecessor.

        None at all means that the stream was deleted, with the predecessor as its last entry.
        """
        predecessor, entries = arrival
        for follower in self._followers.of(stream):
            cursor = follower.cursor
            if not entries:
                if 0 < cursor <= predecessor:
                    follower.reset()
            elif entries[-1].id <= cursor:
                continue
            elif predecessor == cursor:
                follower.give(entries)
            elif predecessor > cursor:
                self.catch_up(follower)
            elif any(entry.id == cursor for entry in entries):
                follower.give(entries)
            else:
                follower.reset()

    def resolve(self, stream: str, entries: list[Entry], future: "asyncio.Future[list[Entry]]") -> None:
        """Let an append's caller go on, once the followers of the stream have been given its entries."""
        lagging = [follower for follower in self._followers.of(stream) if follower.cursor < entries[-1].id]
        if not lagging and stream not in self._held:
            if not future.done():
                future.set_result(entries)
            return
        self._held.setdefault(stream, []).append((future, entries))
        for follower in lagging:
            if follower not in self._reading:
                self.catch_up(follower)

    def catch_up_all(self, stream: str) -> None:
        """See whether there is more in a stream than its followers were given, or less."""
        for follower in self._followers.of(stream):
            self.catch_up(follower)

    def catch_up_some(self) -> None:
        """Do so for a few streams, others each time: what nothing told of shows at last, at a constant cost."""
        for _ in range(_CHECKED_AT_ONCE):
            stream = next(self._round, None)
            if stream is None:
                self._round = iter(self._followers.streams())
                return
            self.catch_up_all(stream)

    def catch_up(self, follower: Follower) -> None:
        """Read on from a follower's cursor."""
        if follower in self._reading:
            self._again.add(follower)
            return
        self._reading.add(follower)
        words = (to_text(follower.cursor) if follower.cursor else b"-", _PAGE)
        heard = partial(self._caught_up, follower, follower.cursor)
        self._link.run(redis_scripts.READ, (self._keys.log(follower.stream),), words, heard)

    def _caught_up(self, follower: Follower, cursor: int, reply: Any, failure: StorageError | None) -> None:
        self._reading.discard(follower)
        more = follower in self._again
        self._again.discard(follower)
        if failure is not None:
            if follower.is_open:
                asyncio.get_running_loop().call_later(_RETRY_S, self._retry, follower)
        else:
            last, rows = to_id(reply[0]), reply[1]
            entries = from_rows(rows)
            given = follower.cursor
            if given and given != last and all(entry.id != given for entry in entries):
                if given == cursor or (entries and entries[-1].id > given):
                    follower.reset()
                else:  # what was given since the read was asked for came after it, or after its page
                    more = True
            follower.give(entries)
            if follower.is_open and (more or len(entries) == _PAGE):
                self.catch_up(follower)
                return
        self._release(follower.stream, failure)

    def _retry(self, follower: Follower) -> None:
        if follower.is_open:
            self.catch_up(follower)

    def _release(self, stream: str, failure: StorageError | None) -> None:
        held = self._held.pop(stream, [])
        reached = min((follower.cursor for follower in self._followers.of(stream)), default=None)
        waiting = []
        for future, entries in held:
            if future.done():
                continue
            if reached is None or reached >= entries[-1].id:
                future.set_result(entries)
            elif failure is not None:
                future.set_exception(StorageError(*failure.args))
            else:
                waiting.append((future, entries))
        if waiting:
            self._held[stream] = waiting
