"""A prover's process, as the server holds it: started when it is first needed, and again should it die."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Final, NamedTuple

import structlog

from stampede.patience.codes import Code
from stampede.patience.solver.grades import Grade
from stampede.patience.variants import CATALOGUE

_RETRY_S: Final = 1.0
_COMMAND: Final = (sys.executable, "-m", "stampede.server.hall.prover")

_logger = structlog.get_logger()


class Proven(NamedTuple):
    """A sealed deal that can be won."""

    code: Code
    grade: Grade | None
    """None if that was not asked for."""


class ProverProcess:
    """One process that proves one deal at a time."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def prove(self, variant: str, *, graded: bool) -> Proven | None:
        """Draw one deal and prove it; None if it was none. One call at a time."""
        try:
            process = self._process
            if process is None:
                process = self._process = await asyncio.create_subprocess_exec(
                    *_COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
                )
            return await _asked(process, variant, graded)
        except (OSError, _Faulty) as fault:
            _logger.warning("prover_failed", error=str(fault))
            await self.close()
            await asyncio.sleep(_RETRY_S)
            return None

    async def close(self) -> None:
        """End the process and see it gone."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()  # it holds nothing that could be lost
            await process.wait()


class _Faulty(Exception):
    """The process did not do what it should."""


async def _asked(process: Process, variant: str, graded: bool) -> Proven | None:
    if process.stdin is None or process.stdout is None:
        raise AssertionError("both were asked for")
    process.stdin.write(f"{variant} graded\n".encode() if graded else f"{variant}\n".encode())
    await process.stdin.drain()
    answer = (await process.stdout.readline()).decode().strip()
    if answer == "-":
        return None
    if not answer or answer.startswith("!"):
        raise _Faulty(answer.removeprefix("! ") or "the process ended")
    payload, _, grade = answer.partition(" ")
    rules = CATALOGUE[variant]
    return Proven(Code(rules.game, rules.variant, payload), None if grade == "-" else Grade(grade))
