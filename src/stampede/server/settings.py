"""Settings: everything an operator can set, in one frozen record."""

from dataclasses import dataclass
from typing import Literal

from cyclopts import Parameter

from stampede.server.hall.limits import Limits


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Settings:
    """Each can be set by flag, or by environment as `STAMPEDE_` and its name in capitals."""

    host: str = "127.0.0.1"
    """Name or address to listen on."""

    port: int = 7117
    """Port to listen on; 0 takes any free one."""

    log: str = "sqlite:stampede.db"
    """Where rooms live: `sqlite:PATH` (one file, durable), `memory:` (gone when the server ends)."""

    origins: tuple[str, ...] = ()
    """Web origins, beside the server's own, whose pages may connect, like `https://example.org`."""

    proxies: tuple[str, ...] = ()
    """Addresses of proxies whose `X-Forwarded-For` is believed."""

    commands_per_s: int = 20
    """Commands a second of one connection, with bursts of twice that; 0: no limit."""

    connections_per_address: int = 64
    """Connections from one address; 0: no limit."""

    rooms_per_player: int = 20
    """Rooms opened by one player that are not over; 0: no limit."""

    watchers_per_room: int = 1000
    """Watchers of one room; 0: no limit."""

    provers: int = 1
    """Processes (of low priority) that prove sealed deals winnable; 0: this server promises none."""

    stock: int = 4
    """Proven sealed deals that are kept ready of each kind (variant and grade) once it has been asked for."""

    stocked: tuple[Literal["YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D3N"], ...] = ("YU1-C",)
    """Variants that are kept ready from the start."""

    def limits(self) -> Limits:
        """The limits among them."""
        return Limits(
            commands_per_s=self.commands_per_s,
            connections_per_address=self.connections_per_address,
            rooms_per_player=self.rooms_per_player,
            watchers_per_room=self.watchers_per_room,
        )
