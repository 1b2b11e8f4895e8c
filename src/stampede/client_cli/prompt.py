"""The prompt: news above it, what is typed on it."""

from rich.console import RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from stampede.client_cli.terminal import SafeConsole


class Prompt:
    """Prints lines, and where a person types, a prompt that stays below them."""

    def __init__(self, console: SafeConsole, *, person: bool) -> None:
        self.console = console
        self._shows = person and console.is_terminal
        self._open = False

    def ask(self) -> None:
        """Wait for a line to be typed."""
        if self._shows and not self._open:
            self.console.print("> ", end="")
            self._open = True

    def entered(self) -> None:
        """A line was typed, so the prompt has scrolled away."""
        self._open = False

    def leave(self) -> None:
        """Nothing more will be typed: what follows, the shell's own prompt too, begins a line."""
        if self._open:
            self.console.print()
            self._open = False

    def tell(self, what: RenderableType, style: str = "") -> None:
        """Print something above the prompt."""
        asks = self._open
        if asks:
            if self.console.is_dumb_terminal:
                self.console.print()
            else:
                self.console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._open = False
        self.console.print(Text(what, style) if isinstance(what, str) else what)
        if asks:
            self.ask()
