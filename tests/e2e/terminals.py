"""The command line in processes of its own: through pipes, and at a terminal."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path
from types import TracebackType

from .servers import PATIENCE_S, environment


def stampede(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stampede.client_cli", *arguments]


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """What the environment tells a player's terminal; tokens are kept below `home`."""
    kept = environment({"XDG_STATE_HOME": str(home), "LANG": "C.UTF-8"})
    for name in ("LC_ALL", "LC_CTYPE", "PYTHONUTF8", "PYTHONIOENCODING"):
        kept.pop(name, None)
    return kept | more


class Player:
    """One `stampede` process; what it says is heard as it comes, and `types` answers it."""

    def __init__(self, home: Path, *arguments: str, terminal: bool = False, **more: str) -> None:
        self._said = ""
        self._heard = threading.Condition()
        self._at = 0
        settings = {
            "args": stampede(*arguments),
            "env": surroundings(home, **more),
        }
        if terminal:
            self._keys, self._tty = pty.openpty()
            self._process = subprocess.Popen(
                **settings,  # type: ignore[arg-type]
                stdin=self._tty,
                stdout=self._tty,
                stderr=self._tty,
                start_new_session=True,
                preexec_fn=_take_terminal,
            )
            self._screen = self._keys
        else:
            self._process = subprocess.Popen(
                **settings,  # type: ignore[arg-type]
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._keys, self._tty, self._screen = self._process.stdin.fileno(), -1, self._process.stdout.fileno()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._screen, 65_536)
            except OSError:
                data = b""
            with self._heard:
                self._said += data.decode("utf-8", errors="replace").replace("\r\n", "\n")
                if not data:
                    self._said += "\0"
                self._heard.notify_all()
            if not data:
                return

    @property
    def said(self) -> str:
        return self._said.rstrip("\0")

    def hears(self, pattern: str) -> re.Match[str]:
        """Wait until it has said something that matches, since the last time this was asked."""
        with self._heard:
            self._heard.wait_for(lambda: re.search(pattern, self._said[self._at :]) or "\0" in self._said, PATIENCE_S)
            found = re.search(pattern, self._said[self._at :])
            assert found, f"waited for {pattern!r}, but heard:\n{self.said}"
            self._at += found.end()
            return found

    def types(self, *lines: str) -> None:
        for line in lines:
            self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def mode(self) -> list[object]:
        """The mode of its terminal."""
        return termios.tcgetattr(self._tty)

    def end_of_input(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()

    def ends(self) -> int:
        """Its exit code, once it has ended."""
        return self._process.wait(PATIENCE_S)

    def __enter__(self) -> "Player":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(PATIENCE_S)
        if self._tty >= 0:
            os.close(self._tty)
        self._reader.join(PATIENCE_S)
        if self._tty >= 0:
            os.close(self._keys)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _take_terminal() -> None:
    """Make the terminal the session's own, so that its Ctrl-C reaches the process.

    Where the tests run in the background the shell has them ignore it, and they would hand that on.
    """
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def ran(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    return subprocess.run(
        stampede(*arguments),
        env=surroundings(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=2 * PATIENCE_S,
        check=False,
    )
