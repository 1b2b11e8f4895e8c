"""The command line against a real server, as people use it: typed at, piped, interrupted, cut off."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .servers import PATIENCE_S, Server
from .terminals import Player, ran, stampede, surroundings

CODE = "YU1-C-GMTL5QZ"
TITLE = "Friday night at our place, all are welcome as ever"
QUICK = ("--countdown-s", "0", "--tail-s", "0")


def room_of(host: Player) -> str:
    return host.hears(r"stampede join (\w+)")[1]


def test_two_people_type_a_race_to_its_end(server: Server, lines: dict[str, list[str]], tmp_path: Path) -> None:
    at = ("--url", server.url, "--name")
    with Player(tmp_path, "host", CODE, *QUICK, *at, "Ada") as ada:
        room = room_of(ada)
        with Player(tmp_path, "join", room, *at, "Bob") as bob, Player(tmp_path, "watch", room, *at, "Eve") as eve:
            eve.hears("Yukon")
            ada.hears("Bob is here")
            bob.types("say good luck", "ready")
            ada.hears("Bob: good luck")
            ada.types("ready")
            for player in (ada, bob):
                player.hears("GO!")
                player.hears(r"score 0 +home 0 +moves 0")
            bob.types("ks 1", "xx", "?ah", "ff")
            bob.hears("'xx' is neither a card")
            bob.hears("cannot go anywhere now|can go: ")
            ada.hears("Bob has given up")
            for action in lines[CODE]:
                ada.types(action.lower())
            for player in (ada, bob, eve):
                player.hears("Ada has all 52 cards home: place 1")
                player.hears("The winner is Ada")
                player.hears(CODE)
            assert eve.ends() == 0
            ada.types("quit")
            bob.end_of_input()
            assert (ada.ends(), bob.ends()) == (0, 0)
            for player in (ada, bob, eve):
                assert "Traceback" not in player.said
                assert "\x1b" not in player.said

    verified = ran(tmp_path, "verify", room, "--url", server.url)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "won by Ada" in verified.stdout
    assert verified.stdout.endswith("All is well.\n")

    saved = ran(tmp_path, "replay", room, "--save", str(tmp_path / "race.json"), "--url", server.url)
    assert saved.returncode == 0
    for command in (["verify"], ["replay", "--speed", "0"]):
        done = ran(tmp_path, *command, str(tmp_path / "race.json"), STAMPEDE_URL="ws://127.0.0.1:1/ws")
        assert (done.returncode, done.stderr) == (0, "")


def test_klondike_is_typed_too_and_vegas_counts_in_dollars(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name", "Ada")
    with Player(tmp_path, "host", "KL1-D1V-AAAAAAB", *QUICK, "--capacity", "1", "--ready", *at) as ada:
        ada.hears(r"score -\$52 .*\n.*stock 24   waste empty")
        ada.types("d", "d", "d")
        ada.hears(r"stock 21   waste 3: 5♢ K♠ \[A♠\]")
        ada.types("as")
        ada.hears(r"score -\$47 +home 1 .*\n.*waste 2: 5♢ \[K♠\]")
        ada.types("u")
        ada.hears(r"score -\$52 +home 0 .*\n.*waste 3: 5♢ K♠ \[A♠\]")
        ada.types("5d home")
        ada.hears("5♦|10|cannot be moved now")


def test_a_sealed_race_is_verified_against_its_commitment(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name", "Ada")
    with Player(tmp_path, "host", "YU1-R", "--sealed", *QUICK, "--capacity", "1", "--ready", *at) as ada:
        room = room_of(ada)
        commitment = ada.hears(r"SHA-256 ([0-9a-f]{64})")[1]
        ada.hears("GO!")
        ada.types("ff")
        ada.hears(r"The deal was YU1-R-\w{26}\.")
    verified = ran(tmp_path, "verify", room, "--url", server.url)
    assert verified.returncode == 0
    assert commitment in verified.stdout


def test_quitting_keeps_the_seat_and_joining_again_gives_it_back(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name", "Ada")
    with Player(tmp_path, "host", CODE, *QUICK, "--capacity", "1", "--ready", *at) as ada:
        room = room_of(ada)
        ada.hears("moves 0")
        ada.types("qd 1")
        ada.hears("moves 1")
        ada.types("quit")
        ada.hears(f"stampede join {room} brings you back")
        assert ada.ends() == 0
    with Player(tmp_path, "join", room, *at) as again:
        again.hears(r"moves 1 ")
    stranger = ran(tmp_path, "join", room, *at, "--fresh")
    assert stranger.returncode == 1
    assert "Traceback" not in stranger.stderr


def test_a_server_that_dies_is_waited_for_and_what_was_typed_meanwhile_counts(tmp_path: Path) -> None:
    log = ("--log", f"sqlite:{tmp_path / 'race.db'}")
    with Server(*log) as first:
        at = ("--url", first.url, "--name", "Ada")
        with Player(tmp_path, "host", CODE, *QUICK, "--capacity", "1", "--ready", *at) as ada:
            ada.hears("moves 0")
            ada.types("qd 1")
            ada.hears("moves 1")
            first.kill()
            ada.hears("Coming back")
            ada.types("as home")
            with Server(*log, port=first.port):
                ada.hears("The line is back")
                ada.hears(r"home 1 +moves 2")
                ada.types("ff")
                ada.hears("no one has won")
                ada.end_of_input()
                assert ada.ends() == 0


def test_one_can_quit_while_the_line_is_broken(tmp_path: Path) -> None:
    with Server("--log", "memory:") as server:
        at = ("--url", server.url, "--name", "Ada")
        with Player(tmp_path, "host", CODE, *QUICK, "--capacity", "1", "--ready", *at) as ada:
            ada.hears("moves 0")
            server.kill()
            ada.hears("Coming back")
            ada.types("qd 1", "quit")
            assert ada.ends() == 0


def test_a_second_terminal_of_the_same_player_takes_over(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name", "Ada")
    with Player(tmp_path, "host", CODE, *at) as first:
        room = room_of(first)
        first.hears("Type help")
        with Player(tmp_path, "join", room, *at) as second:
            second.hears("Type help")
            first.hears("took over.*one player; with another --name you are another player")
            assert first.ends() == 1


def test_who_has_a_name_that_is_taken_is_told_how_to_take_another(server: Server, tmp_path: Path) -> None:
    with Player(tmp_path / "one", "host", CODE, "--url", server.url, "--name", "Ada") as ada:
        room = room_of(ada)
        ada.hears("Type help")
        refused = ran(tmp_path / "other", "join", room, "--url", server.url, "--name", "Ada")
        assert refused.returncode == 1
        assert "take another. Another name is given with --name." in refused.stderr


def test_listed_rooms_and_passphrases(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name")
    shown = ("--listed", "--title", TITLE, "--passphrase", "sesame")
    with Player(tmp_path, "host", "YU1-T", *shown, *at, "Ada") as ada:
        room = room_of(ada)
        ada.hears("Type help")
        listed = ran(tmp_path, "rooms", "--url", server.url).stdout
        assert re.search(rf"{room} +Yukon, traditional +lobby +1/8 +{TITLE} \(passphrase\)\n", listed)
        refused = ran(tmp_path, "join", room, *at, "Bob")
        assert refused.returncode == 1
        assert "passphrase" in refused.stderr
        with Player(tmp_path, "join", room, "--passphrase", "sesame", *at, "Bob") as bob:
            bob.hears("Type help")
            ada.hears("Bob is here")
            bob.types("quit")
            ada.hears("Bob has left")
            assert bob.ends() == 0


def test_a_bot_is_sent_in_and_leaves_after_the_result(server: Server, tmp_path: Path) -> None:
    at = ("--url", server.url, "--name")
    with Player(tmp_path, "host", CODE, *QUICK, "--watch", "--start", "host", *at, "Ada") as ada:
        room = room_of(ada)
        with Player(tmp_path, "bot", room, "--skill", "novice", "--pace", "0", "--seed", "1", *at, "Robby") as bot:
            ada.hears("Robby is ready")
            ada.types("start")
            ada.hears("The race is over")
            bot.hears(r"Robby: (finished|forfeited), place 1")
            assert bot.ends() == 0


def test_a_bot_says_when_its_line_is_broken_and_races_on_when_it_is_back(tmp_path: Path) -> None:
    log = ("--log", f"sqlite:{tmp_path / 'race.db'}")
    with Server(*log) as first:
        at = ("--url", first.url, "--name")
        with Player(tmp_path, "host", CODE, *QUICK, "--watch", "--start", "host", *at, "Ada") as ada:
            room = room_of(ada)
            with Player(tmp_path, "bot", room, "--skill", "novice", "--pace", "0", "--seed", "1", *at, "Robby") as bot:
                ada.hears("Robby is ready")
                first.kill()
                bot.hears(r"Robby: .+ Coming back")
                with Server(*log, port=first.port):
                    bot.hears("Robby: The line is back")
                    ada.hears("The line is back")
                    ada.types("start")
                    bot.hears(r"Robby: (finished|forfeited), place 1")
                    assert bot.ends() == 0


@pytest.mark.parametrize("keys", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_leave_the_terminal_as_it_was(server: Server, tmp_path: Path, keys: str) -> None:
    at = ("--url", server.url, "--name", "Ada")
    with Player(tmp_path, "host", CODE, *QUICK, "--capacity", "1", "--ready", *at, terminal=True) as ada:
        before = ada.mode()
        ada.hears(r"moves 0[\s\S]*> ")
        ada.press(keys)
        assert ada.ends() == (130 if keys == "\x03" else 0)
        assert ada.mode() == before
        assert "Traceback" not in ada.said
        assert "brings you back" in ada.said


@pytest.mark.parametrize(
    ("surrounded", "escapes", "card"),
    [
        ({"TERM": "xterm", "NO_COLOR": ""}, True, "K♥"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, None, "K♡"),
        ({"TERM": "dumb"}, False, "K♡"),
        ({"TERM": "dumb", "LANG": "C"}, False, "KH"),
        ({"TERM": "xterm", "LANG": "C", "NO_COLOR": "1"}, None, "KH"),
    ],
)
def test_every_terminal_gets_what_it_can_show(
    tmp_path: Path, surrounded: dict[str, str], escapes: bool | None, card: str
) -> None:
    with Player(tmp_path, "deal", "YU1-C-AAAAAAB", terminal=True, **surrounded) as shown:
        assert shown.ends() == 0
        shown.hears(card)
        colours = re.search(r"\x1b\[[0-9;]*3[0-7]m", shown.said)
        assert bool(colours) is (escapes is True)
        if escapes is False:
            assert "\x1b" not in shown.said


def test_without_utf_8_everything_is_ascii(server: Server, tmp_path: Path) -> None:
    for command in (["deal", "YU1-C-AAAAAAB"], ["--help"], ["host", "--help"], ["rooms", "--url", server.url]):
        for locale in ({"LANG": "C"}, {"LC_ALL": "C"}, {"LANG": ""}):
            done = ran(tmp_path, *command, **locale)
            assert done.returncode == 0
            assert (done.stdout + done.stderr).isascii()


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as pipe:
        done = subprocess.run(
            stampede("deal", "YU1-C-AAAAAAB"),
            env=surroundings(tmp_path),
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            stampede("deal", "YU1-C-AAAAAAB"),
            env=surroundings(tmp_path),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"stampede: Cannot go on: No space left on device.\n"


def test_the_show_ends_by_itself(tmp_path: Path) -> None:
    done = ran(tmp_path, "race", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The race is over" in done.stdout or "came furthest" in done.stdout
    assert "Race yourself" in done.stdout
    for bot in ("Comet", "Dusty", "Ember"):
        assert bot in done.stdout
