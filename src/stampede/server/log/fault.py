"""Faults of others: what the log calls may fail, but must not keep anyone else from hearing what they must hear."""

import asyncio
from collections.abc import Callable
from typing import Any


def guarded(call: Callable[..., None], *arguments: Any) -> None:
    """Call; an exception, though there should be none, is told and that is all."""
    try:
        call(*arguments)
    except Exception as fault:
        tell(fault)


def tell(fault: Exception) -> None:
    """Give a fault to the loop's exception handler."""
    context = {"message": "Something that the log called failed", "exception": fault}
    asyncio.get_running_loop().call_exception_handler(context)
