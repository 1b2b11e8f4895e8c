"""The line to a server, for a command: as someone who may come back, or as a passer-by."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stampede.client_cli.failure import USAGE, Failure
from stampede.client_cli.identity import Tokens, state_directory
from stampede.client_cli.options import Who
from stampede.protocol.client import Client
from stampede.protocol.commands import Kind
from stampede.protocol.link import Refused


@asynccontextmanager
async def as_player(who: Who) -> AsyncIterator[Client]:
    """A line as the player known by the token kept for this server and name; a new token is kept."""
    tokens = Tokens(state_directory())
    token = None if who.fresh else tokens.get(who.url, who.name)
    async with _line(who, token) as client:
        if not who.fresh and client.token is not None and client.token != token:
            tokens.keep(who.url, who.name, client.token)
        yield client


@asynccontextmanager
async def passing_by(who: Who, kind: Kind = "human") -> AsyncIterator[Client]:
    """A line as someone new, who takes over from no one and leaves no trace."""
    async with _line(who, None, kind) as client:
        yield client


@asynccontextmanager
async def _line(who: Who, token: str | None, kind: Kind = "human") -> AsyncIterator[Client]:
    client = Client(who.url, who.name, token=token, kind=kind)
    try:
        await client.__aenter__()
    except ValueError as error:
        raise Failure(str(error), USAGE) from error
    except Refused as refused:
        if refused.code != "hello.bad_token":
            raise
        raise Failure(f"{refused} Try again with --fresh.") from refused
    try:
        yield client
    finally:
        await client.__aexit__(None, None, None)
