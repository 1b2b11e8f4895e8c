"""The file of an SQLite log: what the doctor finds about it, its disk and its file system."""

import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Final

from stampede.server.doctor.finding import Finding
from stampede.server.log.port import LogUnusable
from stampede.server.log.sqlite_file import claim_mode, schema_of

_WRITES: Final = 40
_WRITE_BYTES: Final = 4096
_SLOW_S: Final = 0.010
_TOO_SLOW_S: Final = 0.100
_LITTLE_ROOM: Final = 1 << 30
_NO_ROOM: Final = 50 << 20
_FAR: Final = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "glusterfs", "fuse.glusterfs")
_FLEETING: Final = ("tmpfs", "ramfs", "overlay")


def sqlite_file(path: Path, synchronous: str) -> list[Finding]:
    """The file of the log: its library, its place, and how fast that place makes things durable."""
    text = f"SQLite {sqlite3.sqlite_version}: sound here, where one connection does everything."
    findings = [Finding("ok", text)]
    folder = path.resolve().parent
    try:
        seconds = fsync_seconds(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return [*findings, Finding("wrong", f"{folder} cannot be written: {reason}. The log would not open.")]
    findings += [fsync_speed(median(seconds), max(seconds), synchronous), *_file_system(folder), _space(folder)]
    if path.exists():
        findings += _content(path)
        if path.stat().st_mode & 0o077:
            findings.append(Finding("mind", f"{path} can be read by others, and it holds sealed deals: chmod 600 it."))
    return findings


def _content(path: Path) -> list[Finding]:
    """What the server would say of a file that is there, by the same checks; no lock is asked for, and none is made."""
    try:
        claim_mode(str(path))
        # A running server's entries may still be beside the file. What is in it is ours then, or nothing yet.
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as connection:
            schema_of(connection, str(path))
    except LogUnusable as error:
        return [Finding("wrong", str(error))]
    except sqlite3.Error as error:
        return [Finding("wrong", f"The log {path} is not a SQLite database ({error}); name another file.")]
    return []


def fsync_seconds(folder: Path) -> list[float]:
    """How long it took, each time, to make 4 KiB durable in a folder. Raises `OSError`."""
    seconds = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(_WRITES):
            began = time.perf_counter()
            file.write(bytes(_WRITE_BYTES))
            file.flush()
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - began)
    return seconds


def fsync_speed(usual: float, worst: float, synchronous: str) -> Finding:
    """What the speed of fsync means."""
    text = f"fsync: {usual * 1000:.2f} ms, at worst {worst * 1000:.2f} ms"
    if synchronous == "NORMAL":
        return Finding("mind", f"{text}; synchronous is NORMAL: a power cut may take the last acknowledged moves.")
    if usual > _TOO_SLOW_S:
        return Finding("wrong", f"{text}: every move waits that long for its answer. Use another disk.")
    if usual > _SLOW_S:
        return Finding("mind", f"{text}: every move waits about that long for its answer; a better disk would help.")
    return Finding("ok", f"{text}: a move waits about that long to be durable, many at once hardly longer.")


def _file_system(folder: Path) -> list[Finding]:
    kind = file_system(folder, _mounts())
    if kind in _FAR:
        return [
            Finding("wrong", f"{folder} is on {kind}, a network: SQLite's log is not safe there. Use a local disk.")
        ]
    if kind in _FLEETING:
        return [Finding("mind", f"{folder} is on {kind}: gone with the machine or the container. Mount a volume.")]
    return []


def file_system(folder: Path, mounts: str) -> str:
    """The kind of file system a folder is on, from a text like `/proc/mounts`; empty if that is not known."""
    found, kind = -1, ""
    for line in mounts.splitlines():
        _, where, this, *_ = [*line.split(), "", "", ""]
        where = where.replace("\\040", " ")
        if where and folder.is_relative_to(where) and len(where) >= found:
            found, kind = len(where), this
    return kind


def _mounts() -> str:
    try:
        return Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _space(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{folder} has {free / (1 << 30):.1f} GiB free"
    if free < _NO_ROOM:
        return Finding("wrong", f"{text}: moves would be refused (server.storage) as soon as it is full.")
    if free < _LITTLE_ROOM:
        return Finding("mind", f"{text}; a race of four takes about 40 KiB.")
    return Finding("ok", f"{text}.")
