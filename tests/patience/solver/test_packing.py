"""Lines as few bytes, and back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from patience.solver.vectors import winnable
from stampede.patience.cards import DECK, RANKS, SUITS
from stampede.patience.solver.packing import pack, unpack


def test_the_lines_of_the_vectors_come_back_as_they_were() -> None:
    lines = [line for _, line in winnable()]
    packed = pack(lines)
    assert list(unpack(packed)) == lines
    assert len(packed) < 120 * len(lines)


@settings(max_examples=25)
@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 7), st.booleans(), st.integers(1, 40)))))
def test_any_line_that_could_be_played_comes_back(steps: list[list[tuple[int, int, bool, int]]]) -> None:
    lines = []
    for chosen in steps:
        line: list[str] = []
        home = [0, 0, 0, 0]
        for suit, column, back, draws in chosen:
            if back and home[suit]:
                home[suit] -= 1
                line.append(f"{RANKS[home[suit]]}{SUITS[suit]} {column}")
            elif home[suit] < 13:
                home[suit] += 1
                line.append(f"{RANKS[home[suit] - 1]}{SUITS[suit]} home")
            if not line or line[-1] != "draw":
                line += ["draw"] * draws
            line.append(f"{RANKS[12]}{SUITS[suit]} {column}" if home[suit] < 13 else "draw")
        lines.append(line)
    assert list(unpack(pack(lines))) == lines


def test_every_card_has_a_byte_of_its_own() -> None:
    line = [f"{card} {place}" for card in DECK for place in range(1, 8)]
    assert list(unpack(pack([line]))) == [line]
