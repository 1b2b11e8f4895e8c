"""A replay: a finished race's log, folded once more, with every racer's timed actions."""

from collections.abc import Iterable

from msgspec import UNSET

from stampede.protocol.commands import Do
from stampede.protocol.events import ReplayAnswer, ReplayRacer
from stampede.server.race import facts, views
from stampede.server.race.facts import RoomFact
from stampede.server.race.phases import advance
from stampede.server.race.room import fold, opened
from stampede.server.race.standings import ranked
from stampede.server.race.state import RoomState


def replay(
    room: str, log: Iterable[tuple[int, RoomFact]], player: str | None = None, now_ms: int = 0
) -> ReplayAnswer | None:
    """All that was played in a race, from its log of `(time_ms, fact)`; None unless it is over by then, or by `now_ms`.

    With `player`, only that one's actions. Costs some 10 µs an entry.
    """
    state: RoomState | None = None
    actions: dict[str, list[tuple[int, Do]]] = {}
    for time_ms, fact in log:
        if state is None:
            state = opened(room, fact, time_ms) if isinstance(fact, facts.Opened) else None
            continue
        folded = fold(state, fact, time_ms)
        state = folded.state
        if isinstance(fact, facts.Acted) and folded.verdict is None:
            elapsed = state.seats[fact.player].elapsed_ms
            actions.setdefault(fact.player, []).append((elapsed, Do.of(facts.ACTIONS[fact.action])))
    if state is not None:
        state = advance(state, now_ms)  # nobody may have been awake to note that it ended
    if state is None or state.phase != "over" or state.starts_at_ms is None or state.ends_at_ms is None:
        return None
    return ReplayAnswer(
        room=room,
        code=state.code,
        variant=state.variant,
        commitment=views.commitment(state.code) if state.settings.sealed else UNSET,
        settings=views.settings(state.settings, passphrase=bool(state.passphrase_hash)),
        starts_at_ms=state.starts_at_ms,
        ends_at_ms=state.ends_at_ms,
        racers=[
            ReplayRacer(
                player=seat.player,
                name=seat.name,
                status=seat.status,
                place=place,
                actions=actions.get(seat.player, []),
            )
            for place, seat in ranked(state)
            if player is None or seat.player == player
        ],
    )
