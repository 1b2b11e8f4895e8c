"""Opening a log by its address: `memory:`, `sqlite:PATH`, or a Redis or Valkey server's URL."""

from typing import get_args

from stampede.server.log.in_memory import InMemoryLog
from stampede.server.log.port import Log, LogUnusable
from stampede.server.log.sqlite import SqliteLog
from stampede.server.log.sqlite_file import Synchronous

POSSIBLE = "memory:, sqlite:PATH, redis://HOST:PORT/DATABASE, rediss://, valkey:// or valkeys://"


async def open_log(
    url: str, *, synchronous: Synchronous = "FULL", password: str | None = None, prefix: str = "stampede:"
) -> Log:
    """Open the log at `url`. Raises `LogUnusable` with a sentence for the operator.

    `synchronous` is for SQLite. `password` (instead of one in the URL) and `prefix` (of all keys) are for Redis.
    """
    scheme, colon, rest = url.partition(":")
    match scheme.lower() if colon else "":
        case "memory" if not rest:
            return InMemoryLog()
        case "sqlite" if rest and not rest.startswith("//"):
            if synchronous not in get_args(Synchronous):
                raise LogUnusable(f"synchronous is one of {', '.join(get_args(Synchronous))}, not {synchronous!r}.")
            return await SqliteLog.open(rest, synchronous=synchronous)
        case "redis" | "rediss" | "valkey" | "valkeys":
            try:
                from stampede.server.log.redis_streams import RedisLog  # an extra
            except ImportError as error:
                raise LogUnusable("A log on Redis needs the extra `redis`: pip install 'stampede[redis]'.") from error
            return await RedisLog.open(url, password=password, prefix=prefix)
        case "sqlite":
            raise LogUnusable(f"A SQLite log is named sqlite:PATH, like sqlite:stampede.db; {url!r} is not.")
        case _:
            raise LogUnusable(f"A log is {POSSIBLE}; {url!r} is none of them.")
