"""The doctor: looks at what the server would run on, and says what that means for those who race.

It can be asked beside a running server: it opens no log, and leaves nothing behind.
"""

import asyncio
import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from typing import Final, Literal

from stampede.server.app import open_to_the_world, redis_password
from stampede.server.log.port import LogUnusable
from stampede.server.log.sqlite_file import claim_mode, schema_of
from stampede.server.settings import Settings, masked

try:
    import resource
except ImportError:  # Windows has none, and no such limit
    resource = None  # type: ignore[assignment]

Grade = Literal["ok", "mind", "wrong"]

_WRITES: Final = 40
_WRITE_BYTES: Final = 4096
_SLOW_S: Final = 0.010
_TOO_SLOW_S: Final = 0.100
_FEW_FILES: Final = 4096
_TOO_FEW_FILES: Final = 256
_OTHER_FILES: Final = 64
"""Open files that are no connections."""
_LITTLE_ROOM: Final = 1 << 30
_NO_ROOM: Final = 50 << 20
_FAR: Final = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "glusterfs", "fuse.glusterfs")
_FLEETING: Final = ("tmpfs", "ramfs", "overlay")
_PATIENCE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what it means."""

    grade: Grade
    text: str

    @property
    def grave(self) -> bool:
        """Whether no race should be run like this."""
        return self.grade == "wrong"

    @property
    def line(self) -> str:
        """For the operator."""
        return f"{self.grade:5}  {self.text}"


def examine(settings: Settings) -> list[Finding]:
    """Look at everything that these settings touch."""
    findings = [*open_files()]
    scheme, _, rest = settings.log.partition(":")
    match scheme.lower():
        case "sqlite" if rest:
            findings += sqlite_file(Path(rest), settings.synchronous)
        case "redis" | "rediss" | "valkey" | "valkeys":
            findings += redis_server(settings)
        case "memory":
            findings.append(Finding("mind", "The log is in memory: when the server ends, every room is gone."))
        case _:
            findings.append(Finding("wrong", f"There is no log like {masked(settings.log)!r}; see --help."))
    if warning := open_to_the_world(settings):
        findings.append(Finding("mind", warning))
    return findings


# This machine


def open_files() -> list[Finding]:
    """How many connections the hard limit on open files allows; the server raises the soft one to it."""
    if resource is None:
        return []
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if limit == resource.RLIM_INFINITY:
        return [Finding("ok", "Open files: no limit.")]
    text = f"Open files: at most {limit}, so about {max(0, limit - _OTHER_FILES)} connections"
    if limit < _TOO_FEW_FILES:
        return [Finding("wrong", f"{text}: too few. Raise it (ulimit -Hn, LimitNOFILE= in systemd).")]
    if limit < _FEW_FILES:
        return [Finding("mind", f"{text}; raise it for more (ulimit -Hn, LimitNOFILE= in systemd).")]
    return [Finding("ok", f"{text}.")]


def raise_open_files() -> None:
    """Let this process have as many open files as it may."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# SQLite


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


# Redis


def redis_server(settings: Settings) -> list[Finding]:
    """The server the log would be on: whether it may hold one, and what it keeps over which mishap."""
    try:
        from stampede.server.log.redis_server import ask_server  # an extra
    except ImportError:
        return [Finding("wrong", "A log on Redis needs the extra `redis`: pip install 'stampede[redis]'.")]
    try:
        password = redis_password(settings.redis_password_file)
        facts = asyncio.run(ask_server(settings.log, password))
    except LogUnusable as error:
        return [Finding("wrong", masked(str(error)))]
    if objection := facts.objection("the log's address"):
        return [Finding("wrong", objection)]
    return [
        Finding("ok", f"{facts.software}: new enough, a primary, and no cluster."),
        memory_policy(facts.maxmemory_policy),
        *durability(appendonly=facts.appendonly, appendfsync=facts.appendfsync),
    ]


def memory_policy(policy: str) -> Finding:
    """What happens when the memory of Redis is full."""
    text = f"maxmemory-policy {policy}"
    if policy == "noeviction":
        return Finding("ok", f"{text}: when its memory is full, moves are refused (server.storage), and none is lost.")
    if policy.startswith("allkeys-"):
        return Finding("wrong", f"{text}: when its memory is full, Redis would forget rooms. Set it to noeviction.")
    return Finding("mind", f"{text}: no room's key expires, but noeviction is what is meant; set it.")


def durability(*, appendonly: bool, appendfsync: str) -> list[Finding]:
    """What survives when Redis, or its machine, dies."""
    if not appendonly:
        text = "appendonly no: when Redis restarts, everything since its last snapshot is gone. Set appendonly yes."
        return [Finding("wrong", text)]
    text = f"appendonly yes, appendfsync {appendfsync}"
    match appendfsync:
        case "always":
            meaning = "whatever was acknowledged survives the death of Redis and a power cut."
            grade: Grade = "ok"
        case "everysec":
            meaning = "a power cut takes about the last second of acknowledged moves; set it to always."
            grade = "mind"
        case "no":
            meaning = "a power cut takes what the kernel had not written yet, often 30 s; set it to always."
            grade = "mind"
        case _:
            meaning = "this server may not be asked; what a power cut takes depends on it, and it should be always."
            grade = "mind"
    return [Finding(grade, f"{text}: {meaning}")]


# A running server


def ask_health(host: str, port: int, path: str) -> tuple[bool, str]:
    """Whether the server that listens there says that all is well, and what it said."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 (a name to look up)
    connection = HTTPConnection(here, port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status == 200, response.read().decode(errors="replace").strip()
    except (OSError, HTTPException) as error:
        return False, f"No answer from {here} port {port}: {error or type(error).__name__}."
    finally:
        connection.close()
