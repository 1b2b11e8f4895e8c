"""Consoles that write into a string."""

import io

from stampede.client_cli.terminal import SafeConsole


def screen(*, symbols: bool = True, colours: bool = False, width: int = 100) -> SafeConsole:
    return SafeConsole(
        symbols=symbols,
        file=io.StringIO(),
        width=width,
        force_terminal=colours,
        color_system="standard" if colours else None,
        legacy_windows=False,
        _environ={},
    )


def shown(console: SafeConsole) -> str:
    """What was printed, line by line, without the blanks at their ends."""
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
