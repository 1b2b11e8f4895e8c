"""The journal: JSON for machines, text for eyes, and no secret in either."""

import json
import subprocess
import sys

import pytest

from e2e.servers import Server, environment
from e2e.third_party import Client
from stampede.server.hall.players import new_token

SEALED = "YU1-C-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def written(code: str, form: str = "auto", level: str = "debug") -> str:
    """What a program writes that opens the journal."""
    opening = "import logging, structlog\nfrom stampede.server.journal import open_journal\n"
    opening += f"open_journal({level!r}, {form!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", opening + code], env=environment({}), capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout


def test_off_a_terminal_each_line_is_json() -> None:
    lines = written(
        "structlog.get_logger().info('said', player='é')\n"
        "logging.getLogger('library').warning('%s was heard', 'it')\n"
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    structlog.get_logger().exception('broke')\n"
    ).splitlines()
    said, heard, broke = map(json.loads, lines)
    assert (said["event"], said["level"], said["player"]) == ("said", "info", "é")
    assert said["timestamp"].endswith("Z")
    assert (heard["event"], heard["level"], heard["logger"]) == ("it was heard", "warning", "library")
    assert "ZeroDivisionError" in broke["exception"]


def test_text_is_for_eyes() -> None:
    assert "said" in written("structlog.get_logger().info('said')\nlogging.getLogger('x').error('heard')", "text")


@pytest.mark.parametrize(("level", "lines"), [("debug", 3), ("info", 2), ("warning", 1), ("error", 0)])
def test_it_begins_at_its_level(level: str, lines: int) -> None:
    code = "log = structlog.get_logger()\nlog.debug('a')\nlog.info('b')\nlog.warning('c')"
    assert len(written(code, level=level).splitlines()) == lines


@pytest.mark.parametrize("form", ["json", "text"])
def test_what_looks_like_a_secret_is_blotted_out(form: str) -> None:
    token = new_token()
    output = written(
        f"token, code = {token!r}, {SEALED!r}\n"
        "log = structlog.get_logger()\n"
        "log.info('x', token=token, address='redis://ann:sesame@h/0')\n"
        "logging.getLogger('x').warning('sealed %s', code)\n"
        "try:\n    raise ValueError(token + ' ' + code)\nexcept ValueError:\n    log.exception('y')\n",
        form,
    )
    for secret in (token, SEALED, "sesame"):
        assert secret not in output
    assert output.count("***") == 5


async def test_a_whole_race_leaves_no_secret_in_it() -> None:
    phrase = "open sesame, said the donkey"
    with Server("--log", "memory:", "--log-level", "debug") as server:
        async with Client(server.url, "Ann") as ann, Client(server.url, "Bob", encoding="json") as bob:
            await race_with_passphrase(ann, bob, phrase)
            async with Client(server.url, "Ann", token=ann.token) as again:
                await again.join(ann.room["id"], passphrase=phrase)
                assert await again.code("hello", name="x", token="short") == "hello.twice"
                await again.ask("forfeit")
                await bob.ask("forfeit")
                code = (await bob.wait("result"))["code"]
            async with Client(server.url) as stranger:
                assert await stranger.code("hello", name="Eve", token=ann.token + "x") == "hello.bad_token"
            tokens = [ann.token, bob.token]
    output = "".join(server.output)
    assert ann.player in output
    assert "debug" in output
    for secret in (*tokens, phrase, code, code.rpartition("-")[2]):
        assert secret
        assert secret not in output
    assert "***" not in output, "nothing had to be blotted out"


async def race_with_passphrase(ann: Client, bob: Client, phrase: str) -> None:
    room = await ann.open("YU1-C", sealed=True, winnable=False, passphrase=phrase)
    assert await bob.code("join", room=room, passphrase="guess") == "room.passphrase"
    await bob.join(room, passphrase=phrase)
    for client in (ann, bob):
        assert (await client.ask("ready", ready=True))["type"] == "done"
    for client in (ann, bob):
        await client.wait("board")
        assert await client.code("play", n=1, do={"move": "AS", "to": "nowhere"}) == "message.bad_field"
