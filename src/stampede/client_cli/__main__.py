"""The way in, and every way out: exit codes, and never a traceback for something a person can put right."""

import os
import sys
from collections.abc import Sequence

from cyclopts import CycloptsError

from stampede.client_cli.advice import refusal
from stampede.client_cli.app import command_line
from stampede.client_cli.failure import FAILED, INTERRUPTED, USAGE, Failure
from stampede.client_cli.terminal import SafeConsole, console
from stampede.protocol.link import ClientError


def main() -> None:
    """Run the command line and exit."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115 - open until the end
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    complaints = console(sys.stderr)
    try:
        code = command_line()(
            list(arguments),
            console=console(),
            error_console=complaints,
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except CycloptsError as error:
        _complain(complaints, str(error))
        complaints.print(f"See: {' '.join(('stampede', *(error.command_chain or ()), '--help'))}", style="dim")
        return USAGE
    except Failure as failure:
        _complain(complaints, str(failure))
        return failure.code
    except ClientError as error:
        _complain(complaints, refusal(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _write_no_more()  # the reader has seen enough (`| head`)
        return 0
    except OSError as error:
        _write_no_more()
        _complain(complaints, f"Cannot go on: {error.strerror or error}.")
        return FAILED


def _write_no_more() -> None:
    """What is left to flush at exit goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(complaints: SafeConsole, sentence: str) -> None:
    complaints.print(f"stampede: {sentence}", style="red", soft_wrap=True)


if __name__ == "__main__":
    main()
