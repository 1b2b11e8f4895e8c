"""The journal: what the server says of itself on standard output, a line for each thing that happened.

No token, passphrase, password or sealed code is ever handed to it. What looks like a token or a sealed code is blotted
out all the same, whatever path it came by (an exception's text, another library's record).
"""

import logging
import re
import sys
from typing import Final

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from stampede.server.settings import masked

_SECRET: Final = re.compile(
    r"(?<![\w-])[\w-]{43}(?![\w-])"  # a token
    r"|\b[A-Z0-9]{3}-[A-Z0-9]{1,3}-[A-Z2-7]{26}\b"  # a sealed code
)


def open_journal(level: str = "info", form: str = "auto") -> None:
    """Begin to write, from `level` up: as JSON, as text, or (`auto`) as text on a terminal and as JSON elsewhere."""
    eyes = form == "text" or (form == "auto" and sys.stdout.isatty())
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendering = [*_rendering(colours=eyes and sys.stdout.isatty(), eyes=eyes), _blot_out]
    structlog.configure(
        processors=[*shared, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(sys.stdout),
    )
    # Libraries, and the event loop where a failure is nobody's to hear, speak to the standard library's loggers.
    others = logging.StreamHandler(sys.stdout)
    others.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[others], level=max(threshold, logging.INFO), force=True)


def _rendering(*, colours: bool, eyes: bool) -> list[Processor]:
    # Tracebacks without the values of variables: those hold what must not be here.
    if eyes:
        plain = structlog.dev.plain_traceback
        return [structlog.dev.ConsoleRenderer(colors=colours, exception_formatter=plain)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]


def _blot_out(logger: WrappedLogger, method: str, line: EventDict | str | bytes) -> str:
    return _SECRET.sub("***", masked(str(line)))
