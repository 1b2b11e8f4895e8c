"""Options that several commands share."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number
from msgspec import UNSET

from stampede.client_cli.identity import default_name
from stampede.protocol.commands import Grade, Settings

DEFAULT_URL = "ws://127.0.0.1:7117/ws"

_SERVER = Group("Server", sort_key=3)
_ROOM = Group("Room", sort_key=2)

Url = Annotated[str, Parameter(name="--url", env_var="STAMPEDE_URL", group=_SERVER, help="The server's address.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Who:
    """The server, and who one is there."""

    url: Url = DEFAULT_URL
    name: Annotated[
        str,
        Parameter(env_var="STAMPEDE_NAME", group=_SERVER, help="Your name; your login name unless given."),
    ] = field(default_factory=default_name)
    fresh: Annotated[
        bool,
        Parameter(negative="", group=_SERVER, help="Be a new player, not the one who was here under this name before."),
    ] = False


@Parameter(name="*", group=_ROOM)
@dataclass(frozen=True)
class RoomOptions:
    """What can be chosen for a room; the same words as on the wire."""

    sealed: Annotated[
        bool, Parameter(negative="", help="A deal no one can know before the race is over; its code is told then.")
    ] = False
    winnable: Annotated[
        bool | None,
        Parameter(help="Only a deal proven winnable; so it is unless refused, where such deals are known."),
    ] = None
    grade: Annotated[Grade | None, Parameter(help="How hard the deal is to win.")] = None
    undo: Annotated[
        int, Parameter(validator=Number(gte=0, lte=100), help="How many moves in a row can be taken back.")
    ] = 100
    capacity: Annotated[int, Parameter(validator=Number(gte=1, lte=100), help="Racers at most.")] = 8
    countdown_s: Annotated[int, Parameter(validator=Number(gte=0, lte=60), help="Seconds of countdown.")] = 5
    start: Annotated[
        Literal["host", "all_ready"], Parameter(help="Who starts the race: you, or all by being ready.")
    ] = "all_ready"
    limit_s: Annotated[
        int, Parameter(validator=Number(gte=60, lte=86_400), help="Seconds after which the race ends at the latest.")
    ] = 3600
    tail_s: Annotated[
        int,
        Parameter(validator=Number(gte=0, lte=86_400), help="Seconds the others may go on after the first finish."),
    ] = 300
    listed: Annotated[bool, Parameter(negative="", help="Show the room in `stampede rooms`.")] = False
    passphrase: Annotated[
        str | None, Parameter(env_var="STAMPEDE_PASSPHRASE", help="Let in only who knows this passphrase.")
    ] = None
    bots: Annotated[bool, Parameter(help="Whether bots may race.")] = True
    chat: Annotated[bool, Parameter(help="Whether people in the room may chat.")] = True
    title: Annotated[str, Parameter(help="What to call the room.")] = ""

    def settings(self) -> Settings:
        """The same for the wire."""
        return Settings(
            sealed=self.sealed,
            winnable=UNSET if self.winnable is None else self.winnable,
            grade=self.grade,
            undo=self.undo,
            capacity=self.capacity,
            countdown_s=self.countdown_s,
            start=self.start,
            limit_s=self.limit_s,
            tail_s=self.tail_s,
            listed=self.listed,
            passphrase=self.passphrase,
            bots=self.bots,
            chat=self.chat,
            title=self.title,
        )
