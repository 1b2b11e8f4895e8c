"""The leak test: two deals that agree on all a player has seen say the same to that player, byte for byte.

Played with whole visitors, at the level where messages are made: what the player, a rival and a watcher are told,
refusals and targets included, is compared in both encodings. The clock stands still, ids and codes are the same.
"""

import asyncio
import re
from itertools import count

import pytest

from server.hall.quiet_house import Guest, PromptTicker, open_house, settled
from server.race.plots import Plot, after, in_sight
from stampede.patience import game as games
from stampede.patience.cards import DECK, Card, spoken
from stampede.patience.codes import Code
from stampede.patience.game import Move, start
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import CATALOGUE
from stampede.protocol import commands as say
from stampede.protocol.codec import JSON
from stampede.protocol.events import Event, Played, TargetsAnswer
from stampede.server.hall import errands
from stampede.server.hall import house as houses

GAMES = 120
"""Pairs of deals for each variant."""
AT_ONCE = 25
"""Rooms that are played in one house at the same time; it is quicker so."""

_CARD = re.compile(rb'"([A2-9TJQK][SHDC])"')
_SPOKEN = re.compile("(?:10|[A2-9JQK])[♠♥♦♣]")
_CARDS = {spoken(card): card for card in DECK}


class Trio:
    """A room with a player, a rival and a watcher."""

    def __init__(self, plot: Plot, guests: list[Guest]) -> None:
        self.plot = plot
        self.player, self.rival, self.watcher = guests
        self.guests = {"player": self.player, "rival": self.rival}
        self.script = plot.script()
        self.over = False

    def step(self) -> None:
        """The next command of the script; an action is numbered by what was accepted so far."""
        who, command = next(self.script, (None, None))
        if who is None or command is None:
            self.over = True
            return
        guest = self.guests[who]
        if isinstance(command, say.Play):
            command = say.Play(n=guest.n + 1, do=command.do)
        guest.say(command)


class Dealt:
    """A dealer that deals what the plots say."""

    def __init__(self) -> None:
        self.next: Code | None = None

    async def deal(self, *_: object, **__: object) -> Code:
        assert self.next is not None
        return self.next


async def played(plots: list[Plot], deal: int, patch: pytest.MonkeyPatch) -> list[Trio]:
    """All plots, each in a room of its own, on the first or the second of their deals."""
    orders = {plot.code.payload: tuple(plot.orders[deal]) for plot in plots}
    patch.setattr(games, "dealing_order", lambda code: orders[code.payload])
    ids = count(1)
    patch.setattr(houses, "Ticker", lambda tally: PromptTicker())
    patch.setattr(errands, "new_room_id", lambda: f"room{next(ids)}")
    house = await open_house()
    dealer = Dealt()
    patch.setattr(house, "dealer", dealer)
    tables = []
    for at, plot in enumerate(plots):
        guests = [Guest(house, f"{name}{at}x") for name in ("Player", "Rival", "Watcher")]
        player, rival, watcher = guests
        for guest in guests:
            guest.say(say.Hello(name=guest.name, token=guest.token))
        settings = say.Settings(countdown_s=0, capacity=2, sealed=plot.sealed, winnable=False, tail_s=0)
        dealer.next = plot.code
        player.say(say.Open(deal=plot.rules.name if plot.sealed else str(plot.code), settings=settings))
        await settled(player)
        rival.say(say.Join(room=f"room{at + 1}"))
        watcher.say(say.Join(room=f"room{at + 1}", role="watcher"))
        await settled(*guests)
        player.say(say.Start())
        await settled(*guests)
        tables.append(Trio(plot, guests))
    while not all(table.over for table in tables):
        for table in tables:
            table.step()
        await settled(*(guest for table in tables for guest in table.guests.values()))
    for table in tables:
        for guest in (table.player, table.rival, table.watcher):
            guest.visitor.gone()
    await house.close()
    return tables


def cards_in(event: Event) -> set[Card]:
    data = JSON.encode(event)
    named = {found.decode() for found in _CARD.findall(data)}
    return named | {_CARDS[found] for found in _SPOKEN.findall(data.decode())}


def check_sight(table: Trio) -> None:
    """Each answer names only cards that lie face up right then, and the one the player asked for."""
    plot = table.plot
    game = start(plot.rules, plot.orders[0])
    doing = iter(plot.mine)
    for event in table.player.heard:
        asked = set[Card]()
        if isinstance(event, TargetsAnswer):
            asked = {event.card}
        elif isinstance(event, Played) or event.__struct_config__.tag == "error":
            action = next(doing)
            game = after(game, action)
            asked = {action.card} if isinstance(action, Move) and not isinstance(event, Played) else set()
        assert cards_in(event) <= in_sight(game.table) | asked, event


@pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
async def test_hidden_cards_make_no_difference_to_any_message(rules: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    told = differing = 0
    for first in range(0, GAMES, AT_ONCE):
        plots = [Plot(rules, number, sealed=number % 2 == 1) for number in range(first, first + AT_ONCE)]
        tables, others = [await played(plots, deal, monkeypatch) for deal in (0, 1)]
        for table, other in zip(tables, others, strict=True):
            assert table.player.written() == other.player.written()
            assert table.watcher.written() == other.watcher.written()
            check_sight(table)
            public = b"".join(text for text, _ in table.watcher.written())
            assert not _CARD.search(public)
            assert not _SPOKEN.search(public.decode())
            if table.plot.sealed:
                for guest in (table.player, table.rival, table.watcher):
                    heard = b"".join(part for both in guest.written() for part in both)
                    assert table.plot.code.payload.encode() not in heard
            told += len(table.player.heard) + len(table.watcher.heard)
            differing += table.plot.differ
        await asyncio.sleep(0)
    assert differing > 0.9 * GAMES
    assert told > 20 * GAMES
