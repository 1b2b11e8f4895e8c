"""Coming back: after which breaks, how long to wait before each attempt, and what to call them."""

import random
from typing import Final

from websockets.exceptions import ConnectionClosed

from stampede.protocol.link import Refused
from stampede.protocol.problems import Close

_LONGEST_S: Final = 10.0
_FIRST_S: Final = 0.5

_FOR_GOOD: Final = {
    1000: "the server has ended the conversation",
    Close.WRONG_FRAME_TYPE: "the server does not understand this client",
    Close.UNDECODABLE: "the server does not understand this client",
    Close.TOO_BIG: "a message was too long for the server",
    Close.TAKEN_OVER: "you have come in from somewhere else, which took over",
    Close.NO_HELLO: "the server heard no hello",
}
"""Close codes after which coming back would be wrong or would end the same way, and what they mean."""


def for_good(closed: ConnectionClosed, announced: bool) -> str | None:
    """Why not to come back after this close, or None if one should; after a `goodbye` (`announced`) one should."""
    code = closed.rcvd.code if closed.rcvd else None
    if code is None or (announced and code != Close.TAKEN_OVER):
        return None
    return _FOR_GOOD.get(code)


def delay(attempt: int, asked_s: float | None, chance: random.Random) -> float:
    """Seconds before attempt number `attempt` (from 0): what the server asked for, else longer and longer.

    Always with jitter, so that a thousand clients that lost a server do not come back to it in one moment.
    """
    if asked_s is not None:
        return asked_s + chance.uniform(0, max(1.0, asked_s))
    return chance.uniform(0, min(_LONGEST_S, _FIRST_S * 2 ** min(attempt, 10)))


def may_pass(refused: Refused) -> bool:
    """Whether trying again later can help."""
    return refused.code.startswith(("server.", "limit."))


def why(closed: ConnectionClosed) -> str:
    """What happened to the line, in a few words."""
    if closed.rcvd is None:
        return "the line broke"
    match closed.rcvd.code:
        case Close.RESTART:
            return "the server is restarting"
        case Close.TOO_SLOW:
            return "this side was too slow to read"
        case Close.TOO_MANY_COMMANDS:
            return "too many commands were sent"
        case Close.IDLE:
            return "the line was silent for too long"
        case code:
            return f"the server closed the line ({code})"


def sentence(words: str) -> str:
    """A few words as a sentence."""
    return f"{words[:1].upper()}{words[1:]}."
