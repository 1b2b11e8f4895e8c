"""The order in which searches are tried.

One set of weights has a heavy tail: most deals fall at once, or very late. So several are tried in turn with a small
limit of nodes, then all of them again with a larger one.

The weights come from a random search over some 400 vectors a game, on 250 of the harder deals: first the one that
proves most of them, then always the one that proves most of what is left.
"""

from collections.abc import Iterator
from typing import Final

from stampede.patience.solver.column import Weights
from stampede.patience.solver.law import Law

FIRST_NODES: Final = 1000
GROWTH: Final = 4
MOST_NODES: Final = {True: 1 << 20, False: 1 << 18}
"""Where the limit stops growing, for the compiled search (some 300 MB then) and for the pure one (some 600 MB)."""

YUKON: Final = (
    Weights(card=16, down=20, gap=0, over=3, empty=12, base=2, depth=16),
    Weights(card=4, down=4, gap=8, over=0, empty=2, base=4, depth=-2),
    Weights(card=6, down=4, gap=3, over=2, empty=8, base=4, depth=16),
    Weights(card=4, down=12, gap=1, over=0, empty=-4, base=8, depth=16),
    Weights(card=4, down=20, gap=8, over=8, empty=12, base=4, depth=-2),
    Weights(card=9, down=12, gap=1, over=0, empty=-4, base=2, depth=16),
)
DRAW_ONE: Final = (
    Weights(card=2, down=16, gap=5, over=0, empty=5, base=0, depth=16, talon=8),
    Weights(card=2, down=34, gap=5, over=2, empty=-4, base=1, depth=16, talon=0),
    Weights(card=4, down=4, gap=5, over=2, empty=8, base=8, depth=16, talon=12),
    Weights(card=9, down=4, gap=2, over=8, empty=-4, base=4, depth=12, talon=0),
    Weights(card=12, down=4, gap=0, over=0, empty=12, base=8, depth=16, talon=0),
    Weights(card=2, down=20, gap=1, over=5, empty=8, base=8, depth=1, talon=0),
    Weights(card=4, down=8, gap=0, over=0, empty=8, base=1, depth=12, talon=12),
)
DRAW_MORE: Final = (
    Weights(card=4, down=4, gap=1, over=2, empty=-4, base=0, depth=16, talon=0),
    Weights(card=2, down=8, gap=1, over=0, empty=5, base=0, depth=2, talon=5),
    Weights(card=4, down=8, gap=0, over=0, empty=8, base=1, depth=12, talon=12),
    Weights(card=12, down=8, gap=1, over=8, empty=0, base=4, depth=12, talon=5),
    Weights(card=16, down=4, gap=0, over=5, empty=-4, base=0, depth=4, talon=12),
    Weights(card=9, down=8, gap=3, over=5, empty=-4, base=4, depth=4, talon=0),
    Weights(card=2, down=4, gap=2, over=2, empty=0, base=4, depth=8, talon=1),
    Weights(card=6, down=4, gap=2, over=0, empty=12, base=1, depth=-2, talon=3),
)
SINGLE_PASS: Final = (
    Weights(card=9, down=20, gap=3, over=3, empty=2, base=1, depth=4, talon=3, passed=30),
    Weights(card=5, down=16, gap=3, over=1, empty=2, base=1, depth=0, talon=1, passed=30),
    Weights(card=9, down=30, gap=1, over=0, empty=8, base=0, depth=8, talon=8, passed=30),
    Weights(card=4, down=8, gap=8, over=8, empty=4, base=8, depth=4, talon=5, passed=30),
    Weights(card=12, down=16, gap=3, over=1, empty=0, base=1, depth=0, talon=0, passed=30),
)


def attempts(law: Law, compiled: bool) -> Iterator[tuple[Weights, int]]:
    """Weights, and how many nodes to give them; ends when another round would ask for too much memory."""
    portfolio = SINGLE_PASS if law.single_pass else (YUKON, DRAW_ONE, DRAW_MORE)[min(law.draw, 2)]
    limit = FIRST_NODES
    while limit <= MOST_NODES[compiled]:
        for weights in portfolio:
            yield weights, limit
        limit *= GROWTH
