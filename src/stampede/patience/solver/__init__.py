"""The solver: is a deal winnable, all cards known, and how hard is it?

`solve` has three answers, never two: winnable with a line, unwinnable with a certificate, or open. `locked` is the
quick test to run on every deal. `grade` says how hard a deal is. It never judges: each line it gives has been
replayed by the referee.
"""

from stampede.patience.solver.answer import EXHAUSTED_SEARCH, Answer, LockSet
from stampede.patience.solver.grades import Grade, blind_wins, grade, graded
from stampede.patience.solver.lock_check import lock_fault
from stampede.patience.solver.prove import locked, solve, solve_table

__all__ = [
    "EXHAUSTED_SEARCH",
    "Answer",
    "Grade",
    "LockSet",
    "blind_wins",
    "grade",
    "graded",
    "lock_fault",
    "locked",
    "solve",
    "solve_table",
]
