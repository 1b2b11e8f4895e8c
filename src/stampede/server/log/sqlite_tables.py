"""The tables of the SQLite log: what its one thread does with its one connection.

Entries of all streams lie in one table in the order in which they came, so that a commit writes at one place, however
many streams it is for. Each knows the one before it in its stream; the last of a stream is kept in memory, and noted
in the table of streams now and then. What came after the latest note is looked through when the file is opened.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from stampede.server.log.port import Entry

_PROBE: Final = bytes(8000)
"""More than a page: to write it, the file has to be able to grow."""

_INSERT: Final = "INSERT INTO entries VALUES (?, ?, ?, ?)"
_ROWS: Final = 249
"""Entries in one statement, at most: SQLite before 3.32 takes no more than 999 values. Every step of a statement
lets go of the interpreter and has to get it back, which is dear while the event loop is busy: a commit of many entries
is therefore one statement with one step."""
_INSERTS: Final = [_INSERT + ", (?, ?, ?, ?)" * (rows - 1) for rows in range(1, _ROWS + 1)]
_NOTED_EVERY: Final = 10_000
"""Entries after which the last ones of their streams are noted; so many may have to be looked through at the start."""

# A stream from its last entry backwards: the one row that waits is the one that comes out next, so they are in order.
_CHAIN: Final = """
    WITH RECURSIVE chain (id, previous, fact) AS (
        SELECT id, previous, fact FROM entries WHERE id = ?
        UNION ALL
        SELECT entries.id, entries.previous, entries.fact FROM chain JOIN entries ON entries.id = chain.previous
        WHERE chain.previous > ?
    )
"""
_READ: Final = _CHAIN + "SELECT id, fact FROM chain"  # noqa: S608 (made of constants)
_REMOVE: Final = _CHAIN + "DELETE FROM entries WHERE id IN (SELECT id FROM chain WHERE id <= ?)"  # noqa: S608


class _Stream:
    """What is known of a stream: its number, and its last entry's id (0: it has none)."""

    __slots__ = ("last", "number")

    def __init__(self, number: int, last: int) -> None:
        self.number = number
        self.last = last


class Tables:
    """Streams and their entries. Everything raises `sqlite3.Error`; what it did not finish, it has not done."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._streams: dict[str, _Stream] = {}
        """Those that were asked for since the start."""
        self._changed: set[_Stream] = set()
        """Those whose last entry is not noted yet."""
        self._since_noted = 0

    def last_id(self) -> int:
        """The greatest id there ever was. Brings the notes up to date first: to be called before anything else."""
        (through,) = self._connection.execute("SELECT through FROM noted").fetchone()
        lasts = self._connection.execute(
            "SELECT max(id), stream FROM entries WHERE id > ? GROUP BY stream", (through,)
        ).fetchall()
        if lasts:
            through = max(lasts)[0]
            self._note(lasts, through)
        return int(through)

    def append(self, appends: Sequence[tuple[str, list[Entry]]]) -> None:
        """Commit entries for streams, all or none."""
        new = {name for name, _ in appends if self._stream(name) is None}
        values: list[int | bytes] = []
        lasts: dict[_Stream, int] = {}
        if new or sum(len(entries) for _, entries in appends) > _ROWS:
            try:
                with self._transaction():
                    for name in new:
                        added = self._connection.execute("INSERT INTO streams (name, last) VALUES (?, 0)", (name,))
                        self._streams[name] = _Stream(added.lastrowid or 0, 0)
                    self._chain(appends, values, lasts)
                    for at in range(0, len(values), 4 * _ROWS):
                        self._insert(values[at : at + 4 * _ROWS])
            except BaseException:
                for name in new:
                    self._streams.pop(name, None)
                raise
        elif appends:
            self._chain(appends, values, lasts)
            self._insert(values)  # its own transaction
        for stream, last in lasts.items():
            stream.last = last
        self._changed |= lasts.keys()
        self._since_noted += len(values) // 4

    def _chain(
        self, appends: Sequence[tuple[str, list[Entry]]], values: list[int | bytes], lasts: dict[_Stream, int]
    ) -> None:
        for name, entries in appends:
            stream = self._streams[name]
            previous = lasts.get(stream, stream.last)
            for entry in entries:
                values += (entry.id, stream.number, previous, entry.fact)
                previous = entry.id
            lasts[stream] = previous

    def _insert(self, values: Sequence[int | bytes]) -> None:
        self._connection.execute(_INSERTS[len(values) // 4 - 1], values)

    @property
    def note_due(self) -> bool:
        """Whether it is time for `note`."""
        return self._since_noted >= _NOTED_EVERY

    def note(self) -> None:
        """Note the last entries of the streams that have changed."""
        self._since_noted = 0
        lasts = [(stream.last, stream.number) for stream in self._changed]
        if lasts:
            self._note(lasts, max(lasts)[0])
            self._changed.clear()

    def _note(self, lasts: list[tuple[int, int]], through: int) -> None:
        with self._transaction():
            self._connection.executemany("UPDATE streams SET last = ? WHERE number = ?", lasts)
            self._connection.execute("UPDATE noted SET through = ?", (through,))

    def read(self, stream: str, after: int) -> list[Entry]:
        """The entries of a stream after an id. Costs a look-up for each of them."""
        known = self._stream(stream)
        if known is None or known.last <= after:
            return []
        found = self._connection.execute(_READ, (known.last, after)).fetchall()
        found.reverse()
        return [Entry(id, fact) for id, fact in found]

    def streams(self, prefix: str) -> list[tuple[str, int]]:
        """The streams that have entries, each with its last id."""
        found = self._connection.execute(
            "SELECT name, last FROM streams WHERE substr(name, 1, ?) = ?", (len(prefix), prefix)
        ).fetchall()
        known = self._streams
        told = ((name, known[name].last if name in known else last) for name, last in found)
        return [(name, last) for name, last in told if last]

    def trim(self, stream: str, through: int) -> None:
        """Remove the entries of a stream up to an id."""
        known = self._stream(stream)
        if known is None:
            return
        empties = through >= known.last
        if empties:
            self.note()  # the greatest id has to outlive its entry
        with self._transaction():
            self._remove(known, through)
            if empties:
                self._connection.execute("UPDATE streams SET last = 0 WHERE number = ?", (known.number,))
        if empties:
            known.last = 0
            self._changed.discard(known)

    def delete(self, stream: str) -> bool:
        """Remove a stream; whether there was one."""
        known = self._stream(stream)
        if known is None:
            return False
        self.note()  # the greatest id has to outlive its entry
        with self._transaction():
            self._remove(known, known.last)
            self._connection.execute("DELETE FROM streams WHERE number = ?", (known.number,))
        del self._streams[stream]
        self._changed.discard(known)
        return True

    def _remove(self, stream: _Stream, through: int) -> None:
        self._connection.execute(_REMOVE, (stream.last, 0, through))

    def probe(self) -> None:
        """Write and remove something, durably, to see whether that is possible."""
        with self._transaction():
            self._connection.execute(_INSERT, (0, 0, 0, _PROBE))
            self._connection.execute("DELETE FROM entries WHERE id = 0")

    def _stream(self, name: str) -> _Stream | None:
        known = self._streams.get(name)
        if known is None:
            found = self._connection.execute("SELECT number, last FROM streams WHERE name = ?", (name,)).fetchone()
            if found is None:
                return None
            known = self._streams[name] = _Stream(*found)
        return known

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
