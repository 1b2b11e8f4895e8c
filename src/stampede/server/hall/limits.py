"""Limits: how much one player may ask for. All in one place; a rate or a number of 0 means no limit."""

from msgspec import Struct

from stampede.protocol import commands
from stampede.protocol.events import Limits as TheLimits


class Limits(Struct, frozen=True, kw_only=True):
    """What the operator allows; texts and frames have their limits in `protocol.commands`."""

    commands_per_s: int = 20
    """Of one connection, on average."""
    connections_per_address: int = 64
    rooms_per_player: int = 20
    """Rooms opened by one player that are not over."""
    watchers_per_room: int = 1000

    @property
    def commands_burst(self) -> int:
        """Commands at once."""
        return 2 * self.commands_per_s

    def told(self) -> TheLimits:
        """As `welcome` tells them."""
        return TheLimits(
            commands_per_s=self.commands_per_s,
            commands_burst=self.commands_burst,
            connections_per_address=self.connections_per_address,
            rooms_per_player=self.rooms_per_player,
            watchers_per_room=self.watchers_per_room,
            command_bytes=commands.COMMAND_BYTES,
            name_graphemes=commands.NAME_GRAPHEMES,
            say_characters=commands.SAY_CHARACTERS,
            title_characters=commands.TITLE_CHARACTERS,
            passphrase_characters=commands.PASSPHRASE_CHARACTERS,
        )
