"""The examination: everything that settings touch."""

from pathlib import Path

from stampede.server.app import open_to_the_world
from stampede.server.doctor.finding import Finding
from stampede.server.doctor.open_files import open_files
from stampede.server.doctor.redis_server import redis_server
from stampede.server.doctor.sqlite_file import sqlite_file
from stampede.server.open_files import open_files_limit
from stampede.server.settings import Settings, masked


def examine(settings: Settings) -> list[Finding]:
    """Look at everything that these settings touch."""
    findings = [open_files(open_files_limit())]
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
