"""The prover: a real process that proves real deals, and is never left behind."""

import subprocess
import sys

from stampede.patience.codes import SEALED_LENGTH, dealing_order, parse
from stampede.patience.solver import Grade, grade, solve
from stampede.patience.variants import CATALOGUE, VARIANTS
from stampede.server.hall.prover import prove
from stampede.server.hall.prover_process import Proven, ProverProcess


async def found(prover: ProverProcess, variant: str, *, graded: bool) -> Proven:
    while True:
        proven = await prover.prove(variant, graded=graded)
        if proven is not None:
            return proven


async def test_what_it_proves_can_be_won_and_has_its_grade() -> None:
    prover = ProverProcess()
    try:
        proven = await found(prover, "YU1-R", graded=True)
        assert len(proven.code.payload) == SEALED_LENGTH
        assert parse(str(proven.code), VARIANTS) == proven.code
        assert solve(proven.code, budget_s=60).answer == "winnable"
        assert proven.grade is grade(CATALOGUE["YU1-R"], dealing_order(proven.code))
        assert (await found(prover, "YU1-R", graded=False)).grade is None
    finally:
        await prover.close()


async def test_a_prover_that_died_is_started_again() -> None:
    prover = ProverProcess()
    try:
        await found(prover, "YU1-R", graded=False)
        process = prover._process
        assert process is not None
        process.kill()
        await process.wait()
        assert (await found(prover, "YU1-R", graded=False)).code.ruleset_name == "YU1-R"
        assert prover._process is not process
    finally:
        await prover.close()


async def test_closing_sees_the_process_gone() -> None:
    prover = ProverProcess()
    await prover.prove("YU1-R", graded=False)
    process = prover._process
    assert process is not None
    await prover.close()
    assert process.returncode is not None


def test_it_ends_when_its_input_does() -> None:
    command = [sys.executable, "-m", "stampede.server.hall.prover"]
    ended = subprocess.run(command, input=b"", capture_output=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")


def test_it_ends_by_itself_when_the_server_was_killed() -> None:
    # A stand-in for the server starts a prover, asks it and is killed; the prover's standard error is ours, and its
    # end shows as the end of that.
    server = (
        "import os, signal, subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'stampede.server.hall.prover'],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "p.stdin.write(b'YU1-C\\n'); p.stdin.flush(); p.stdout.readline()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", server], stderr=subprocess.PIPE, timeout=60, check=False)
    assert ended.returncode == -9
    assert ended.stderr == b""


def test_a_fault_is_told_and_the_next_question_answered() -> None:
    command = [sys.executable, "-m", "stampede.server.hall.prover"]
    ended = subprocess.run(command, input=b"NO-SUCH\nYU1-R graded\n", capture_output=True, timeout=60, check=True)
    fault, answer = ended.stdout.decode().splitlines()
    assert fault.startswith("! KeyError")
    assert answer == "-" or answer.split()[1] in set(Grade)


def test_a_draw_that_proves_nothing_is_none() -> None:
    answers = {prove("KL1-D3V", graded=False) for _ in range(3)}
    assert all(answer == "-" or len(answer.split()[0]) == SEALED_LENGTH for answer in answers)
