"""The Redis or Valkey server itself: what an operator should know of it, and whether a log may live there."""

from dataclasses import dataclass
from typing import Any

from stampede.server.log.port import LogUnusable, StorageError
from stampede.server.log.redis_address import Address
from stampede.server.log.redis_link import Link

OLDEST = 7


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """How a server is set up, as far as it tells."""

    software: str
    """`Redis 7.0.15`, `Valkey 9.1.2`."""
    compatible_with: int
    """The major version of Redis whose commands it knows."""
    role: str
    cluster: bool
    maxmemory_policy: str
    appendonly: bool
    appendfsync: str
    """`always`, `everysec`, `no`, or `unknown` where the server may not be asked."""

    @property
    def evicts_streams(self) -> bool:
        """Whether it forgets rooms when its memory is full.

        A `volatile-` policy does not: no key of ours expires.
        """
        return self.maxmemory_policy.startswith("allkeys-")

    @property
    def survives_power_cut(self) -> bool:
        """Whether everything acknowledged is on its disk."""
        return self.appendonly and self.appendfsync == "always"

    def objection(self, where: str) -> str | None:
        """Why no log may live there: a sentence that says what would be right."""
        if self.compatible_with < OLDEST:
            return f"{self.software} at {where} is too old; the log needs Redis {OLDEST} or later, or Valkey."
        if self.cluster:
            return f"{self.software} at {where} is a cluster, which the log does not know; name a single server."
        if self.role != "master":
            return f"{self.software} at {where} is a replica and cannot be written to; name its primary."
        if self.evicts_streams:
            return (
                f"{self.software} at {where} has maxmemory-policy {self.maxmemory_policy} and would forget rooms when "
                "its memory is full; set it to noeviction."
            )
        return None


async def read_facts(link: Link) -> ServerFacts:
    """Ask a server about itself. Raises `StorageError`."""
    info = _parse(await link.call("INFO"))
    fsync = "unknown"
    try:
        answer: Any = await link.call("CONFIG", "GET", "appendfsync")
        fsync = answer[1].decode()
    except (StorageError, LookupError):
        pass  # hosted servers often keep CONFIG to themselves
    name, version = ("Valkey", info["valkey_version"]) if "valkey_version" in info else ("Redis", info["redis_version"])
    return ServerFacts(
        software=f"{name} {version}",
        compatible_with=int(info["redis_version"].partition(".")[0]),
        role=info.get("role", "master"),
        cluster=info.get("cluster_enabled") == "1",
        maxmemory_policy=info.get("maxmemory_policy", "unknown"),
        appendonly=info.get("aof_enabled") == "1",
        appendfsync=fsync,
    )


async def ask_server(url: str, password: str | None = None) -> ServerFacts:
    """Facts about the server at a URL. Raises `LogUnusable` if it cannot be asked."""
    link = Link(Address.parse(url, password))
    try:
        return await read_facts(link)
    except StorageError as error:
        raise LogUnusable(str(error)) from error
    finally:
        await link.close()


def _parse(info: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in info.decode(errors="replace").splitlines())
    return {name: value for name, colon, value in lines if colon}
