"""Questions: commands that were asked and not answered yet.

Law of this file: every question gets its answer, or an exception; none is left waiting.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace as with_fields

from stampede.protocol.commands import AnyCommand, Forfeit, Leave, Open, Say, Start
from stampede.protocol.events import Answer, Error
from stampede.protocol.link import ClientError, Refused, Unanswered

_ONCE: Final = (Open, Say, Start, Forfeit, Leave)
"""Commands that are not said again after a break: twice would be once too often, or be refused."""


@dataclass(slots=True, eq=False)
class Question:
    """One command, with its `id`."""

    command: AnyCommand
    answer: "asyncio.Future[Answer]"
    said: bool = False
    """Whether it has gone out on some line."""


class Questions:
    """All that wait for their answers, in the order they were asked."""

    def __init__(self) -> None:
        self._waiting: dict[int, Question] = {}
        self._last_id = 0

    def number(self, command: AnyCommand) -> tuple[int, AnyCommand]:
        """An `id` that was not used before, and the command with it."""
        self._last_id += 1
        return self._last_id, with_fields(command, id=self._last_id)

    def put(self, command: AnyCommand) -> Question:
        """A new question; whoever asks it waits for its `answer` and drops it then."""
        identity, numbered = self.number(command)
        question = Question(numbered, asyncio.get_running_loop().create_future())
        self._waiting[identity] = question
        return question

    def drop(self, question: Question) -> None:
        """No one waits for this any more."""
        if isinstance(question.command.id, int):
            self._waiting.pop(question.command.id, None)

    def waiting(self) -> Iterator[Question]:
        """Those without an answer now; more may come while one looks at them."""
        return (question for question in list(self._waiting.values()) if not question.answer.done())

    def answered(self, answer: Answer) -> AnyCommand | None:
        """Give an answer to whom it is for; the command that it answers, if someone waits for it."""
        question = self._waiting.get(answer.re) if isinstance(answer.re, int) else None
        if question is None or question.answer.done():
            return None
        if isinstance(answer, Error):
            question.answer.set_exception(Refused(answer))
        else:
            question.answer.set_result(answer)
        return question.command

    def line_broke(self) -> None:
        """Give up those that went out and must not go out twice."""
        for question in self.waiting():
            if question.said and isinstance(question.command, _ONCE):
                question.answer.set_exception(
                    Unanswered("The line broke before the server answered; it may have been done or not.")
                )

    def give_up(self, error: ClientError) -> None:
        """No answer will ever come."""
        for question in self.waiting():
            question.answer.set_exception(error)
