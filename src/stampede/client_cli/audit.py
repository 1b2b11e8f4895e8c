"""The audit of a finished race: commitment, code, deal, and every move, judged again without the server.

Laws of this file:
- Nothing the replay says of a racer is believed that its actions do not show.
- A finding is a sentence and whether all is well; an audit goes on after a bad one as far as it can.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from stampede.client_cli.card_text import clock
from stampede.patience import codes, game
from stampede.patience.errors import Refusal
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol.events import ReplayAnswer, ReplayRacer

_RANKS: Final = {"finished": 0, "timed_out": 1, "forfeited": 2, "left": 2, "never_played": 3}
"""Which status comes first in the standings."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    well: bool
    text: str


class _Ridden(NamedTuple):
    """What a racer's actions come to."""

    racer: ReplayRacer
    home: int
    moves: int
    score: str
    elapsed_ms: int
    home_at_ms: int
    """When the number of cards home last changed."""


def audit(replay: ReplayAnswer) -> Iterator[Finding]:
    """Everything there is to find, in the order it is looked at."""
    yield _commitment(replay)
    try:
        code = parse_code(replay.code)
    except codes.BadCode as error:
        yield Finding(False, f"The code is none: {error}")
        return
    yield Finding(True, f"The code {code} is a deal of {CATALOGUE[code.ruleset_name].title}.")
    if code.ruleset_name != replay.variant:
        yield Finding(False, f"The race was announced as {replay.variant}, but the code is one of {code.ruleset_name}.")
    length = codes.SEALED_LENGTH if replay.settings.sealed else codes.OPEN_LENGTH
    if len(code.payload) != length:
        which = "a sealed" if replay.settings.sealed else "an open"
        yield Finding(False, f"The code of {which} race has {length} symbols.")
    order = codes.dealing_order(code)
    yield Finding(True, f"The deal: {len(set(order))} different cards, {' '.join(order[:7])} ... {order[-1]}.")

    ridden: list[_Ridden] = []
    start = game.start_code(code, replay.settings.undo)
    for racer in replay.racers:
        result = _ride(replay, start, racer)
        if isinstance(result, _Ridden):
            ridden.append(result)
            yield _told(result)
        else:
            yield result
    if len(ridden) == len(replay.racers):
        yield _places(ridden)


def _commitment(replay: ReplayAnswer) -> Finding:
    if not replay.settings.sealed:
        return Finding(True, "An open race: its code was known from the start, so there is no commitment to check.")
    if not isinstance(replay.commitment, str):
        return Finding(False, "A sealed race without a commitment: nothing binds it to this code.")
    digest = sha256(replay.code.encode("utf-8")).hexdigest()
    if digest != replay.commitment:
        return Finding(False, f"The commitment was {replay.commitment}, but the code's SHA-256 is {digest}.")
    return Finding(True, f"The code is the one that was committed to: its SHA-256 is {digest}.")


def _ride(replay: ReplayAnswer, start: game.Game, racer: ReplayRacer) -> _Ridden | Finding:
    """Play all of a racer's actions; a finding at the first that cannot be."""
    now, last_ms, home_at_ms = start, 0, 0
    length_ms = replay.ends_at_ms - replay.starts_at_ms
    for number, (elapsed_ms, do) in enumerate(racer.actions, 1):
        which = f"{racer.name}, action {number} ({do.action()}) at {clock(elapsed_ms, tenths=True)}"
        if elapsed_ms < last_ms:
            return Finding(False, f"{which}: it comes before the one before it.")
        if elapsed_ms > length_ms:
            return Finding(False, f"{which}: the race was over at {clock(length_ms, tenths=True)}.")
        after = game.play(now, do.action())
        if isinstance(after, Refusal):
            return Finding(False, f"{which}: {after.text} ({after.reason})")
        if after.table.cards_home != now.table.cards_home:
            home_at_ms = elapsed_ms
        now, last_ms = after, elapsed_ms
    if now.won is not (racer.status == "finished"):
        has = f"{now.table.cards_home} of 52 cards home"
        return Finding(False, f"{racer.name} is given as {racer.status.replace('_', ' ')}, with {has}.")
    if racer.status == "never_played" and racer.actions:
        return Finding(False, f"{racer.name} is given as never played, with {len(racer.actions)} actions.")
    score = start.rules.scoring.shown(now.score)
    return _Ridden(racer, now.table.cards_home, now.moves, score, last_ms, home_at_ms)


def _told(ridden: _Ridden) -> Finding:
    racer, time = ridden.racer, clock(ridden.elapsed_ms, tenths=True)
    return Finding(
        True,
        f"{racer.name}: {len(racer.actions)} actions, all legal; {racer.status.replace('_', ' ')}, "
        f"place {racer.place}, {ridden.home} cards home, score {ridden.score}, {ridden.moves} moves, {time}.",
    )


def _places(ridden: Iterable[_Ridden]) -> Finding:
    """Whether the places follow from what was ridden."""

    def merit(one: _Ridden) -> tuple[int, ...]:
        rank = _RANKS.get(one.racer.status, len(_RANKS))
        if rank == 0:
            return rank, one.elapsed_ms
        return rank, -one.home, one.home_at_ms, one.moves

    ranking = sorted(ridden, key=merit)
    for one in ranking:
        place = 1 + sum(merit(other) < merit(one) for other in ranking)
        if one.racer.place != place:
            return Finding(False, f"{one.racer.name} has place {one.racer.place}, but should have {place}.")
    winners = [one.racer.name for one in ranking if one.racer.place == 1 and one.racer.status == "finished"]
    won = f"won by {' and '.join(winners)}" if winners else "won by no one"
    return Finding(True, f"The places are right: {won}.")
