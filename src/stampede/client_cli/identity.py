"""Who someone is to a server: a name, and the secret token that gives their seats back.

Tokens are kept in the user's state directory, a file (mode 0600) for each server and name: so two people on one
machine need only two names, and whoever comes back under the same name is the same player.
"""

import getpass
import json
import os
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from stampede.client_cli.failure import Failure
from stampede.client_cli.printable import printable
from stampede.protocol.commands import NAME_GRAPHEMES


def default_name(environ: Mapping[str, str] = os.environ) -> str:
    """`STAMPEDE_NAME`, or the user's login name."""
    name = environ.get("STAMPEDE_NAME")
    if not name:
        try:
            name = getpass.getuser()
        except (OSError, KeyError, ImportError):
            name = ""  # no login name: a container without a user, say
    return printable(name)[:NAME_GRAPHEMES].strip() or "player"


def state_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Where this program keeps what it has to remember."""
    if os.name == "nt" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"]) / "stampede"
    kept = environ.get("XDG_STATE_HOME", "")
    return (Path(kept) if os.path.isabs(kept) else Path.home() / ".local" / "state") / "stampede"


class Tokens:
    """The tokens kept in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def get(self, url: str, name: str) -> str | None:
        """The token kept for a name at a server, if there is one."""
        try:
            kept = json.loads(self._path(url, name).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        token = kept.get("token") if isinstance(kept, dict) else None
        return token if isinstance(token, str) else None

    def keep(self, url: str, name: str, token: str) -> None:
        """Keep a token; raises `Failure` where that is not possible."""
        path = self._path(url, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # A new file of mode 0600, then one step into place: at no moment can others read it, or anyone half of it.
            descriptor, draft = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"url": url, "name": name, "token": token}, file)
            os.replace(draft, path)
        except OSError as error:
            raise Failure(f"Cannot keep the token that gives your seat back in {path.parent}: {error}.") from error

    def _path(self, url: str, name: str) -> Path:
        return self._directory / "tokens" / (sha256(f"{url}\n{name}".encode()).hexdigest()[:32] + ".json")
