"""A finished race, as a server would give it for a replay."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from msgspec import UNSET

from stampede.patience import notation
from stampede.protocol.commands import Do
from stampede.protocol.events import ReplayAnswer, ReplayRacer, SettingsPicture

CODE = "KL1-D1N-AAAAAAB"
SEALED = "KL1-D1N-AAAAAAAAAAAAAAAAAAAAAAAAAB"
START = 1_000_000


def settings(**chosen: Any) -> SettingsPicture:
    usual: dict[str, Any] = {
        "sealed": False,
        "winnable": False,
        "undo": 100,
        "capacity": 8,
        "countdown_s": 5,
        "start": "all_ready",
        "limit_s": 3600,
        "tail_s": 300,
        "listed": False,
        "passphrase": False,
        "bots": True,
        "chat": True,
        "title": "",
    }
    return SettingsPicture(**(usual | chosen))


@dataclass
class Racer:
    name: str
    status: str
    place: int
    actions: list[tuple[int, str]] = field(default_factory=list)


def race(*racers: Racer, code: str = CODE, lasts_ms: int = 60_000, **chosen: Any) -> ReplayAnswer:
    sealed = chosen.get("sealed", False)
    return ReplayAnswer(
        room="R1",
        code=code,
        variant=code.rpartition("-")[0],
        commitment=sha256(code.encode()).hexdigest() if sealed else UNSET,
        settings=settings(**chosen),
        starts_at_ms=START,
        ends_at_ms=START + lasts_ms,
        racers=[
            ReplayRacer(
                player=one.name.lower(),
                name=one.name,
                status=one.status,  # type: ignore[arg-type]
                place=one.place,
                actions=[(elapsed_ms, Do.of(notation.read(action))) for elapsed_ms, action in one.actions],
            )
            for one in racers
        ],
    )


ADA = Racer("Ada", "timed_out", 1, [(1_000, "draw"), (2_000, "draw"), (3_000, "draw"), (4_500, "AS home")])
BOB = Racer("Bob", "timed_out", 2, [(1_500, "9H 7"), (2_500, "undo"), (9_000, "9H 4")])
CAL = Racer("Cal", "never_played", 3)
