"""Settings: everything an operator can set, in one frozen record. `stampede.server.sources` tells where from."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from stampede.server.gate.proxies import Proxies
from stampede.server.hall.limits import Limits

_NOT_NEGATIVE: Final = Parameter(validator=Number(gte=0))
_ORIGIN: Final = re.compile(r"https?://[^/?#\s]+/?", re.IGNORECASE)


def _origins(kind: Any, origins: tuple[str, ...]) -> None:
    for origin in origins or ():
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"An origin is a scheme and a host, like https://example.org; {origin!r} is not.")


def _proxies(kind: Any, proxies: tuple[str, ...]) -> None:
    Proxies(proxies or ())


@Parameter(name="*", negative=())
@dataclass(frozen=True, kw_only=True)
class Settings:
    """Each can be set by flag, by environment as `STAMPEDE_` and its name in capitals, or by name in a TOML file."""

    config: Path | None = None
    """A TOML file with settings by their names, like `port = 7117`; flags and environment come before it."""

    host: str = "127.0.0.1"
    """Name or address to listen on."""

    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65_535))] = 7117
    """Port to listen on; 0 takes any free one."""

    log: str = "sqlite:stampede.db"
    """Where rooms live: `sqlite:PATH` (one file, durable), `redis://HOST:PORT/DATABASE` (many servers; also `rediss://`,
    `valkey://`, `valkeys://`), `memory:` (gone when the server ends)."""

    synchronous: Literal["NORMAL", "FULL", "EXTRA"] = "FULL"
    """SQLite: FULL keeps what was acknowledged over a power cut; NORMAL only over the death of the process."""

    redis_password_file: Path | None = None
    """A file that holds the Redis password, instead of one in the URL."""

    redis_prefix: str = "stampede:"
    """What the names of all keys in Redis begin with."""

    retention_days: Annotated[int, _NOT_NEGATIVE] = 30
    """Days that finished rooms stay readable before they are swept away; 0: for ever."""

    origins: Annotated[tuple[str, ...], Parameter(validator=_origins)] = ()
    """Web origins, beside the server's own, whose pages may connect, like `https://example.org`."""

    proxies: Annotated[tuple[str, ...], Parameter(validator=_proxies)] = ()
    """Addresses or networks of proxies whose `X-Forwarded-For` is believed, like `10.0.0.7` or `10.0.0.0/24`."""

    commands_per_s: Annotated[int, _NOT_NEGATIVE] = 20
    """Commands a second of one connection, with bursts of twice that; 0: no limit."""

    connections_per_address: Annotated[int, _NOT_NEGATIVE] = 64
    """Connections from one address; 0: no limit."""

    rooms_per_player: Annotated[int, _NOT_NEGATIVE] = 20
    """Rooms opened by one player that are not over; 0: no limit."""

    watchers_per_room: Annotated[int, _NOT_NEGATIVE] = 1000
    """Watchers of one room; 0: no limit."""

    provers: Annotated[int, _NOT_NEGATIVE] = 1
    """Processes (of low priority) that prove sealed deals winnable; 0: this server promises none."""

    stock: Annotated[int, _NOT_NEGATIVE] = 4
    """Proven sealed deals that are kept ready of each kind (variant and grade) once it has been asked for."""

    stocked: tuple[Literal["YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D3N"], ...] = ("YU1-C",)
    """Variants that are kept ready from the start."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """What the server says of itself on standard output, from this level up."""

    log_format: Literal["auto", "json", "text"] = "auto"
    """One JSON object a line, or text for eyes; auto: text on a terminal, JSON elsewhere."""

    def limits(self) -> Limits:
        """The limits among them."""
        return Limits(
            commands_per_s=self.commands_per_s,
            connections_per_address=self.connections_per_address,
            rooms_per_player=self.rooms_per_player,
            watchers_per_room=self.watchers_per_room,
        )


def masked(text: str) -> str:
    """A log's address, or a text with one in it, without the password."""
    text = re.sub(r"(?<=://)([^:/@\s]*):\S*@", r"\1:***@", text)
    return re.sub(r"(?<=[?&])(password=)[^&\s'\"]*", r"\1***", text)
