"""A server that others can reach says once what they may not do, unless its operator has said what they may."""

import pytest

from e2e.servers import Server
from stampede.server.app import open_to_the_world
from stampede.server.settings import Settings


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "2001:db8::7", "example.org"])
def test_a_public_address_without_origins_is_warned_of(host: str) -> None:
    warning = open_to_the_world(Settings(host=host))
    assert warning is not None
    assert host in warning
    assert "--origins" in warning
    assert open_to_the_world(Settings(host=host, origins=("https://example.org",))) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_this_machine_is_no_public_address(host: str) -> None:
    assert open_to_the_world(Settings(host=host)) is None


def test_the_warning_comes_once() -> None:
    with Server("--log", "memory:", "--host", "0.0.0.0") as server:
        assert sum("no_origins" in line for line in server.output) == 1
    with Server("--log", "memory:") as server:
        assert not any("no_origins" in line for line in server.output)
