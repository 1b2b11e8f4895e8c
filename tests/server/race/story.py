"""A room told in sentences: who does what, when; and after each, what the room is and what is told of it.

Time stands still unless `wait` is called, so every test says what its times are.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import UNSET

from stampede.protocol.commands import Settings
from stampede.protocol.events import Event
from stampede.protocol.problems import Problem
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.phases import advance
from stampede.server.race.room import fold, opened
from stampede.server.race.state import RoomState, Seat

BEGINNING = 1_700_000_000_000
CODE = "YU1-C-GMTL5QZ"
SEALED_CODE = "YU1-C-AAAAAAAAAAAAAAAAAAAAAAAAAB"
_WINNABLE = Path(__file__).parents[2] / "vectors" / "winnable.jsonl"


@cache
def lines() -> dict[str, list[str]]:
    """The actions that win a deal, by its code."""
    rows = map(json.loads, _WINNABLE.read_text().splitlines())
    return {row["code"]: row["actions"] for row in rows}


class Story:
    """A room that Ann opens; everyone's connection is called after them, with the number of times they came."""

    def __init__(self, *racers: str, code: str = CODE, role: Any = "racer", kind: Any = "human", **chosen: Any) -> None:
        chosen = {"countdown_s": 0, "winnable": False} | chosen
        phrase = chosen.pop("passphrase_hash", "")
        self.clock = BEGINNING
        self.connections = {"ann": "ann/1"}
        first = facts.Opened("ann", "ann/1", "Ann", kind, role, code, Settings(**chosen), phrase)
        self.log: list[tuple[int, RoomFact]] = [(self.clock, first)]
        self.room: RoomState = opened("r1", first, self.clock)
        self.news: list[tuple[str, Event]] = []
        """What was told of the latest fact."""
        for who in racers:
            assert self.enters(who) is None

    # Time.

    def wait(self, seconds: float) -> "Story":
        """Let time go by, without anyone noticing."""
        self.clock += round(seconds * 1000)
        return self

    def strike(self) -> RoomState:
        """Someone notes how late it is."""
        self.tell(facts.TimePassed())
        return self.room

    def now(self) -> RoomState:
        """The room as it is now, though nobody has noted the time."""
        return advance(self.room, self.clock)

    # What they do; each returns the code of the refusal, or None.

    def tell(self, fact: RoomFact) -> str | None:
        before = self.room
        self.log.append((self.clock, fact))
        folded = fold(before, fact, self.clock)
        self.room = folded.state
        self.verdict: Problem | None = folded.verdict
        self.news = views.news(before, self.room, None if folded.verdict else fact, self.clock)
        return str(folded.verdict.code) if folded.verdict else None

    def enters(self, who: str, role: Any = "racer", *, kind: Any = "human", name: str | None = None) -> str | None:
        """Comes, or comes back, on a new connection."""
        number = int(self.connections.get(who, f"{who}/0").partition("/")[2]) + 1
        connection = f"{who}/{number}"
        code = self.tell(facts.Entered(who, connection, name or who.capitalize(), kind, role))
        if code is None:
            self.connections[who] = connection
        return code

    def leaves(self, who: str) -> str | None:
        return self.tell(facts.Left(who, self.connections[who]))

    def breaks(self, who: str) -> str | None:
        return self.tell(facts.Broke(who, self.connections[who]))

    def ready(self, *who: str) -> str | None:
        codes = [self.tell(facts.Readied(one, self.connections[one], True)) for one in who]
        return codes[-1]

    def unready(self, who: str) -> str | None:
        return self.tell(facts.Readied(who, self.connections[who], False))

    def starts(self, who: str) -> str | None:
        return self.tell(facts.Started(who, self.connections.get(who, f"{who}/1")))

    def plays(self, who: str, action: str, n: int | None = None, *, on: str | None = None) -> str | None:
        if n is None:
            n = self.seat(who).n + 1
        return self.tell(facts.Acted(who, on or self.connections[who], n, action))

    def forfeits(self, who: str) -> str | None:
        return self.tell(facts.Forfeited(who, self.connections[who]))

    def says(self, who: str, text: str) -> str | None:
        return self.tell(facts.Said(who, self.connections[who], text))

    def rematches(self, who: str, room: str) -> str | None:
        return self.tell(facts.Rematched(who, self.connections[who], room))

    def plays_all_but(self, who: str, left_out: int) -> None:
        """Plays the line that wins the deal, up to the last `left_out` actions."""
        line = lines()[self.room.code]
        for action in line[self.seat(who).n : len(line) - left_out]:
            assert self.plays(who, action) is None

    def wins(self, who: str) -> None:
        """Plays the line that wins the deal, from where they are."""
        self.plays_all_but(who, 0)

    # What there is to see.

    def seat(self, who: str) -> Seat:
        return self.room.seats[who]

    def statuses(self) -> dict[str, str]:
        return {player: seat.status for player, seat in self.room.seats.items()}

    def told(self, kind: str | None = None) -> list[Any]:
        """The events of the latest news, or those of one type."""
        return [event for _, event in self.news if kind in (None, event.__struct_config__.tag)]

    def kinds(self) -> list[Any]:
        return [event.__struct_config__.tag for _, event in self.news]


def racing(*others: str, **chosen: Any) -> Story:
    """A race of Ann and others that has just begun."""
    story = Story(*others, **({"capacity": 1 + len(others)} | chosen))
    story.starts("ann")
    assert story.room.phase == "racing"
    return story


def given(value: Any) -> bool:
    """Whether an optional field is there."""
    return value is not UNSET
