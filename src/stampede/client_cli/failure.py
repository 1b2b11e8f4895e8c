"""Failures: what ends a command, as a sentence and an exit code."""

from typing import Final

FAILED: Final = 1
USAGE: Final = 2
INTERRUPTED: Final = 130

EXIT_CODES: Final = "Exit codes: 0 done; 1 it could not be done, or something is wrong; 2 wrong usage; 130 Ctrl-C."


class Failure(Exception):
    """A command cannot go on; its text is one sentence for people."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code
