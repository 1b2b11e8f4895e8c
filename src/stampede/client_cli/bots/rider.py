"""A rider: takes a mind through one race."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from stampede.client_cli.bots import tempo
from stampede.client_cli.bots.mind import Mind
from stampede.patience.cards import DECK
from stampede.patience.game import Action
from stampede.protocol.client import Client
from stampede.protocol.commands import Forfeit, Join, Leave, Ping, Ready
from stampede.protocol.events import RoomPicture
from stampede.protocol.link import ClientError, Refused
from stampede.protocol.sight import Sight


class Rider:
    """Races in one room: gets ready, plays as its mind says, at its pace, and leaves after the result.

    The mind thinks beside the event loop, so that the line stays alive meanwhile; its thinking is part of the pause.
    """

    def __init__(
        self,
        client: Client,
        mind_of: Callable[[RoomPicture], Mind],
        *,
        pace_s: float,
        chance: random.Random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._pace_s = pace_s
        self._chance = chance
        self._sleep = sleep
        self._mind_of = mind_of
        self._barred: tuple[int, set[Action]] = (0, set())

    async def ride(self, room: str, passphrase: str | None = None) -> Sight:
        """Race to the end and return what is known then; raises `ClientError`."""
        client = self._client
        await client.ask(Join(room=room, passphrase=passphrase))
        mind: Mind | None = None
        while True:
            sight = await client.until(_has_to_act)
            if sight.room is None:
                raise ClientError(f"The seat in room {room} is lost.")
            if sight.over:
                # The phase may be told just before the result: by the answer to a ping, both have been heard.
                await client.ask(Ping())
                end = client.sight
                await _leave(client)
                return end
            if not sight.racing:
                await client.ask(Ready(ready=True))
                await client.until(lambda sight: not _may_get_ready(sight))
                continue
            mind = mind or self._mind_of(sight.room)
            await self._act(mind)

    async def _act(self, mind: Mind) -> None:
        sight = self._client.sight
        if not sight.racing or sight.board is None:
            return
        n, barred = self._barred
        if n != sight.board.n:
            self._barred = n, barred = sight.board.n, set()
        began = self._client.now()
        action = await asyncio.to_thread(mind.choose, sight.board, barred)
        pause_s = tempo.pause_s(self._pace_s, action, self._chance)
        await self._sleep(max(0.0, pause_s - (self._client.now() - began)))
        if not self._client.sight.racing or self._client.sight.board != sight.board:
            return  # the race, or the table, has changed meanwhile
        try:
            if action is None:
                await self._client.ask(Forfeit())
                await self._client.until(lambda sight: not sight.racing)
            else:
                await self._client.play(action)
        except Refused as refused:
            if refused.code.startswith(("move.", "draw.", "undo.")) and action is not None:
                barred.add(action)
            elif refused.code.startswith(("limit.", "server.")):
                await self._sleep(refused.retry_s or 1.0)
            elif not refused.code.startswith(("race.", "game.")):
                raise


def _may_get_ready(sight: Sight) -> bool:
    in_lobby = sight.room is not None and sight.room.phase == "lobby"
    return in_lobby and sight.me is not None and sight.me.status == "waiting"


def _has_to_act(sight: Sight) -> bool:
    return sight.room is None or sight.over or _may_move(sight) or _may_get_ready(sight)


def _may_move(sight: Sight) -> bool:
    """Whether there is something to play; with all cards home there is not, also before the finish is told."""
    return sight.racing and sight.board is not None and sum(sight.board.home.values()) < len(DECK)


async def _leave(client: Client) -> None:
    try:
        await client.ask(Leave())
    except ClientError:
        return  # the race is over; nothing depends on it
