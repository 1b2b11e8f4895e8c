"""Open files: how many this process may have; each connection is one."""

try:
    import resource
except ImportError:  # Windows has none, and no such limit
    resource = None  # type: ignore[assignment]


def open_files_limit() -> int | None:
    """How many it may have once `raise_open_files` was called; None if there is no limit."""
    if resource is None:
        return None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if limit == resource.RLIM_INFINITY else limit


def raise_open_files() -> None:
    """Let this process have as many as it may."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
