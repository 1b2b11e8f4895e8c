"""A racer that knows no rules and asks where cards may go: `python client.py [ROOM]` joins a room, or opens one."""

import asyncio
import json
import os
import sys

from websockets.asyncio.client import connect
from websockets.client import process_exception
from websockets.exceptions import ConnectionClosed

URL = os.environ.get("STAMPEDE_URL", "ws://127.0.0.1:7117/ws")


class Refused(Exception):
    """The server will not have us; its text says why."""


def told(error):
    """Say why there is no connection; whether it is worth trying again, `websockets` knows."""
    print(f"{URL}: {error}", file=sys.stderr, flush=True)
    return process_exception(error)


class Racer:
    """A seat in a race, kept over any number of connections."""

    def __init__(self, name, room=None):
        self.name, self.room = name, room
        self.token = self.board = self.result = None
        self.tried, self.last_id = set(), 0

    async def race(self):
        """Race to the end, and return the result."""
        async for self.socket in connect(URL, subprotocols=["stampede.v1.json"], process_exception=told):
            try:
                self.token = (await self.ask("hello", name=self.name, kind="bot", token=self.token))["token"]
                await (self.ask("join", room=self.room) if self.room else self.ask("open", deal="YU1-C"))
                await self.ask("ready", ready=True)
                while self.result is None:
                    await (self.move() if self.board else self.hear())
                return self.result
            except ConnectionClosed:
                continue  # connects again, a little later each time; hello with the token and join give the seat back

    async def move(self):
        """Bring a card home or turn one up; else do something new; else give up."""
        spare = None
        for at, column in enumerate(self.board["columns"]):
            for below, card in zip(["", *column], column, strict=False):
                targets = {} if card == "--" else await self.ask("targets", card=card)
                for to in targets.get("to", ()):
                    if to == "home" or below == "--":
                        return await self.ask("play", n=self.board["n"] + 1, do={"move": card, "to": to})
                    spare = spare if (card, at, to) in self.tried else (card, at, to)
        if spare is None:
            self.board = None
            return await self.ask("forfeit")
        self.tried.add(spare)
        return await self.ask("play", n=self.board["n"] + 1, do={"move": spare[0], "to": spare[2]})

    async def ask(self, command, **fields):
        """Send a command and return its answer; what comes in between is heard too."""
        self.last_id += 1
        await self.socket.send(json.dumps({"type": command, "id": self.last_id, **fields}))
        while (answer := await self.hear()).get("re") != self.last_id:
            pass
        if "retry_ms" in answer:  # too fast, or the server cannot do it just now
            await asyncio.sleep(answer["retry_ms"] / 1000)
            return await self.ask(command, **fields)
        if answer["type"] == "error" and command in ("hello", "open", "join"):
            raise Refused(answer["text"])
        return answer

    async def hear(self):
        """Hear one message, and overwrite what it changes."""
        event = json.loads(await self.socket.recv())
        if event["type"] == "room":
            self.room = event["room"]["id"]
            print(f"{self.name} is in room {self.room}", flush=True)
        elif event["type"] == "board":
            self.board = event
        elif event["type"] == "played":
            self.board["n"] = event["n"]
            for column, cards in event["changed"].get("columns", {}).items():
                self.board["columns"][int(column) - 1] = cards
        elif event["type"] == "result":
            self.result = event
        return event


if __name__ == "__main__":
    try:
        result = asyncio.run(Racer(f"Racer {os.getpid()}", *sys.argv[1:2]).race())
    except Refused as refused:
        sys.exit(str(refused))
    for row in result["standings"]:
        print(f"{row['place']}. {row['name']}: {row['status']}, {row['home']} cards home in {row['moves']} moves")
