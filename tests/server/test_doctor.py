"""The doctor: what it looks at, what it says that means, and whether it lets a race be run like this."""

import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from e2e.servers import PATIENCE_S, Server, command, environment
from server.log.redis_server import RedisServer, binaries
from stampede.server import doctor
from stampede.server.settings import Settings


def asked(*arguments: str, **settings: str) -> tuple[int, str]:
    """Exit code and output of the program."""
    done = subprocess.run(
        command(*arguments), env=environment(settings), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def test_a_good_disk_is_found_good_also_beside_a_running_server(tmp_path: Path) -> None:
    log = f"sqlite:{tmp_path / 'race.db'}"
    with Server("--log", log):
        code, output = asked("doctor", "--log", log)
    assert code == 0, output
    assert f"SQLite {sqlite3.sqlite_version}" in output
    assert "fsync: " in output
    assert "Open files" in output
    assert {path.name for path in tmp_path.iterdir()} <= {"race.db", "race.db-wal", "race.db-shm", "race.db-lock"}


def test_a_folder_that_is_not_there_is_wrong(tmp_path: Path) -> None:
    code, output = asked("doctor", "--log", f"sqlite:{tmp_path / 'nowhere' / 'race.db'}")
    assert code == 1
    assert "wrong" in output
    assert "nowhere" in output


def test_a_log_that_others_can_read_is_minded(tmp_path: Path) -> None:
    path = tmp_path / "race.db"
    path.touch(0o644)
    path.chmod(0o644)
    assert any("chmod 600" in finding.text for finding in doctor.sqlite_file(path, "FULL"))
    path.chmod(0o600)
    assert not any("chmod 600" in finding.text for finding in doctor.sqlite_file(path, "FULL"))


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_a_database_of_another_program_is_wrong_and_left_as_it_is(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "photos.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {journal}")
        database.execute("CREATE TABLE photos (name TEXT)")
        database.commit()
    before = path.read_bytes(), path.stat().st_mtime_ns
    code, output = asked("doctor", "--log", f"sqlite:{path}")
    assert code == 1
    assert "another program" in output
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [found.name for found in tmp_path.iterdir()] == ["photos.db"]


@pytest.mark.parametrize("content", [b"short", b"Dear Ann, " * 500, b"SQLite format 3\0" + b"\xff" * 8192])
def test_a_file_that_is_no_database_is_wrong(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter"
    path.write_bytes(content)
    assert [finding.text for finding in doctor.sqlite_file(path, "FULL") if "not a SQLite database" in finding.text]
    assert path.read_bytes() == content


def test_a_directory_is_no_log(tmp_path: Path) -> None:
    assert any(finding.grave and "is a directory" in finding.text for finding in doctor.sqlite_file(tmp_path, "FULL"))


def test_an_empty_file_and_a_log_of_ours_are_found_good(tmp_path: Path) -> None:
    empty, ours = tmp_path / "empty.db", tmp_path / "race.db"
    empty.touch(0o600)
    with Server("--log", f"sqlite:{ours}"):
        assert not any(finding.grave for finding in doctor.sqlite_file(ours, "FULL"))
    for path in (empty, ours):
        assert not any(finding.grave for finding in doctor.sqlite_file(path, "FULL"))
    assert empty.stat().st_size == 0


@pytest.mark.parametrize(
    ("usual", "synchronous", "grade"),
    [(0.001, "FULL", "ok"), (0.03, "FULL", "mind"), (0.3, "FULL", "wrong"), (0.001, "NORMAL", "mind")],
)
def test_the_speed_of_fsync_is_judged(usual: float, synchronous: str, grade: str) -> None:
    finding = doctor.fsync_speed(usual, usual * 2, synchronous)
    assert finding.grade == grade
    assert f"{usual * 1000:.2f} ms" in finding.text


def test_the_file_system_is_that_of_the_nearest_mount() -> None:
    mounts = "/dev/sda / ext4 rw 0 0\nserver:/x /srv nfs4 rw 0 0\ntmpfs /srv/my\\040run tmpfs rw 0 0\n"
    assert doctor.file_system(Path("/var/lib"), mounts) == "ext4"
    assert doctor.file_system(Path("/srv/stampede"), mounts) == "nfs4"
    assert doctor.file_system(Path("/srv/my run/x"), mounts) == "tmpfs"
    assert doctor.file_system(Path("/srvx"), mounts) == "ext4"
    assert doctor.file_system(Path("/srv"), "") == ""


@pytest.mark.parametrize(
    ("policy", "grade"), [("noeviction", "ok"), ("allkeys-lru", "wrong"), ("volatile-ttl", "mind"), ("unknown", "mind")]
)
def test_the_memory_policy_is_judged(policy: str, grade: str) -> None:
    finding = doctor.memory_policy(policy)
    assert (finding.grade, policy in finding.text) == (grade, True)


@pytest.mark.parametrize(
    ("appendonly", "appendfsync", "grade"),
    [
        (True, "always", "ok"),
        (True, "everysec", "mind"),
        (True, "no", "mind"),
        (True, "unknown", "mind"),
        (False, "always", "wrong"),
    ],
)
def test_durability_is_judged(appendonly: bool, appendfsync: str, grade: str) -> None:
    [finding] = doctor.durability(appendonly=appendonly, appendfsync=appendfsync)
    assert finding.grade == grade


def test_a_log_in_memory_and_one_that_is_none() -> None:
    assert [finding.grade for finding in doctor.examine(Settings(log="memory:"))] == ["ok", "mind"]
    assert doctor.examine(Settings(log="postgres://ann:sesame@h"))[-1].grave
    assert "sesame" not in doctor.examine(Settings(log="postgres://ann:sesame@h"))[-1].text


@pytest.fixture(params=sorted(binaries()))
def redis(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(binaries()[request.param], tmp_path)
    server.start()
    yield server
    server.kill()


def test_a_redis_server_is_asked(redis: RedisServer) -> None:
    code, output = asked("doctor", "--log", redis.url)
    assert code == 0, output
    assert "appendfsync always" in output
    assert "maxmemory-policy noeviction" in output
    assert "new enough" in output


def test_a_redis_server_that_would_forget_is_wrong(tmp_path: Path) -> None:
    for arguments in (("--maxmemory-policy", "allkeys-lru"), ("--appendonly", "no")):
        server = RedisServer(next(iter(binaries().values())), tmp_path, *arguments)
        server.start()
        try:
            code, output = asked("doctor", "--log", server.url)
        finally:
            server.kill()
        assert code == 1, output
        assert arguments[1] in output


def test_a_redis_server_that_is_not_there_is_wrong() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, output = asked("doctor", "--log", f"redis://:sesame@127.0.0.1:{port}/0")
    assert code == 1
    assert "sesame" not in output


def test_health_asks_the_running_server() -> None:
    with Server("--log", "memory:", "--host", "0.0.0.0", "--origins", "https://example.org") as server:
        here = ("--host", "0.0.0.0", "--port", str(server.port))
        assert asked("health", *here) == (0, "alive\n")
        assert asked("health", "--ready", *here) == (0, "ready\n")
    code, output = asked("health", *here)
    assert code == 1
    assert str(server.port) in output
