"""Followers: who on this node is to be given which stream's entries, and how far each of them is."""

from collections.abc import Callable, Iterable

from stampede.server.log.fault import tell
from stampede.server.log.port import Entry


class Follower:
    """One subscription. Whatever it is offered, it is given each entry once and in order, by its cursor."""

    __slots__ = ("_deliver", "_followers", "_reset", "behind", "cursor", "is_open", "stream")

    def __init__(
        self,
        followers: "Followers",
        stream: str,
        after: int,
        deliver: Callable[[Entry], None],
        reset: Callable[[], None],
    ) -> None:
        self.stream = stream
        self.cursor = after
        self.behind = True
        """There may be entries after the cursor that nobody but the log itself can give; a read is under way."""
        self.is_open = True
        self._followers = followers
        self._deliver = deliver
        self._reset = reset

    def give(self, entries: Iterable[Entry]) -> None:
        """Deliver those of these entries, which are in order, that it has not been given yet."""
        for entry in entries:
            if not self.is_open:
                return
            if entry.id > self.cursor:
                self.cursor = entry.id
                try:
                    self._deliver(entry)
                except Exception as fault:
                    tell(fault)

    def reset(self) -> None:
        """Say that the log holds less than was delivered, and end the subscription."""
        if self.is_open:
            self.close()
            try:
                self._reset()
            except Exception as fault:
                tell(fault)

    def close(self) -> None:
        """End the subscription; nothing is delivered after this."""
        if self.is_open:
            self.is_open = False
            self._followers.remove(self)


class Followers:
    """All subscriptions of a node, by stream."""

    __slots__ = ("_by_stream", "_forgotten")

    def __init__(self, forgotten: Callable[[str], None] = lambda stream: None) -> None:
        """`forgotten` is called with a stream when the last of its followers is gone."""
        self._by_stream: dict[str, tuple[Follower, ...]] = {}
        self._forgotten = forgotten

    def add(self, stream: str, after: int, deliver: Callable[[Entry], None], reset: Callable[[], None]) -> Follower:
        """A new subscription, behind until somebody has read on from its cursor."""
        follower = Follower(self, stream, after, deliver, reset)
        self._by_stream[stream] = (*self._by_stream.get(stream, ()), follower)
        return follower

    def remove(self, follower: Follower) -> None:
        """Forget a subscription."""
        rest = tuple(other for other in self._by_stream[follower.stream] if other is not follower)
        if rest:
            self._by_stream[follower.stream] = rest
        else:
            del self._by_stream[follower.stream]
            self._forgotten(follower.stream)

    def of(self, stream: str) -> tuple[Follower, ...]:
        """The subscriptions to a stream."""
        return self._by_stream.get(stream, ())

    def least(self, stream: str) -> int:
        """The cursor that is furthest behind; 0 where nobody follows."""
        cursors = [follower.cursor for follower in self.of(stream)]
        return min(cursors) if cursors else 0

    def streams(self) -> tuple[str, ...]:
        """The streams that somebody follows."""
        return tuple(self._by_stream)

    def reset(self, stream: str) -> None:
        """Reset all subscriptions to a stream."""
        for follower in self.of(stream):
            follower.reset()
