"""The terminal: what it can show, and the only way out to it.

Laws of this file:
- Whatever is printed goes through `SafeConsole`, which lets no control character of a text through.
- Where the locale is not UTF-8 everything is written in ASCII: suits are S H D C.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from stampede.client_cli.printable import printable

_ASCII: Final = str.maketrans(
    {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "♡": "H", "♢": "D", "…": "...", "—": "-", "–": "-", "’": "'", "·": "."}
)

_ANY_WIDTH: Final = 100_000
"""More columns than any table has."""


class SafeConsole(Console):
    """A console through which no text can control the terminal."""

    def __init__(self, *, symbols: bool, **options: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, soft_wrap=False, **options)
        self.symbols = symbols
        """Whether suits can be drawn as symbols."""

    @property
    def colours(self) -> bool:
        """Whether colours are shown."""
        return self.color_system is not None and not self.no_color

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as ever; but what goes into a file or a pipe is not broken into lines of a terminal's width."""
        if not self.is_terminal:
            if all(isinstance(one, str | Text) for one in objects):
                options.setdefault("soft_wrap", True)
            for table in (one for one in objects if isinstance(one, Table)):
                table.width = Measurement.get(self, self.options.update(max_width=_ANY_WIDTH), table).maximum
                options.setdefault("crop", False)
        super().print(*objects, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as ever, with every text made printable."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            if control:
                yield segment
                continue
            lines = [printable(line) for line in text.split("\n")]
            yield Segment("\n".join(lines if self.symbols else [line.translate(_ASCII) for line in lines]), style)

    def on_broken_pipe(self) -> None:
        """Leave it to the caller: a reader who has seen enough is no error."""
        raise BrokenPipeError


def console(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> SafeConsole:
    """The console of a stream (standard output unless given), as far as its terminal and locale allow."""
    stream = stream or sys.stdout
    symbols = speaks_utf8(getattr(stream, "encoding", None), environ)
    if hasattr(stream, "reconfigure"):
        # Python takes UTF-8 for granted where the locale is C; the terminal may not.
        stream.reconfigure(errors="replace", **({} if symbols else {"encoding": "ascii"}))
    return SafeConsole(symbols=symbols, file=stream)


def speaks_utf8(encoding: str | None, environ: Mapping[str, str]) -> bool:
    """Whether a stream of this encoding ends at a terminal that reads UTF-8, as far as the environment tells.

    `PYTHONUTF8` and `PYTHONIOENCODING` are the user's own word; else the locale's variables count, but not an
    `LC_CTYPE` that Python itself has put there because the locale was C.
    """
    if (encoding or "").lower().replace("-", "").replace("_", "") != "utf8":
        return False
    if os.name == "nt" or environ.get("PYTHONUTF8") == "1" or environ.get("PYTHONIOENCODING"):
        return True
    if environ.get("LC_ALL"):
        return _is_utf8(environ["LC_ALL"])
    language, kind = environ.get("LANG", ""), environ.get("LC_CTYPE", "")
    coerced = kind in ("C.UTF-8", "C.utf8", "UTF-8") and language in ("", "C", "POSIX")
    return _is_utf8(language if coerced or not kind else kind)


def _is_utf8(locale: str) -> bool:
    return "utf-8" in locale.lower() or "utf8" in locale.lower()
