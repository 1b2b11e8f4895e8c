"""Time-lapse: an event loop on which waiting costs nothing. Its clock jumps to the next timer once nothing else is due.

So a test may let hours pass, and no test depends on how fast a machine is.
"""

import asyncio
import functools
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec


class _Jumping(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Instead of waiting, the loop's clock is set forward; without a timer (a thread is busy) it really waits."""

    loop: "Timelapse"

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(None if timeout is None else 0)
        if not events and timeout:
            self.loop.seconds += timeout
        return events


class Timelapse(asyncio.SelectorEventLoop):
    """The loop; `seconds` is its clock."""

    def __init__(self) -> None:
        selector = _Jumping()
        selector.loop = self
        self.seconds = 1000.0
        super().__init__(selector)

    def time(self) -> float:
        # A tick beyond what timers asked for, so that rounding never leaves one a hair too early.
        return self.seconds + 1e-6


P = ParamSpec("P")


def in_no_time(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run an async test in a time-lapse."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=Timelapse) as runner:
            runner.run(test(*args, **kwargs))  # type: ignore[arg-type]

    return run
