"""Problems: every error and close code, and whose fault each is."""

from enum import Enum, IntEnum, StrEnum

from msgspec import UNSET, Struct, UnsetType

from stampede.patience.errors import Reason, Refusal


class Fault(Enum):
    """Who can do something about it."""

    PLAYER = "player"
    """Something else should be played or typed."""
    CLIENT = "client"
    """The program that sent it has a mistake."""
    SERVER = "server"
    """The server or its operator; trying again later may help."""


class Code(StrEnum):
    """Error codes beyond the refusals of the game (`patience.errors.Reason`); the two together are all there are."""

    RACE_NOT_STARTED = "race.not_started"
    RACE_OVER = "race.over"
    RACE_NOT_OVER = "race.not_over"
    RACE_NOT_RACING = "race.not_racing"
    RACE_OUT_OF_STEP = "race.out_of_step"
    ROOM_UNKNOWN = "room.unknown"
    ROOM_FULL = "room.full"
    ROOM_STARTED = "room.started"
    ROOM_PASSPHRASE = "room.passphrase"
    ROOM_NAME_TAKEN = "room.name_taken"
    ROOM_EMPTY = "room.empty"
    ROOM_NOT_HOST = "room.not_host"
    ROOM_NOT_IN_ONE = "room.not_in_one"
    ROOM_IN_ANOTHER = "room.in_another"
    ROOM_BOTS_NOT_ALLOWED = "room.bots_not_allowed"
    ROOM_NO_CHAT = "room.no_chat"
    DEAL_BAD_CODE = "deal.bad_code"
    DEAL_BAD_VARIANT = "deal.bad_variant"
    HELLO_FIRST = "hello.first"
    HELLO_TWICE = "hello.twice"
    HELLO_BAD_NAME = "hello.bad_name"
    HELLO_BAD_TOKEN = "hello.bad_token"
    MESSAGE_UNKNOWN_TYPE = "message.unknown_type"
    MESSAGE_BAD_FIELD = "message.bad_field"
    LIMIT_RATE = "limit.rate"
    LIMIT_CONNECTIONS = "limit.connections"
    LIMIT_ROOMS = "limit.rooms"
    LIMIT_WATCHERS = "limit.watchers"
    SERVER_STORAGE = "server.storage"
    SERVER_NO_DEAL = "server.no_deal"
    SERVER_GOING_DOWN = "server.going_down"
    SERVER_INTERNAL = "server.internal"


_CLIENTS = frozenset(
    {
        Code.RACE_OUT_OF_STEP,
        Code.HELLO_FIRST,
        Code.HELLO_TWICE,
        Code.HELLO_BAD_TOKEN,
        Code.MESSAGE_UNKNOWN_TYPE,
        Code.MESSAGE_BAD_FIELD,
        Code.LIMIT_RATE,
        Code.LIMIT_CONNECTIONS,
    }
)


def fault(code: Code | Reason) -> Fault:
    """Whose fault a code is."""
    if code in _CLIENTS:
        return Fault.CLIENT
    return Fault.SERVER if code.startswith("server.") else Fault.PLAYER


class Close(IntEnum):
    """Codes with which the server closes a connection."""

    WRONG_FRAME_TYPE = 1003
    UNDECODABLE = 1007
    TOO_BIG = 1009
    RESTART = 1012
    TAKEN_OVER = 4001
    TOO_SLOW = 4002
    TOO_MANY_COMMANDS = 4003
    NO_HELLO = 4004
    IDLE = 4005


class Problem(Struct, frozen=True, gc=False):
    """Why a command was not done: a code, a sentence that says what would be right, and the facts in it."""

    code: Code | Reason
    text: str
    data: dict[str, str | int] | UnsetType = UNSET
    retry_ms: int | UnsetType = UNSET

    @classmethod
    def of(cls, refusal: Refusal) -> "Problem":
        """A refusal of the game as a problem."""
        return cls(refusal.reason, refusal.text, refusal.facts or UNSET)


def bad_field(field: str, expected: str) -> Problem:
    """`message.bad_field`: the culprit's path, like `settings.undo`, and what was expected there."""
    where = f"The field {field} is wrong" if field else "The message is wrong"
    return Problem(Code.MESSAGE_BAD_FIELD, f"{where}: {expected}.", {"field": field, "expected": expected})
