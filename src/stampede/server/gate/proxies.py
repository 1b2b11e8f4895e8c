"""Proxies: the addresses that may speak for others, one by one or by network."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

Network = IPv4Network | IPv6Network

_MAPPED_BITS: Final = 96
"""What an IPv4 address written as IPv6 begins with."""


class Proxies:
    """A set of addresses; `in` asks whether one, as the kernel or a header writes it, is among them."""

    def __init__(self, listed: Iterable[str] = ()) -> None:
        """`listed` are what `network` takes; raises `ValueError` where one is not."""
        self._networks = [network(text) for text in listed]

    def __contains__(self, address: object) -> bool:
        if not self._networks or not isinstance(address, str):
            return False
        try:
            number = _unmapped(ip_address(address.partition("%")[0]))
        except ValueError:
            return False
        return any(number in network for network in self._networks)


def network(text: str) -> Network:
    """An address, like `10.0.0.7`, or a network, like `10.0.0.0/24` or `fd00::/8`; raises `ValueError` else."""
    try:
        found = ip_network(text)
    except ValueError as error:
        raise ValueError(f"A proxy is an address or a network, like 10.0.0.7 or 10.0.0.0/24: {error}.") from None
    first = _unmapped(found.network_address)
    if isinstance(first, IPv4Address) and isinstance(found, IPv6Network) and found.prefixlen >= _MAPPED_BITS:
        return IPv4Network((first, found.prefixlen - _MAPPED_BITS))
    return found


def _unmapped(number: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Some write IPv4 as IPv6."""
    if isinstance(number, IPv6Address) and number.ipv4_mapped is not None:
        return number.ipv4_mapped
    return number
