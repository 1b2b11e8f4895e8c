"""The tempo: about the pace that was asked for, never twice the same, quicker with what is plain."""

import random
from statistics import mean

from stampede.client_cli.bots.tempo import pause_s
from stampede.patience.game import Draw, Move, Undo


def test_it_is_about_the_pace_and_scatters() -> None:
    chance = random.Random(1)
    actions = [Move("AS", "home"), Move("7H", "3")]
    pauses = [pause_s(2.0, action, chance) for action in actions * 2000]
    assert 1.8 < mean(pauses) < 2.4
    assert len(set(pauses)) > 3900
    assert min(pauses) > 0
    assert max(pauses) <= 12


def test_what_is_plain_is_done_sooner() -> None:
    def usual(action: object) -> float:
        chance = random.Random(5)
        return mean(pause_s(1.0, action, chance) for _ in range(500))  # type: ignore[arg-type]

    for plain in (Move("AS", "home"), Draw(), Undo()):
        assert usual(plain) < usual(Move("7H", "3"))


def test_without_a_pace_there_is_no_pause() -> None:
    assert pause_s(0.0, Draw(), random.Random(1)) == 0
