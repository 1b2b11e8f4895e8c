"""Bots of every skill on a real server: they get ready, race to their end, and leave."""

import asyncio
import random
from typing import Any

from stampede.client_cli.bots.mind import Mind
from stampede.client_cli.bots.rider import Rider
from stampede.client_cli.bots.skills import Skill, mind_of
from stampede.patience.variants import CATALOGUE
from stampede.protocol.client import Client
from stampede.protocol.commands import Open, Settings, Start
from stampede.protocol.events import RoomPicture
from stampede.protocol.sight import Sight

from .servers import PATIENCE_S, Server


async def ridden(url: str, room: str, skill: Skill, passphrase: str | None = None) -> Sight:
    """One bot's race, without pauses."""
    chance = random.Random(skill)

    def mind(seen: RoomPicture) -> Mind:
        assert seen.deal.code is not None
        return mind_of(skill, CATALOGUE[seen.deal.variant], chance, pace_s=0)

    async with Client(url, skill.value, kind="bot") as client:
        return await Rider(client, mind, pace_s=0, chance=chance).ride(room, passphrase)


async def raced(url: str, deal: str, **chosen: Any) -> list[Sight]:
    """A race of all skills on a deal."""
    async with Client(url, "Host") as host, asyncio.timeout(5 * PATIENCE_S):
        settings = Settings(capacity=len(Skill), start="host", countdown_s=0, tail_s=3600, **chosen)
        await host.ask(Open(deal=deal, settings=settings, role="watcher"))
        assert host.sight.room is not None
        room = host.sight.room.id
        riding = [asyncio.ensure_future(ridden(url, room, skill, chosen.get("passphrase"))) for skill in Skill]
        await host.until(lambda sight: sum(entrant.status == "ready" for entrant in _all(sight)) == len(Skill))
        await host.ask(Start())
        return await asyncio.gather(*riding)


def _all(sight: Sight) -> list[Any]:
    return list(sight.room.entrants) if sight.room is not None else []


async def test_they_race_to_the_end_and_the_expert_wins_what_can_be_won() -> None:
    with Server("--log", "memory:", "--provers", "0") as server:
        sights = await raced(server.url, "YU1-R-AAAAAAB")
    ends = {sight.me.name: sight.me.status for sight in sights if sight.me is not None}
    assert set(ends) == set(Skill)
    assert set(ends.values()) <= {"finished", "forfeited"}
    assert ends["expert"] == "finished"
    assert all(sight.result is not None for sight in sights)


async def test_in_a_sealed_room_with_a_talon_and_no_undo_they_race_just_the_same() -> None:
    with Server("--log", "memory:", "--provers", "0") as server:
        sights = await raced(server.url, "KL1-D3V", sealed=True, undo=0, passphrase="sesame")
    assert {sight.me.status for sight in sights if sight.me is not None} <= {"finished", "forfeited"}
