"""Real server processes, started as an operator would, and what they print."""

import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

PATIENCE_S = 60.0
"""How long anything may take on a slow machine before a test gives up on it."""

_LISTENING = re.compile(r"ws://[^\s\"']*?:(\d+)/ws")
_SOURCE = str(Path(__file__).parents[2] / "src")
QUIET = {
    "STAMPEDE_COMMANDS_PER_S": "0",
    "STAMPEDE_CONNECTIONS_PER_ADDRESS": "0",
    "STAMPEDE_ROOMS_PER_PLAYER": "0",
    "STAMPEDE_PROVERS": "0",
}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stampede.server", *arguments]


def environment(more: dict[str, str]) -> dict[str, str]:
    """Nothing of the outside world's settings, and output as it comes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STAMPEDE_")}
    path = os.pathsep.join(filter(None, (_SOURCE, os.environ.get("PYTHONPATH"))))
    return kept | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"} | more


class Server:
    """One process; `with Server("--log", "memory:") as server:` waits until it listens, and ends it at last."""

    def __init__(self, *arguments: str, port: int = 0, **settings: str) -> None:
        self._arguments = (*arguments, "--port", str(port))
        self._settings = QUIET | settings
        self.output: list[str] = []
        self.is_listening = False
        self.port = port

    def start(self) -> "Server":
        self._process = subprocess.Popen(
            command(*self._arguments),
            env=environment(self._settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        listening = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(listening,))
        self._reader.start()
        listening.wait(PATIENCE_S)
        if not self.is_listening:
            self.kill()
            raise AssertionError("".join(self.output))
        return self

    def _read(self, listening: threading.Event) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self.output.append(line)
                if found := _LISTENING.search(line):
                    self.port = int(found[1])
                    self.is_listening = True
                    listening.set()
        listening.set()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def page(self, path: str) -> tuple[int, str]:
        """Status and text of a page."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE_S) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._process.kill()
        self.wait()

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Its exit code."""
        code = self._process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code

    def __enter__(self) -> "Server":
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self.wait()


def refused(*arguments: str, **settings: str) -> str:
    """Start a server that cannot start; what it says in the one line it may say."""
    done = subprocess.run(
        command(*arguments),
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr + done.stdout
    (line,) = done.stderr.strip().splitlines()
    return line
