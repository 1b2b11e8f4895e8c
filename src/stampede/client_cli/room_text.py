"""A room in a few lines, for someone who has just come in."""

from stampede.client_cli.card_text import clock
from stampede.client_cli.printable import printable
from stampede.patience.variants import CATALOGUE
from stampede.protocol.events import RoomPicture


def room_text(room: RoomPicture) -> str:
    """The room, its deal and its settings."""
    settings, deal = room.settings, room.deal
    rules = CATALOGUE.get(deal.variant)
    title = f" ({printable(settings.title)})" if settings.title else ""
    lines = [f"Room {printable(room.id)}{title}: {rules.title if rules else printable(deal.variant)}."]
    if isinstance(deal.code, str):
        lines.append(f"Deal {printable(deal.code)}.")
    elif isinstance(deal.commitment, str):
        lines.append(f"A sealed deal: its code has the SHA-256 {printable(deal.commitment)}.")
    if isinstance(settings.grade, str):
        lines.append(f"Grade: {settings.grade}.")
    facts = [
        f"{settings.capacity} racers at most",
        f"undo {settings.undo}" if settings.undo else "no undo",
        f"limit {clock(settings.limit_s * 1000)}",
        "winnable" if settings.winnable else "not known to be winnable",
    ]
    facts += ["no bots"] * (not settings.bots) + ["no chat"] * (not settings.chat)
    lines.append(f"{', '.join(facts)}.".capitalize())
    return "\n".join(lines)


def how_to_start(room: RoomPicture, *, host: bool) -> str:
    """What has to be typed for the race to begin."""
    if room.settings.start == "host":
        return "Type start when all are here." if host else "Type ready; the host starts the race."
    begin = "it begins" if room.settings.capacity == 1 else "it begins once all are, two at least"
    return f"Type ready when you are: {begin}{'; or start to begin at once' if host else ''}."
