"""A process that appends without end to a SQLite log and writes down what was acknowledged; killed by its test.

Usage: `appender.py PATH LEDGER ROUND`. Several writers append one or two facts at a time, each to its own stream.
"""

import asyncio
import sys

from stampede.server.log.sqlite import SqliteLog


async def append(path: str, ledger: str, round_: str) -> None:
    log = await SqliteLog.open(path)
    with open(ledger, "a", buffering=1) as acknowledged:

        async def write(writer: int) -> None:
            number = 0
            while True:
                facts = [f"{round_} {writer} {number + more}".encode() for more in range(1 + number % 2)]
                number += len(facts)
                for entry in await log.append(f"room:{writer}", facts):
                    acknowledged.write(f"room:{writer} {entry.id} {entry.fact.decode()}\n")

        print("ready", flush=True)
        await asyncio.gather(*map(write, range(8)))


asyncio.run(append(*sys.argv[1:4]))
