"""Addresses: how many connections each has, and how many it may have."""

from collections import Counter
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

_HOUSEHOLD_BITS: Final = 64
"""Of an IPv6 address: what follows is chosen by whoever has the first half, as often as they like."""


class Addresses:
    """Connections counted by address (of IPv6, by network); a limit of 0 allows any number."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Count one more, unless there are as many as allowed."""
        household = _household(address)
        if self._limit and self._taken[household] >= self._limit:
            return False
        self._taken[household] += 1
        return True

    def release(self, address: str) -> None:
        """Count one less."""
        household = _household(address)
        self._taken[household] -= 1
        if self._taken[household] <= 0:
            del self._taken[household]


def number_of(address: str) -> IPv4Address | IPv6Address | None:
    """An address as the kernel or a header writes it, without its zone; IPv4 in IPv6 is taken out. None if none."""
    try:
        number = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return number.ipv4_mapped or number if isinstance(number, IPv6Address) else number


def _household(address: str) -> str:
    if ":" not in address:
        return address
    number = number_of(address)
    if not isinstance(number, IPv6Address):
        return address if number is None else str(number)
    return f"{int(number) >> (128 - _HOUSEHOLD_BITS):x}/64"
