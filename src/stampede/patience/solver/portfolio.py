"""The order in which searches are tried.

One set of weights has a heavy tail: most deals fall at once, or very late. So several are tried in turn with a small
limit of nodes, then all of them again with a larger one.
"""

from collections.abc import Iterator
from typing import Final

from stampede.patience.solver.law import Law
from stampede.patience.solver.search import Weights

FIRST_NODES: Final = 1000
GROWTH: Final = 4
MOST_NODES: Final = {True: 1 << 20, False: 1 << 18}
"""Where the limit stops growing, for the compiled search (some 300 MB then) and for the pure one (some 600 MB)."""

YUKON: Final = (
    Weights(card=5, down=16, gap=3, over=1, empty=2, base=1, depth=13),
    Weights(card=9, down=20, gap=8, over=0, empty=2, base=0, depth=12),
    Weights(card=4, down=8, gap=8, over=8, empty=4, base=8, depth=4),
    Weights(card=6, down=16, gap=1, over=1, empty=8, base=8, depth=12),
    Weights(card=12, down=16, gap=3, over=1, empty=0, base=1, depth=0),
)
KLONDIKE: Final = (
    Weights(card=9, down=20, gap=3, over=3, empty=2, base=1, depth=4, talon=3, passed=30),
    Weights(card=5, down=16, gap=3, over=1, empty=2, base=1, depth=0, talon=1, passed=30),
    Weights(card=9, down=30, gap=1, over=0, empty=8, base=0, depth=8, talon=8, passed=30),
    Weights(card=4, down=8, gap=8, over=8, empty=4, base=8, depth=4, talon=5, passed=30),
    Weights(card=12, down=16, gap=3, over=1, empty=0, base=1, depth=0, talon=0, passed=30),
)


def attempts(law: Law, compiled: bool) -> Iterator[tuple[Weights, int]]:
    """Weights, and how many nodes to give them; ends when another round would ask for too much memory."""
    portfolio = KLONDIKE if law.draw else YUKON
    limit = FIRST_NODES
    while limit <= MOST_NODES[compiled]:
        for weights in portfolio:
            yield weights, limit
        limit *= GROWTH
