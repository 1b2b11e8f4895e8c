"""The command line: all commands, and what they have in common."""

from cyclopts import App

from stampede import __version__
from stampede.client_cli.failure import EXIT_CODES
from stampede.client_cli.words import bots, deals, races, seats, shows, solving

HELP = f"""Race your friends at patience: one deal, everyone the same cards, the first with all 52 home wins.

A server is started with stampede-server; commands find it by --url or STAMPEDE_URL.

{EXIT_CODES}
"""


def command_line() -> App:
    """The application with all its commands."""
    app = App(name="stampede", help=HELP, help_format="plaintext", version=__version__)
    for words in (seats, bots, deals, solving, races, shows):
        words.add_to(app)
    return app
