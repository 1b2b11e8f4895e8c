"""Addresses: each may have so many connections, wherever an address begins and ends."""

import pytest

from stampede.server.gate.addresses import Addresses


def test_an_address_has_a_limited_number_of_connections() -> None:
    addresses = Addresses(2)
    assert [addresses.take("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert addresses.take("192.0.2.2")


def test_what_is_given_back_can_be_taken_again() -> None:
    addresses = Addresses(1)
    for _ in range(100):
        assert addresses.take("192.0.2.1")
        addresses.release("192.0.2.1")
    assert not addresses._taken


def test_a_limit_of_zero_allows_any_number() -> None:
    addresses = Addresses(0)
    assert all(addresses.take("192.0.2.1") for _ in range(1000))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("nonsense:", "nonsense:", True),
    ],
)
def test_an_address_of_version_6_stands_for_its_network(one: str, other: str, same: bool) -> None:
    addresses = Addresses(1)
    assert addresses.take(one)
    assert addresses.take(other) is not same
