"""The log on one Redis or Valkey server, for any number of nodes: a stream a room, and the order is Redis'.

An append tells the appending node and, by a message, all others what came before it. Whoever's cursor is there
takes the entries at once; whoever's is not reads on from its cursor. So a lost message shows, and costs a read; who
appends is given what was missing with the answer. Such a read begins with the last entry delivered: if that is not
there any more, Redis has lost it, and the follower begins anew. One connection is for commands, one for the messages.
"""
# ruff: noqa: D102 (the port says what these methods promise)

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Self

from stampede.server.log import redis_scripts
from stampede.server.log.followers import Follower, Followers
from stampede.server.log.port import Entry, Log, LogUnusable, StorageError, time_of
from stampede.server.log.redis_address import Address
from stampede.server.log.redis_clock import RedisClock
from stampede.server.log.redis_delivery import Delivery
from stampede.server.log.redis_entries import Arrival, from_news, from_places, from_rows, last_told, to_id, to_text
from stampede.server.log.redis_keys import Keys
from stampede.server.log.redis_link import Heard, Link
from stampede.server.log.redis_news import News
from stampede.server.log.redis_server import ServerFacts, read_facts

PREFIX: Final = "stampede:"
DEAD_AFTER_MS: Final = 10_000
"""A node that was not heard of for so long is taken for dead."""
_PAGE: Final = 2000
_SCANNED_AT_ONCE: Final = 200


class RedisLog(Log):
    """A `Log` on a Redis or Valkey server."""

    def __init__(self, address: Address, prefix: str) -> None:
        """Use `open`."""
        self._loop = asyncio.get_running_loop()
        self._keys = Keys(prefix, address.database)
        self._clock = RedisClock()
        self._followers = Followers(self._forgotten)
        self._link = Link(address, redis_scripts.ALL)
        self._delivery = Delivery(self._link, self._keys, self._followers)
        self._news = News(address, self._told, self._listening, self._tick)
        self._under_way: dict[str, int] = {}
        """How many appends to each stream have no answer yet."""
        self._closed = False

    @classmethod
    async def open(cls, url: str, *, password: str | None = None, prefix: str = PREFIX) -> Self:
        """Open the log on the server at `url`. `password` goes before one in the URL; all keys begin with `prefix`.

        Raises `LogUnusable` if it cannot be reached, does not let us in, or must not hold a log.
        """
        address = Address.parse(url, password)
        log = cls(address, prefix)
        try:
            facts: ServerFacts = await read_facts(log._link)
            if objection := facts.objection(address.text):
                raise LogUnusable(objection)
            await log.check()
            await log._sample()
        except StorageError as error:
            await log.close()
            raise LogUnusable(f"The log cannot be opened: {error}") from error
        except BaseException:
            await log.close()
            raise
        return log

    def time_ms(self) -> int:
        return self._clock.now_ms()

    def append(self, stream: str, facts: Sequence[bytes]) -> asyncio.Future[list[Entry]]:
        future: asyncio.Future[list[Entry]] = self._loop.create_future()
        if not facts:
            future.set_result([])
            return future

        def heard(reply: Any, failure: StorageError | None) -> None:
            if failure is None:
                self._delivery.resolve(stream, self._appended(stream, facts, reply), future)
            elif not future.done():
                future.set_exception(StorageError(*failure.args))

        self._append(stream, facts, heard)
        return future

    def submit(self, stream: str, fact: bytes, failed: Callable[[bytes, StorageError], None]) -> None:
        def heard(reply: Any, failure: StorageError | None) -> None:
            if failure is None:
                self._appended(stream, (fact,), reply)
            else:
                failed(fact, StorageError(*failure.args))

        self._append(stream, (fact,), heard)

    async def read(self, stream: str, after: int = 0) -> list[Entry]:
        entries: list[Entry] = []
        while True:
            behind = b"(" + to_text(entries[-1].id if entries else after)
            rows = await self._link.call("XRANGE", self._keys.log(stream), behind, "+", "COUNT", _PAGE)
            entries += from_rows(rows)
            if len(rows) < _PAGE:
                if entries:
                    self._clock.seen(entries[-1].time_ms)
                return entries

    def follow(self, stream: str, after: int, deliver: Callable[[Entry], None], reset: Callable[[], None]) -> Follower:
        follower = self._followers.add(stream, after, deliver, reset)
        if self._news.want(self._keys.channel(stream)):
            self._delivery.catch_up(follower)
        return follower

    async def streams(self, prefix: str) -> list[tuple[str, int]]:
        found: dict[bytes, int] = {}
        cursor: bytes | int = 0
        while cursor != b"0":
            # A page at a time, for appends wait behind what is asked here.
            cursor, keys = await self._link.call(
                "SCAN", cursor, "MATCH", self._keys.pattern(prefix), "COUNT", _SCANNED_AT_ONCE
            )
            lasts = await asyncio.gather(*(self._link.call("XREVRANGE", key, "+", "-", "COUNT", 1) for key in keys))
            found |= {key: to_id(rows[0][0]) for key, rows in zip(keys, lasts, strict=True) if rows}
        return [(self._keys.stream_of(key), last) for key, last in sorted(found.items())]

    async def trim(self, stream: str, through: int) -> None:
        await self._link.call("XTRIM", self._keys.log(stream), "MINID", "=", to_text(through + 1))

    async def delete(self, stream: str) -> None:
        keys = (self._keys.log(stream), self._keys.clock)
        await self._link.call("EVALSHA", redis_scripts.DELETE.name, len(keys), *keys, self._keys.channel(stream))

    async def beat(self, node: str) -> None:
        await self._link.call("EVALSHA", redis_scripts.BEAT.name, 1, self._keys.nodes, node, DEAD_AFTER_MS)

    async def nodes(self) -> frozenset[str]:
        names = await self._link.call("EVALSHA", redis_scripts.NODES.name, 1, self._keys.nodes, DEAD_AFTER_MS)
        return frozenset(name.decode() for name in names)

    async def check(self) -> None:
        channel = self._keys.channel("")
        appended = self._link.call(
            "EVALSHA", redis_scripts.APPEND.name, 2, self._keys.check, self._keys.clock, channel, b"", b"check"
        )
        await asyncio.gather(appended, self._link.call("DEL", self._keys.check))

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._link.close()
            await self._news.close()

    def _append(self, stream: str, facts: Sequence[bytes], heard: Heard) -> None:
        under_way = self._under_way.get(stream, 0)
        self._under_way[stream] = under_way + 1
        # While another one is under way, the cursor says little of what will be missing.
        cursor = 0 if under_way else self._followers.least(stream)
        words = (self._keys.channel(stream), to_text(cursor) if cursor else b"", *facts)
        self._link.run(
            redis_scripts.APPEND,
            (self._keys.log(stream), self._keys.clock),
            words,
            partial(self._answered, stream, heard),
        )

    def _answered(self, stream: str, heard: Heard, reply: Any, failure: StorageError | None) -> None:
        self._under_way[stream] -= 1
        if not self._under_way[stream]:
            del self._under_way[stream]
        heard(reply, failure)

    def _appended(self, stream: str, facts: Sequence[bytes], reply: Any) -> list[Entry]:
        """Deliver what was appended, and what others had appended before it."""
        places, missed = reply
        predecessor, entries = arrival = from_places(places, facts)
        self._clock.seen(entries[-1].time_ms)
        between = from_rows(missed)
        if between and between[-1].id == predecessor:
            arrival = Arrival(between[0].id, between[1:] + entries)
        self._delivery.arrived(stream, arrival)
        return entries

    def _told(self, channel: bytes, message: bytes) -> None:
        stream = self._keys.told_on(channel)
        try:
            last = last_told(message)
            if last is not None and last <= self._followers.least(stream):
                self._clock.seen(time_of(last))
                return  # our own, or it came with the answer to our own
            arrival = from_news(message)
        except ValueError:  # somebody else's message
            self._delivery.catch_up_all(stream)
            return
        if arrival.entries:
            self._clock.seen(arrival.entries[-1].time_ms)
        self._delivery.arrived(stream, arrival)

    def _listening(self, channel: bytes) -> None:
        self._delivery.catch_up_all(self._keys.told_on(channel))

    def _forgotten(self, stream: str) -> None:
        self._news.unwant(self._keys.channel(stream))

    def _tick(self) -> None:
        self._delivery.catch_up_some()
        self._link.run(redis_scripts.TIME, (self._keys.clock,), (), partial(self._timed, time.monotonic()))

    async def _sample(self) -> None:
        asked_at = time.monotonic()
        reply = await self._link.call("EVALSHA", redis_scripts.TIME.name, 1, self._keys.clock)
        self._timed(asked_at, reply, None)

    def _timed(self, asked_at: float, reply: Any, failure: StorageError | None) -> None:
        if failure is None:
            seconds, microseconds, shift_ms = map(int, reply)
            self._clock.sample(asked_at, seconds + microseconds / 1e6 + shift_ms / 1000)
