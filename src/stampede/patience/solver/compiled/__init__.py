"""The compiled search, where it has been built: the same search, some fifty times as fast.

`load` gives it or None; nothing is imported or read before that. It is built by
`python -m stampede.patience.solver.compiled.build` (the extra `fast`), and without it all works in pure Python.
"""

import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from zlib import crc32

SOURCES: Final = ("search.c", "table.c", "dead_end.c", "playout.c")
HEADERS: Final = ("engine.h", "table.h")
HERE: Final = Path(__file__).parent


def fingerprint() -> int:
    """A number for the sources as they are now; a module built from others is not used."""
    return crc32(b"".join((HERE / name).read_bytes() for name in HEADERS + SOURCES)) >> 1


@cache
def load() -> Any | None:
    """The compiled module, or None: not built, built from other sources, or `STAMPEDE_SOLVER=pure` is set."""
    if os.environ.get("STAMPEDE_SOLVER") == "pure":
        return None
    try:
        module = import_module("stampede.patience.solver.compiled._engine")
    except ImportError:
        return None
    return module if fingerprint() == module.lib.ENGINE_FINGERPRINT else None
