"""The terms of a deal: what was chosen of `winnable` and `grade`, and what that comes to."""

from msgspec import UNSET
from msgspec.structs import replace

from stampede.patience.codes import Code
from stampede.protocol.commands import Settings
from stampede.protocol.problems import Problem, bad_field
from stampede.server.hall.dealer import Dealer


def agreed(dealer: Dealer, variant: str, code: Code | None, chosen: Settings) -> Settings | Problem:
    """The settings with `winnable` decided, or what cannot be had. `code` is the deal that was named, if one was."""
    if code is not None:
        if chosen.winnable is True:
            return bad_field("settings.winnable", "expected to be left out where a deal is named, as nobody proves it")
        if chosen.grade is not None:
            return bad_field("settings.grade", "expected to be left out where a deal is named")
        return replace(chosen, winnable=False)
    if chosen.grade is not None and chosen.winnable is False:
        return bad_field("settings.grade", "expected to be left out where the deal need not be winnable")
    if chosen.winnable is False:
        return chosen
    if dealer.proves(variant, chosen.grade, sealed=chosen.sealed):
        return replace(chosen, winnable=True)
    kind = f"{'sealed' if chosen.sealed else 'open'} deals of {variant}"
    if chosen.winnable is not UNSET and not dealer.proves(variant, None, sealed=chosen.sealed):
        return bad_field("settings.winnable", f"expected false: there are no proven {kind} here")
    if chosen.grade is not None:
        return bad_field("settings.grade", f"expected another, or none: there are no proven {kind} of that grade here")
    return replace(chosen, winnable=False)


def again(dealer: Dealer, variant: str, before: Settings) -> Settings:
    """The settings of a rematch: the same, but for a promise that this server cannot keep (another opened the room)."""
    if before.winnable is True and not dealer.proves(variant, before.grade, sealed=before.sealed):
        return replace(before, winnable=False, grade=None)
    return before
