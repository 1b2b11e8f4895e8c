"""Names in Redis: the keys of the log, all under one prefix, and the channels on which appends are told."""

import re

_LOG = b"}:log"
_NEWS = b"}:news"
_SPECIAL = re.compile(r"[*?\[\]\\]")


class Keys:
    """The names of one log. The keys of a stream share a hash slot; channels are told apart by database too."""

    __slots__ = ("_before_channel", "_before_log", "check", "clock", "nodes")

    def __init__(self, prefix: str, database: int) -> None:
        self._before_log = f"{prefix}{{".encode()
        self._before_channel = f"{prefix}{database}:{{".encode()
        self.clock = f"{prefix}clock".encode()
        """The milliseconds to add to Redis' clock."""
        self.nodes = f"{prefix}nodes".encode()
        """The nodes, by when they were last heard of."""
        self.check = f"{prefix}check".encode()
        """A stream to see whether streams can be written."""

    def log(self, stream: str) -> bytes:
        """The stream itself."""
        return self._before_log + stream.encode() + _LOG

    def pattern(self, beginning: str) -> str:
        """What matches the keys of all streams whose name begins so."""
        return _SPECIAL.sub(r"\\\g<0>", self._before_log.decode() + beginning) + "*" + _LOG.decode()

    def stream_of(self, key: bytes) -> str:
        """The stream whose key that is."""
        return key[len(self._before_log) : -len(_LOG)].decode()

    def channel(self, stream: str) -> bytes:
        """Where appends to a stream are told."""
        return self._before_channel + stream.encode() + _NEWS

    def told_on(self, channel: bytes) -> str:
        """The stream whose channel that is."""
        return channel[len(self._before_channel) : -len(_NEWS)].decode()
