"""Open files: how many connections this machine allows."""

from typing import Final

from stampede.server.doctor.finding import Finding

try:
    import resource
except ImportError:  # Windows has none, and no such limit
    resource = None  # type: ignore[assignment]

_FEW_FILES: Final = 4096
_TOO_FEW_FILES: Final = 256
_OTHER_FILES: Final = 64
"""Open files that are no connections."""


def open_files() -> list[Finding]:
    """How many connections the hard limit on open files allows; the server raises the soft one to it."""
    if resource is None:
        return []
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if limit == resource.RLIM_INFINITY:
        return [Finding("ok", "Open files: no limit.")]
    text = f"Open files: at most {limit}, so about {max(0, limit - _OTHER_FILES)} connections"
    if limit < _TOO_FEW_FILES:
        return [Finding("wrong", f"{text}: too few. Raise it (ulimit -Hn, LimitNOFILE= in systemd).")]
    if limit < _FEW_FILES:
        return [Finding("mind", f"{text}; raise it for more (ulimit -Hn, LimitNOFILE= in systemd).")]
    return [Finding("ok", f"{text}.")]


def raise_open_files() -> None:
    """Let this process have as many open files as it may."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
