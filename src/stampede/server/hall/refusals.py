"""Refusals: what the hall itself answers when a command cannot be done, and problems as answers."""

from typing import Final

import structlog
from msgspec import UnsetType

from stampede.protocol.events import Answer, Error
from stampede.protocol.problems import Code as ProblemCode
from stampede.protocol.problems import Problem
from stampede.server.hall.rooms import new_room_id

Re = int | UnsetType
"""The `id` of a command, if it has one: its answer repeats it."""

STORAGE: Final = Problem(
    ProblemCode.SERVER_STORAGE, "The server cannot store this right now; nothing was done, try again.", retry_ms=1000
)
GOING_DOWN: Final = Problem(
    ProblemCode.SERVER_GOING_DOWN, "The server is going down; connect again in a moment.", retry_ms=1000
)

_logger = structlog.get_logger()


def error(problem: Problem, re: Re) -> Answer:
    """A problem as the answer to a command."""
    return Error(re=re, code=problem.code, text=problem.text, data=problem.data, retry_ms=problem.retry_ms)


def incident(failure: BaseException) -> Problem:
    """`server.internal`, with an id under which the server's log tells more."""
    number = new_room_id()
    _logger.error("incident", incident=number, exc_info=failure)
    text = f"Something went wrong in the server; its log knows more under the incident {number}."
    return Problem(ProblemCode.SERVER_INTERNAL, text, {"incident": number})
