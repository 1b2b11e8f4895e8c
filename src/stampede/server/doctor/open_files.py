"""Open files: how many connections this machine allows."""

from typing import Final

from stampede.server.doctor.finding import Finding

_FEW_FILES: Final = 4096
_TOO_FEW_FILES: Final = 256
_OTHER_FILES: Final = 64
"""Open files that are no connections."""


def open_files(limit: int | None) -> Finding:
    """What a limit on open files, or None, means."""
    if limit is None:
        return Finding("ok", "Open files: no limit.")
    text = f"Open files: at most {limit}, so about {max(0, limit - _OTHER_FILES)} connections"
    if limit < _TOO_FEW_FILES:
        return Finding("wrong", f"{text}: too few. Raise it (ulimit -Hn, LimitNOFILE= in systemd).")
    if limit < _FEW_FILES:
        return Finding("mind", f"{text}; raise it for more (ulimit -Hn, LimitNOFILE= in systemd).")
    return Finding("ok", f"{text}.")
