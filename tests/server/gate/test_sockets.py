"""The sockets the door listens on: whose the address is, once they are bound."""

import socket

import pytest

from stampede.server.gate.sockets import CannotListen, bound


async def test_a_free_port_is_found_and_nobody_is_heard_on_it_yet() -> None:
    (opened,) = await bound("127.0.0.1", 0)
    with opened:
        port = opened.getsockname()[1]
        assert port
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))


async def test_a_name_may_stand_for_several_addresses_and_all_get_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    sockets = await bound("localhost", port)
    assert {opened.getsockname()[1] for opened in sockets} == {port}
    for opened in sockets:
        opened.close()


@pytest.mark.parametrize("port", [-1, 70_000])
async def test_a_port_that_is_none_cannot_be_listened_on(port: int) -> None:
    with pytest.raises(CannotListen, match=f"{port}.*from 0 to 65535"):
        await bound("127.0.0.1", port)


async def test_a_port_that_is_taken_cannot_be_listened_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"127.0.0.1 port {port}: .* in use. Choose another"):
            await bound("127.0.0.1", port)
