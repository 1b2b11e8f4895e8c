"""Asks the program `stampede-server`."""

import subprocess

from e2e.servers import PATIENCE_S, command, environment


def asked(*arguments: str, **settings: str) -> tuple[int, str]:
    """Exit code and output of the program."""
    done = subprocess.run(
        command(*arguments), env=environment(settings), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout
