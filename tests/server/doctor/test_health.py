"""The health of a running server."""

from e2e.servers import Server
from server.doctor.asked import asked


def test_health_asks_the_running_server() -> None:
    with Server("--log", "memory:", "--host", "0.0.0.0", "--origins", "https://example.org") as server:
        here = ("--host", "0.0.0.0", "--port", str(server.port))
        assert asked("health", *here) == (0, "alive\n")
        assert asked("health", "--ready", *here) == (0, "ready\n")
    code, output = asked("health", *here)
    assert code == 1
    assert str(server.port) in output
