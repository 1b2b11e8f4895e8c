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
SCHEMA_VERSION: Final = 1

_MAGIC: Final = b"SQLite format 3\0"
_MARKS: Final = ("application_id", "user_version")
_SCHEMA: Final = f"""
    BEGIN;
    CREATE TABLE streams (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE entries (stream INTEGER NOT NULL, id INTEGER NOT NULL, fact BLOB NOT NULL, PRIMARY KEY (stream, id))
        WITHOUT ROWID;
    PRAGMA application_id = {APPLICATION_ID};
    PRAGMA user_version = {SCHEMA_VERSION};
    COMMIT;
"""


class ClaimedFile:
    """An open database that no other server can open. Raises `LogUnusable` where it cannot be had."""

    def __init__(self, path: str, synchronous: Synchronous) -> None:
        # The streams' names and facts hold secrets. SQLite gives its WAL the mode of the file.
        _claim_mode(path)
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


def _claim_mode(path: str) -> None:
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
        new = _is_new(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        if new:
            connection.executescript(_SCHEMA)
        else:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")  # shows that it can be written
    except sqlite3.Error as error:
        connection.close()
        raise LogUnusable(_sentence(path, error)) from error
    except LogUnusable:
        connection.close()
        raise
    return connection


def _is_new(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the database is still empty. Raises `LogUnusable` unless it is that or ours; changes nothing."""
    application, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
    if not application and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return True
    if application != APPLICATION_ID:
        raise LogUnusable(
            f"The log {path} is a database of another program; name another file, or one that is not there."
        )
    if version > SCHEMA_VERSION:
        raise LogUnusable(
            f"The log {path} was written by a newer version of Stampede (schema {version}, this one knows "
            f"{SCHEMA_VERSION}); use that version, or another file."
        )
    return False


def _sentence(path: str, error: sqlite3.Error) -> str:
    with suppress(AttributeError):  # not all errors have a code
        match error.sqlite_errorcode & 0xFF:
            case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
                return f"The log {path} is not a SQLite database ({error}); name another file."
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return f"The log {path} is in use by another program; only one server may have it open."
    return f"The log {path} cannot be written: {error}."
