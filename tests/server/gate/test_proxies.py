"""Who may speak for others."""

import pytest

from stampede.server.gate.proxies import Proxies


@pytest.mark.parametrize(
    "address", ["10.0.0.7", "::ffff:10.0.0.7", "192.168.5.1", "192.168.5.255", "fd00::1", "fd00::1%eth0"]
)
def test_those_listed_by_address_or_by_network_may(address: str) -> None:
    assert address in Proxies(["10.0.0.7", "192.168.5.0/24", "fd00::/8"])


@pytest.mark.parametrize("listed", ["::ffff:10.0.0.7", "::ffff:10.0.0.0/120"])
def test_one_that_is_listed_as_ipv6_may_be_named_as_ipv4(listed: str) -> None:
    assert "10.0.0.7" in Proxies([listed])
    assert "::ffff:10.0.0.7" in Proxies([listed])
    assert "10.0.1.7" not in Proxies([listed])


@pytest.mark.parametrize("address", ["10.0.0.8", "192.168.6.1", "fe80::1", "::1", "", "10.0.0", "proxy", "10.0.0.7, x"])
def test_nobody_else_may(address: str) -> None:
    assert address not in Proxies(["10.0.0.7", "192.168.5.0/24", "fd00::/8"])
    assert address not in Proxies()


@pytest.mark.parametrize("listed", ["proxy", "10.0.0.1/24", "10.0.0.0/33", "", "10.0.0.1:80", "*"])
def test_what_is_no_address_and_no_network_is_refused_with_an_example(listed: str) -> None:
    with pytest.raises(ValueError, match=r"like 10\.0\.0\.7 or 10\.0\.0\.0/24"):
        Proxies([listed])
