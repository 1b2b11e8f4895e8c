"""A plain model of a room, written from the protocol's page alone: dictionaries, numbers and time. No log, no fold."""

from dataclasses import dataclass, field
from typing import Any

AWAY_MS = 60_000


@dataclass
class Entrant:
    """One of a plain room."""

    name: str
    role: str
    status: str
    away_since: int | None = None
    at: int = 0
    """How far along the winning line."""
    n: int = 0
    moves: int = 0
    undoable: int = 0
    elapsed: int = 0
    home_at: int = 0


@dataclass
class PlainRoom:
    """What may be asked of a room, and what it answers: the code of an error, or the type of the answer."""

    homes: list[int]
    """How many cards are home after each action of the winning line."""
    capacity: int
    countdown_s: int
    start_rule: str
    limit_s: int
    tail_s: int
    undo: int
    chat: bool
    host: str = ""
    phase: str = "lobby"
    starts_at: int = 0
    ends_at: int = 0
    entrants: dict[str, Entrant] = field(default_factory=dict)

    # Time.

    def advance(self, now: int) -> None:
        """Let the instants pass that have come, each at its own time."""
        while (due := min(self._instants(), default=None)) is not None and due <= now:
            if self.phase == "countdown" and due == self.starts_at:
                self.phase, self.ends_at = "racing", self.starts_at + 1000 * self.limit_s
                for one in self._racers():
                    one.status = "racing"
            elif self.phase in ("racing", "closing") and due == self.ends_at + 1:
                self._end()
            else:
                for one in [one for one in self.entrants.values() if self._out_at(one) == due]:
                    self._remove(one, due)

    def _instants(self) -> list[int]:
        instants = [at for one in self.entrants.values() if (at := self._out_at(one)) is not None]
        if self.phase == "countdown":
            instants.append(self.starts_at)
        if self.phase in ("racing", "closing"):
            instants.append(self.ends_at + 1)
        return instants

    def _out_at(self, one: Entrant) -> int | None:
        leaves = self.phase == "lobby" or one.role == "watcher"
        return one.away_since + AWAY_MS if leaves and one.away_since is not None else None

    # What they do.

    def join(self, name: str, role: str) -> str:
        if self.phase == "cancelled":
            return "room.unknown"
        if name in self.entrants:
            self.entrants[name].away_since = None
            return "room"
        if role == "racer":
            if self.phase != "lobby":
                return "room.started"
            if len(self._racers()) >= self.capacity:
                return "room.full"
        self.entrants[name] = Entrant(name, role, "waiting" if role == "racer" else "watching")
        return "room"

    def breaks(self, name: str, now: int) -> None:
        self.entrants[name].away_since = now

    def leave(self, name: str, now: int) -> str:
        one = self.entrants[name]
        if one.role == "watcher" or self.phase in ("lobby", "countdown"):
            self._remove(one, now)
            return "done"
        one.away_since = now
        self._pass_host_on(one, self.host)
        if one.status == "racing":
            one.status = "forfeited"
            self._end_if_none_races(now)
        return "done"

    def ready(self, name: str, ready: bool, now: int) -> str:
        if self.phase in ("racing", "closing"):
            return "room.started"
        if self.phase in ("over", "cancelled"):
            return "race.over"
        one = self.entrants[name]
        if one.role == "watcher":
            return "race.not_racing"
        taken_back = one.status == "ready" and not ready
        one.status = "ready" if ready else "waiting"
        if taken_back and self.phase == "countdown":
            self._back_to_lobby(now)
        else:
            self._begin_if_all_are_ready(now)
        return "done"

    def start(self, name: str, now: int) -> str:
        if name != self.host:
            return "room.not_host"
        if self.phase in ("over", "cancelled"):
            return "race.over"
        if self.phase != "lobby":
            return "room.started"
        if not self._racers():
            return "room.empty"
        self._begin(now)
        return "done"

    def forfeit(self, name: str, now: int) -> str:
        one = self.entrants[name]
        if (problem := self._cannot_act(one)) is not None:
            return problem
        if one.status == "finished":
            return "race.not_racing"
        one.status = "forfeited"
        self._end_if_none_races(now)
        return "done"

    def targets(self, name: str) -> str:
        return self._cannot_act(self.entrants[name]) or "targets"

    def say(self) -> str:
        return "said" if self.chat else "room.no_chat"

    def replay(self) -> str:
        return {"over": "replay", "cancelled": "room.unknown"}.get(self.phase, "race.not_over")

    def play(self, name: str, what: str, n: int, now: int) -> str:
        """`what`: `on` along the winning line, `undo`, or `nonsense` that no rule allows."""
        one = self.entrants[name]
        if self._has_a_board(one) and n <= one.n:
            return "board"
        if (problem := self._cannot_act(one)) is not None:
            return problem
        if one.status == "finished":
            return "game.over"
        if n != one.n + 1:
            return "race.out_of_step"
        if what == "nonsense":
            return "draw.no_stock"
        if what == "undo" and not one.undoable:
            return "undo.nothing"
        before = self.homes[one.at]
        if what == "on":
            one.at += 1
            one.moves += 1
            one.undoable = min(one.undoable + 1, self.undo)
        else:
            one.at -= 1
            one.undoable -= 1
        one.n += 1
        one.elapsed = now - self.starts_at
        if self.homes[one.at] != before:
            one.home_at = one.elapsed
        if self.homes[one.at] == 52:
            one.status = "finished"
            if self.phase == "racing":
                self.phase = "closing"
                self.ends_at = min(self.ends_at, now + 1000 * self.tail_s)
            self._end_if_none_races(now)
        return "played"

    # What there is to see.

    def seen(self) -> dict[str, Any]:
        """Everything about the room that anyone in it is told."""
        return {
            "phase": self.phase,
            "host": self.host,
            "entrants": {
                one.name: (one.role, one.status, one.away_since is not None, one.moves, self.homes[one.at], one.elapsed)
                for one in self.entrants.values()
            },
            "places": self._places() if self.phase == "over" else {},
        }

    def _places(self) -> dict[str, int]:
        order = ("finished", "timed_out", "forfeited", "never_played")

        def merit(one: Entrant) -> tuple[int, ...]:
            if one.status == "finished":
                return 0, one.elapsed
            return order.index(one.status), -self.homes[one.at], one.home_at, one.moves

        racers = self._racers()
        return {one.name: 1 + sum(merit(other) < merit(one) for other in racers) for one in racers}

    # What follows.

    def _racers(self) -> list[Entrant]:
        return [one for one in self.entrants.values() if one.role == "racer"]

    def _has_a_board(self, one: Entrant) -> bool:
        return one.role == "racer" and self.phase in ("racing", "closing", "over")

    def _cannot_act(self, one: Entrant) -> str | None:
        if self.phase in ("lobby", "countdown"):
            return "race.not_started"
        if self.phase in ("over", "cancelled"):
            return "race.over"
        return None if one.status in ("racing", "finished") else "race.not_racing"

    def _remove(self, one: Entrant, now: int) -> None:
        del self.entrants[one.name]
        if not self.entrants:
            if self.phase in ("lobby", "countdown"):
                self.phase = "cancelled"
            return
        self._pass_host_on(one, next(iter(self.entrants)))
        if self.phase == "countdown" and one.role == "racer" and len(self._racers()) < min(2, self.capacity):
            self._back_to_lobby(now)
        else:
            self._begin_if_all_are_ready(now)

    def _pass_host_on(self, one: Entrant, otherwise: str) -> None:
        if self.host == one.name:
            present = [other.name for other in self.entrants.values() if other.away_since is None]
            self.host = present[0] if present else otherwise

    def _back_to_lobby(self, now: int) -> None:
        self.phase = "lobby"
        for one in self.entrants.values():
            if one.away_since is not None:
                one.away_since = now

    def _begin(self, now: int) -> None:
        self.phase, self.starts_at = "countdown", now + 1000 * self.countdown_s

    def _begin_if_all_are_ready(self, now: int) -> None:
        racers = self._racers()
        if (
            self.phase == "lobby"
            and self.start_rule == "all_ready"
            and len(racers) >= min(2, self.capacity)
            and all(one.status == "ready" for one in racers)
        ):
            self._begin(now)

    def _end_if_none_races(self, now: int) -> None:
        if not any(one.status == "racing" for one in self.entrants.values()):
            self.ends_at = now
            self._end()

    def _end(self) -> None:
        self.phase = "over"
        for one in self._racers():
            if one.status == "racing":
                one.status = "timed_out" if one.n else "never_played"
