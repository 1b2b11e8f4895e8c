"""Addresses: how many connections each has, and how many it may have."""

from collections import Counter


class Addresses:
    """Connections counted by address; a limit of 0 allows any number."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count one more, unless there are as many as allowed."""
        if self._limit and self._taken[address] >= self._limit:
            return False
        self._taken[address] += 1
        return True

    def release(self, address: str) -> None:
        """Count one less."""
        self._taken[address] -= 1
        if self._taken[address] <= 0:
            del self._taken[address]
