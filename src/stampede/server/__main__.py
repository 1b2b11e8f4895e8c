"""The program `stampede-server`."""

import sys
from typing import Annotated, Final, NoReturn

import uvloop
from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

from stampede import __version__
from stampede.server import journal, sources
from stampede.server.app import serve
from stampede.server.doctor.examination import examine
from stampede.server.doctor.health import ask_health
from stampede.server.gate.sockets import CannotListen
from stampede.server.log.port import LogUnusable, StorageError
from stampede.server.open_files import raise_open_files
from stampede.server.settings import Settings, masked

REFUSED: Final = 2
"""Exit code where the settings are wrong, or cannot be had here."""

witness: Final = sources.Witness()

app = App(
    name="stampede-server",
    help="A race server for patience: one deal, many players, every move judged.",
    version=__version__,
    config=[sources.Environment(sources.PREFIX, command=False), sources.File(), witness],
    help_epilogue=(
        "Every setting can be given by flag, by environment (STAMPEDE_ and its name in capitals), or in the TOML file "
        "that --config names: the first of them wins. Exit codes: 0 went down as asked, 1 something is wrong (doctor, "
        "health), 2 the settings are wrong."
    ),
)


Ready = Annotated[
    bool, Parameter(negative=(), show_env_var=False, help="Ask whether it can take part in races, instead.")
]


@app.default
def run(settings: Settings | None = None) -> None:
    """Run a server; SIGTERM or SIGINT sees everyone out and ends it."""
    settings = settings or Settings()
    journal.open_journal(settings.log_level, settings.log_format)
    raise_open_files()
    try:
        uvloop.run(serve(settings))
    except (LogUnusable, StorageError, CannotListen) as error:
        _refuse(error)


@app.command
def config(settings: Settings | None = None) -> None:
    """Show every setting, and where its value comes from; secrets masked. The output can serve as a TOML file."""
    print(sources.listed(settings or Settings(), witness.sources))


@app.command
def doctor(settings: Settings | None = None) -> None:
    """Look at this machine, and at the log of these settings, and say what is wrong; exit code 1 if anything is."""
    settings = settings or Settings()
    findings = examine(settings)
    for finding in findings:
        print(finding.line)
    raise SystemExit(any(finding.grave for finding in findings))


@app.command
def health(settings: Settings | None = None, *, ready: Ready = False) -> None:
    """Ask the server that runs with these settings whether it is alive; exit code 1 if it is not."""
    settings = settings or Settings()
    well, told = ask_health(settings.host, settings.port, "/readyz" if ready else "/livez")
    print(told)
    raise SystemExit(not well)


def _refuse(error: Exception) -> NoReturn:
    print(f"stampede-server: {masked(' '.join(str(error).split()))}", file=sys.stderr)
    raise SystemExit(REFUSED) from None


def main() -> None:
    """The console script."""
    try:
        app(sys.argv[1:], exit_on_error=False, print_error=False)
    except UnusedCliTokensError as error:
        known = ", ".join(name for name in app if not name.startswith("-"))
        unknown = " ".join(error.unused_tokens or ())
        _refuse(CycloptsError(msg=f"There is no command {unknown!r}. There are {known}; see --help."))
    except CycloptsError as error:
        _refuse(error)


if __name__ == "__main__":
    main()
