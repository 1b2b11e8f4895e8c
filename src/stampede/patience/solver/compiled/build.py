"""Builds the compiled search next to its sources: `python -m stampede.patience.solver.compiled.build`.

Wants a C compiler and the extra `fast`. Ends with 1 and one line if either is missing: that is no harm, the solver
then works in pure Python.
"""

import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from stampede.patience.solver.compiled import HERE, SOURCES, fingerprint


def build() -> Path:
    """Compile; returns the module's path. Raises `ImportError` or `OSError` saying what is missing."""
    cffi = import_module("cffi")
    ffi = cffi.FFI()
    ffi.cdef(re.sub(r"/\*.*?\*/", "", (HERE / "engine.h").read_text("utf-8"), flags=re.S))
    ffi.cdef("#define ENGINE_FINGERPRINT ...")
    ffi.set_source(
        "_engine",
        f'#include "engine.h"\n#define ENGINE_FINGERPRINT {fingerprint()}\n',
        sources=[str(HERE / name) for name in SOURCES],
        include_dirs=[str(HERE)],
        extra_compile_args=["-O2"] if sys.platform != "win32" else [],
    )
    with TemporaryDirectory() as scratch:
        try:
            made = Path(ffi.compile(tmpdir=scratch))
        except cffi.VerificationError as error:
            raise OSError(f"the C compiler did not do it: {error}") from error
        # A new file takes the old one's name, so that a process that runs on the old one is not disturbed.
        fresh = HERE / (made.name + ".new")
        shutil.copy(made, fresh)
        return fresh.replace(HERE / made.name)


def main() -> int:
    """Build and say what came of it."""
    try:
        print(f"The compiled solver is built: {build().name}")
    except (ImportError, OSError) as error:
        print(f"The solver stays in pure Python: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
