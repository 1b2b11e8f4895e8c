"""The talon: waste and stock in one row, and how many of its cards lie on the waste.

Draws are no moves of their own in a search; a card is played together with the draws that bring it up.
"""

from stampede.patience.solver.law import Law


def reach(law: Law, count: int, waste: int) -> list[tuple[int, int]]:
    """Which of `count` cards can be had, each with the draws (and the turning over) that takes."""
    had, reached = set(), []
    draws = 0
    while True:
        if waste and waste - 1 not in had:
            had.add(waste - 1)
            reached.append((waste - 1, draws))
        if waste >= count:
            break
        waste = min(waste + law.draw, count)
        draws += 1
    if count and not law.single_pass:
        draws += 1
        waste = 0
        while waste < count:
            waste = min(waste + law.draw, count)
            draws += 1
            if waste - 1 not in had:
                had.add(waste - 1)
                reached.append((waste - 1, draws))
    return reached


def same_waste(law: Law, count: int, waste: int) -> int:
    """The waste a search takes this one for: any from which the very same cards can be had counts as empty."""
    if not law.draw or law.single_pass:
        return waste
    return 0 if law.draw == 1 or waste == count or waste % law.draw == 0 else waste
