"""Sources of settings: flags, then the environment, then a TOML file, then defaults; and where each value came from.

What cannot be understood is refused with a sentence that names the culprit: a setting that was misspelt, and is
silently not set, costs more than a server that does not start.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from cyclopts import App, CycloptsError
from cyclopts.argument import ArgumentCollection
from cyclopts.config import Dict, Env

from stampede.server.settings import Settings, masked

PREFIX: Final = "STAMPEDE_"
NAMES: Final = tuple(field.name for field in fields(Settings))
NOT_OURS: Final = frozenset(
    {"STAMPEDE_URL", "STAMPEDE_NAME", "STAMPEDE_PASSPHRASE", "STAMPEDE_SOLVER", "STAMPEDE_SERVER"}
)
"""What the environment may hold for the player's program, the solver, and load generators that start a server."""


class Environment(Env):
    """`STAMPEDE_` and a setting's name in capitals."""

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Fill in what no flag gave."""
        for name in sorted(os.environ):
            setting = name.removeprefix(PREFIX).lower()
            if name.startswith(PREFIX) and name not in NOT_OURS and setting not in NAMES:
                raise CycloptsError(msg=f"The environment sets {name}, which is no setting.{_meant(setting, PREFIX)}")
        super().__call__(app, commands, arguments)


class File:
    """The TOML file that `--config` or `STAMPEDE_CONFIG` names."""

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Fill in what neither a flag nor the environment gave."""
        path = next(
            (token.value for argument in arguments if argument.name == "--config" for token in argument.tokens), ""
        )
        if path:
            Dict(read_file(path), source=path, use_commands_as_keys=False)(app, commands, arguments)


class Witness:
    """Remembers where each setting came from."""

    def __init__(self) -> None:
        self.sources: dict[str, str] = {}

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        """Look, and change nothing."""
        self.sources = {}
        for argument in arguments:
            if not argument.tokens:
                continue
            token = argument.tokens[0]
            match token.source:
                case "cli":
                    source = f"flag {argument.name}"
                case "env":
                    source = f"environment {token.keyword}"
                case file:
                    source = f"file {file}"
            self.sources[argument.name.removeprefix("--").replace("-", "_")] = source


def read_file(path: str) -> dict[str, Any]:
    """The settings in a TOML file. Raises `CycloptsError` with a sentence for the operator."""
    try:
        with Path(path).open("rb") as file:
            content = tomllib.load(file)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CycloptsError(msg=f"The settings file {path} cannot be read: {reason}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CycloptsError(msg=f"The settings file {path} is not TOML: {error}.") from None
    for name, value in content.items():
        if name == "config":
            raise CycloptsError(
                msg=f"The settings file {path} sets config: only a flag or the environment names a file."
            )
        if name not in NAMES:
            raise CycloptsError(msg=f"The settings file {path} sets {name}, which is no setting.{_meant(name)}")
        if isinstance(value, dict):
            raise CycloptsError(msg=f"The settings file {path} has a table {name}; a value is expected there.")
    return content


def listed(settings: Settings, sources: Mapping[str, str]) -> str:
    """All settings as TOML, each with where it came from; passwords masked."""
    lines = []
    for name in NAMES:
        value = getattr(settings, name)
        told = f"# {name} is not set" if value is None else f"{name} = {_toml(value)}"
        if name == "config" and value is not None:
            told = f"# {told}"  # a file cannot name another one
        lines.append((told, sources.get(name, "default")))
    width = max(len(told) for told, _ in lines)
    return "\n".join(f"{told:{width}}  # {source}" for told, source in lines)


def _toml(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(masked(str(value)), ensure_ascii=False)


def _meant(name: str, prefix: str = "") -> str:
    close = get_close_matches(name, NAMES, 1)
    if not close:
        return " See --help for all there are."
    return f" Did you mean {prefix + close[0].upper() if prefix else close[0]}?"
