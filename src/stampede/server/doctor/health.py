"""The health of a running server, as it says itself."""

from http.client import HTTPConnection, HTTPException
from typing import Final

_PATIENCE_S: Final = 5.0


def ask_health(host: str, port: int, path: str) -> tuple[bool, str]:
    """Whether the server that listens there says that all is well, and what it said."""
    here = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 (a name to look up)
    connection = HTTPConnection(here, port, timeout=_PATIENCE_S)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status == 200, response.read().decode(errors="replace").strip()
    except (OSError, HTTPException) as error:
        return False, f"No answer from {here} port {port}: {error or type(error).__name__}."
    finally:
        connection.close()
