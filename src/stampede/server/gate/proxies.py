"""Proxies: the addresses that may speak for others, one by one or by network."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network
from typing import Final

from stampede.server.gate.addresses import number_of

_MAPPED_BITS: Final = 96
"""What an IPv4 address written as IPv6 begins with."""


class Proxies:
    """A set of addresses; `in` asks whether one, as the kernel or a header writes it, is among them."""

    def __init__(self, listed: Iterable[str] = ()) -> None:
        """Addresses, like `10.0.0.7`, and networks, like `10.0.0.0/24` or `fd00::/8`; else raises `ValueError`."""
        self._networks = [_network(text) for text in listed]

    def __contains__(self, address: object) -> bool:
        if not self._networks or not isinstance(address, str):
            return False
        number = number_of(address)
        return number is not None and any(number in network for network in self._networks)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        found = ip_network(text)
    except ValueError as error:
        raise ValueError(f"A proxy is an address or a network, like 10.0.0.7 or 10.0.0.0/24: {error}.") from None
    first = number_of(str(found.network_address))
    if isinstance(first, IPv4Address) and isinstance(found, IPv6Network) and found.prefixlen >= _MAPPED_BITS:
        return IPv4Network((first, found.prefixlen - _MAPPED_BITS))
    return found
