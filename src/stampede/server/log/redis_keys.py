"""Names in Redis: the keys of the log, all under one prefix, and the channels on which appends are told."""

import re
from dataclasses import dataclass

_SPECIAL = re.compile(r"[*?\[\]\\]")


@dataclass(frozen=True, slots=True)
class Keys:
    """The names of one log. The keys of a stream share a hash slot; channels are told apart by database too."""

    prefix: str
    database: int

    @property
    def clock(self) -> bytes:
        """The milliseconds to add to Redis' clock."""
        return f"{self.prefix}clock".encode()

    @property
    def nodes(self) -> bytes:
        """The nodes, by when they were last heard of."""
        return f"{self.prefix}nodes".encode()

    @property
    def check(self) -> bytes:
        """A stream to see whether streams can be written."""
        return f"{self.prefix}check".encode()

    def log(self, stream: str) -> bytes:
        """The stream itself."""
        return f"{self.prefix}{{{stream}}}:log".encode()

    def pattern(self, beginning: str) -> str:
        """What matches the keys of all streams whose name begins so."""
        return _SPECIAL.sub(r"\\\g<0>", f"{self.prefix}{{{beginning}") + "*}:log"

    def stream_of(self, key: bytes) -> str:
        """The stream whose key that is."""
        return key.decode()[len(self.prefix) + 1 : -len("}:log")]

    def channel(self, stream: str) -> bytes:
        """Where appends to a stream are told."""
        return f"{self.prefix}{self.database}:{{{stream}}}:news".encode()

    def told_on(self, channel: bytes) -> str:
        """The stream whose channel that is."""
        return channel.decode()[len(f"{self.prefix}{self.database}:{{") : -len("}:news")]
