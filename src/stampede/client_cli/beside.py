"""Two pictures side by side, where there is room for that."""

from typing import Final

from rich.console import Group, RenderableType
from rich.measure import Measurement
from rich.table import Table

from stampede.client_cli.terminal import SafeConsole

_GAP: Final = 4


def beside(console: SafeConsole, left: RenderableType, right: RenderableType) -> RenderableType:
    """`right` beside `left`, or below it where the terminal is too narrow for both."""
    widths = (Measurement.get(console, console.options, one).maximum for one in (left, right))
    if sum(widths) + _GAP > console.width:
        return Group(left, right)
    pair = Table.grid(padding=(0, _GAP))
    pair.add_row(left, right)
    return pair
