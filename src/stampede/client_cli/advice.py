"""Advice: what someone at this program can do about a problem; who reports it cannot know how that is typed."""

from typing import Final

from stampede.protocol.link import ClientError, Refused
from stampede.protocol.news import HungUp
from stampede.protocol.problems import Close, Code

_ON_ERRORS: Final[dict[str, str]] = {Code.ROOM_NAME_TAKEN: "Another name is given with --name."}
_ON_CLOSES: Final[dict[int, str]] = {
    Close.TAKEN_OVER: (
        "Programs that are run here under one name (your login name, unless --name gives another) are one player; "
        "with another --name you are another player."
    )
}


def refusal(error: ClientError) -> str:
    """Why something was not done, and what helps."""
    return _with(str(error), _ON_ERRORS.get(error.code) if isinstance(error, Refused) else None)


def end(news: HungUp) -> str:
    """Why the line is closed for good, and what helps."""
    return _with(news.why, None if news.code is None else _ON_CLOSES.get(news.code))


def _with(text: str, advice: str | None) -> str:
    return f"{text} {advice}" if advice else text
