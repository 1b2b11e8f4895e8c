"""The limit on open files, in a process of its own."""

import subprocess
import sys

PROGRAM = """
import resource
from stampede.server.open_files import open_files_limit, raise_open_files

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
raise_open_files()
print(open_files_limit(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def test_the_soft_limit_is_raised_to_the_hard_one() -> None:
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True)
    assert said.stdout == "128 128 128\n"
