"""The prover: a process of its own that draws sealed codes and proves them, one for each line that it reads.

Laws of this file:
- It imports the ground floor only, so that it starts quickly and is small. It inherits neither sockets nor the log.
- A line asks for a variant, and for a grade too: `YU1-C graded`. The answer is a line: `PAYLOAD GRADE` of a deal
  that is proven winnable (`PAYLOAD -` where no grade was asked for), `-` if the draw was none, `! WHY` on a fault.
- It ends when its input does: so whatever becomes of the server, no prover is left behind.
"""

import os
import secrets
import signal
import sys
import time
from typing import Final

from stampede.patience.codes import SEALED_LENGTH, Code, dealing_order, payload
from stampede.patience.solver import grade, solve
from stampede.patience.variants import CATALOGUE

BUDGET_S: Final = 1.0
"""CPU time for one deal; what is still open then is let go."""
_NICE: Final = 15
_BITS: Final = 5 * SEALED_LENGTH


def prove(variant: str, graded: bool) -> str:
    """Draw one sealed code and answer what came of it."""
    rules = CATALOGUE[variant]
    code = Code(rules.game, rules.variant, payload(secrets.randbits(_BITS), SEALED_LENGTH))
    if solve(code, budget_s=BUDGET_S, clock=time.process_time).answer != "winnable":
        return "-"
    return f"{code.payload} {grade(rules, dealing_order(code)).value if graded else '-'}"


def main() -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes our input
    os.nice(_NICE)
    try:
        for line in sys.stdin:
            variant, _, graded = line.strip().partition(" ")
            try:
                answer = prove(variant, bool(graded))
            except Exception as fault:
                answer = f"! {fault!r}"
            print(answer, flush=True)
    except BrokenPipeError:
        os._exit(0)  # nobody listens any more, and nothing is left to be written


if __name__ == "__main__":
    main()
