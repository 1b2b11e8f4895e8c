"""The tables of the SQLite log: what its one thread does with its one connection."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, cast

from stampede.server.log.port import Entry

_PROBE: Final = bytes(8000)
"""More than a page: to write it, the file has to be able to grow."""


_INSERT: Final = "INSERT INTO entries VALUES (?, ?, ?)"
_ROWS: Final = 250
"""Entries in one statement, at most. Every step of a statement lets go of the interpreter and has to get it back, which
is dear while the event loop is busy: a commit of many entries is therefore one statement with one step."""
_INSERTS: Final = [_INSERT + ", (?, ?, ?)" * (rows - 1) for rows in range(1, _ROWS + 1)]


class Tables:
    """Streams and their entries. Everything raises `sqlite3.Error`; what it did not finish, it has not done."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._numbers: dict[str, int] = {}

    def last_id(self) -> int:
        """The greatest id of all entries. One look-up a stream."""
        return max((last for _, last in self.streams("")), default=0)

    def append(self, appends: Sequence[tuple[str, list[Entry]]]) -> None:
        """Commit entries for streams, all or none."""
        new = {stream for stream, _ in appends if self._number(stream) is None}
        if not new and sum(len(entries) for _, entries in appends) <= _ROWS:
            self._insert(appends)  # its own transaction
            return
        try:
            with self._transaction():
                for stream in new:
                    added = self._connection.execute("INSERT INTO streams (name) VALUES (?)", (stream,))
                    self._numbers[stream] = cast(int, added.lastrowid)
                self._insert(appends)
        except BaseException:
            for stream in new:
                self._numbers.pop(stream, None)
            raise

    def _insert(self, appends: Sequence[tuple[str, list[Entry]]]) -> None:
        values: list[int | bytes] = []
        for stream, entries in appends:
            number = self._numbers[stream]
            for entry in entries:
                values += (number, *entry)
        width = 3 * _ROWS
        for at in range(0, len(values), width):
            some = values[at : at + width]
            self._connection.execute(_INSERTS[len(some) // 3 - 1], some)

    def read(self, stream: str, after: int) -> list[Entry]:
        """The entries of a stream after an id."""
        number = self._number(stream)
        found = self._connection.execute(
            "SELECT id, fact FROM entries WHERE stream = ? AND id > ? ORDER BY id", (number, after)
        )
        return list(map(Entry._make, found.fetchall()))

    def streams(self, prefix: str) -> list[tuple[str, int]]:
        """The streams that have entries, each with its last id."""
        found = self._connection.execute(
            "SELECT name, (SELECT max(id) FROM entries WHERE stream = number) AS last FROM streams"
            " WHERE substr(name, 1, ?) = ? AND last IS NOT NULL",
            (len(prefix), prefix),
        )
        return found.fetchall()

    def trim(self, stream: str, through: int) -> None:
        """Remove the entries of a stream up to an id."""
        self._connection.execute("DELETE FROM entries WHERE stream = ? AND id <= ?", (self._number(stream), through))

    def delete(self, stream: str) -> bool:
        """Remove a stream; whether there was one."""
        number = self._number(stream)
        if number is None:
            return False
        with self._transaction():
            self._connection.execute("DELETE FROM entries WHERE stream = ?", (number,))
            self._connection.execute("DELETE FROM streams WHERE number = ?", (number,))
        del self._numbers[stream]
        return True

    def probe(self) -> None:
        """Write and remove something, durably, to see whether that is possible."""
        with self._transaction():
            self._connection.execute(_INSERT, (0, 0, _PROBE))
            self._connection.execute("DELETE FROM entries WHERE stream = 0")

    def _number(self, name: str) -> int | None:
        if name not in self._numbers:
            found = self._connection.execute("SELECT number FROM streams WHERE name = ?", (name,)).fetchone()
            if found is None:
                return None
            self._numbers[name] = found[0]
        return self._numbers[name]

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
