"""The program `stampede-server`."""

import sys

import uvloop
from cyclopts import App
from cyclopts.config import Env

from stampede import __version__
from stampede.server.app import serve
from stampede.server.gate.door import CannotListen
from stampede.server.log.port import LogUnusable
from stampede.server.settings import Settings

app = App(
    name="stampede-server",
    help="A race server for patience: one deal, many players, every move judged.",
    version=__version__,
    config=Env("STAMPEDE_", command=False),
)


@app.default
def run(settings: Settings | None = None) -> None:
    """Run a server.

    Every flag can be given by environment too: `STAMPEDE_` and its name in capitals, `STAMPEDE_PORT` for `--port`.
    """
    try:
        uvloop.run(serve(settings or Settings()))
    except (LogUnusable, CannotListen) as error:
        print(f"stampede-server: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def main() -> None:
    """The console script."""
    app()


if __name__ == "__main__":
    main()
