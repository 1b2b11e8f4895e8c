"""The file of the SQLite log: claimed for one server, known to be ours, readable by its owner alone.

Its lock is a file of its own beside it (`PATH-lock`), held as long as the log is open. SQLite's own exclusive lock,
which keeps other programs out, could refuse both of two servers that start at the same moment; this one lets
one of them through. Both end with the process, however it ends.
"""

import os
import sqlite3
from contextlib import suppress
from typing import Final, Literal

from stampede.server.log.port import LogUnusable

try:
    import fcntl
except ImportError:  # Windows has none; there SQLite's own lock has to do
    fcntl = None  # type: ignore[assignment]

Synchronous = Literal["NORMAL", "FULL", "EXTRA"]

APPLICATION_ID: Final = int.from_bytes(b"STMP")
SCHEMA_VERSION: Final = 2

_MAGIC: Final = b"SQLite format 3\0"
_MARKS: Final = ("application_id", "user_version")
_ENTRIES: Final = """
    CREATE TABLE entries
        (id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, previous INTEGER NOT NULL, fact BLOB NOT NULL);
    CREATE TABLE noted (through INTEGER NOT NULL);
    INSERT INTO noted VALUES (0);
"""
_SCHEMA: Final = f"""
    BEGIN;
    CREATE TABLE streams (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL);
    {_ENTRIES}
    PRAGMA application_id = {APPLICATION_ID};
    PRAGMA user_version = {SCHEMA_VERSION};
    COMMIT;
"""
_FROM_VERSION_1: Final = f"""
    BEGIN IMMEDIATE;
    ALTER TABLE streams ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE entries RENAME TO entries_1;
    {_ENTRIES}
    INSERT INTO entries
        SELECT id, stream, lag(id, 1, 0) OVER (PARTITION BY stream ORDER BY id), fact FROM entries_1 ORDER BY id;
    DROP TABLE entries_1;
    PRAGMA user_version = {SCHEMA_VERSION};
    COMMIT;
"""  # noqa: S608 (made of constants)
"""What a file of the first schema, which kept each stream's entries together, becomes. As long as it takes to copy."""
_WAL_PAGES: Final = 4000
"""The WAL is folded into the file about every 16 MB: more seldom than by default, for commits wait for that."""


class ClaimedFile:
    """An open database that no other server can open. Raises `LogUnusable` where it cannot be had."""

    def __init__(self, path: str, synchronous: Synchronous) -> None:
        # The streams' names and facts hold secrets. SQLite gives its WAL the mode of the file.
        claim_mode(path)
        self._lock = _lock(path)
        try:
            self.connection = _open(path, synchronous)
        except BaseException:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Let go of the file. SQLite folds its WAL into it."""
        self.connection.close()
        os.close(self._lock)


def claim_mode(path: str) -> None:
    """Make the file, if it is new, with mode 0600 from its first moment."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            beginning = os.read(file, len(_MAGIC))
        finally:
            os.close(file)
    except IsADirectoryError as error:
        like = os.path.join(path, "stampede.db")
        raise LogUnusable(f"The log {path} is a directory; name a file in it, like {like}.") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LogUnusable(f"The log {path} cannot be opened for writing: {reason}.") from error
    if beginning and beginning != _MAGIC:  # SQLite takes very short files for empty ones
        raise LogUnusable(f"The log {path} is not a SQLite database; name another file.")


def _lock(path: str) -> int:
    """Take the lock of the file at `path`, whatever links lead to it."""
    lock_path = f"{os.path.realpath(path)}-lock"
    try:
        lock = os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LogUnusable(f"The log {path} needs to write in its directory ({lock_path}): {reason}.") from error
    if fcntl is not None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise LogUnusable(f"The log {path} is in use by another server; only one may have it open.") from error
    return lock


def _open(path: str, synchronous: Synchronous) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=512
        )
    except sqlite3.Error as error:
        raise LogUnusable(f"The log {path} cannot be opened: {error}.") from error
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = schema_of(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
        if version == 0:
            connection.executescript(_SCHEMA)
        elif version == 1:
            connection.executescript(_FROM_VERSION_1)
        else:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")  # shows that it can be written
    except sqlite3.Error as error:
        connection.close()
        raise LogUnusable(_sentence(path, error)) from error
    except LogUnusable:
        connection.close()
        raise
    return connection


def schema_of(connection: sqlite3.Connection, path: str) -> int:
    """The schema of a database of ours, 0 if it is still empty. Raises `LogUnusable` else; changes nothing."""
    application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
    if not application and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return 0
    if application != APPLICATION_ID:
        raise LogUnusable(
            f"The log {path} is a database of another program; name another file, or one that is not there."
        )
    if version > SCHEMA_VERSION:
        raise LogUnusable(
            f"The log {path} was written by a newer version of Stampede (schema {version}, this one knows "
            f"{SCHEMA_VERSION}); use that version, or another file."
        )
    return int(version)


def _sentence(path: str, error: sqlite3.Error) -> str:
    with suppress(AttributeError):  # not all errors have a code
        match error.sqlite_errorcode & 0xFF:
            case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
                return f"The log {path} is not a SQLite database ({error}); name another file."
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return f"The log {path} is in use by another program; only one server may have it open."
    return f"The log {path} cannot be written: {error}."
