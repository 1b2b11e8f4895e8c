"""What the doctor finds about the file of an SQLite log."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from e2e.servers import Server
from server.doctor.asked import asked
from stampede.server.doctor.sqlite_file import file_system, fsync_speed, sqlite_file


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
    assert any("chmod 600" in finding.text for finding in sqlite_file(path, "FULL"))
    path.chmod(0o600)
    assert not any("chmod 600" in finding.text for finding in sqlite_file(path, "FULL"))


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
    assert [finding.text for finding in sqlite_file(path, "FULL") if "not a SQLite database" in finding.text]
    assert path.read_bytes() == content


def test_a_directory_is_no_log(tmp_path: Path) -> None:
    assert any(finding.grave and "is a directory" in finding.text for finding in sqlite_file(tmp_path, "FULL"))


def test_an_empty_file_and_a_log_of_ours_are_found_good(tmp_path: Path) -> None:
    empty, ours = tmp_path / "empty.db", tmp_path / "race.db"
    empty.touch(0o600)
    with Server("--log", f"sqlite:{ours}"):
        assert not any(finding.grave for finding in sqlite_file(ours, "FULL"))
    for path in (empty, ours):
        assert not any(finding.grave for finding in sqlite_file(path, "FULL"))
    assert empty.stat().st_size == 0


@pytest.mark.parametrize(
    ("usual", "synchronous", "grade"),
    [(0.001, "FULL", "ok"), (0.03, "FULL", "mind"), (0.3, "FULL", "wrong"), (0.001, "NORMAL", "mind")],
)
def test_the_speed_of_fsync_is_judged(usual: float, synchronous: str, grade: str) -> None:
    finding = fsync_speed(usual, usual * 2, synchronous)
    assert finding.grade == grade
    assert f"{usual * 1000:.2f} ms" in finding.text


def test_the_file_system_is_that_of_the_nearest_mount() -> None:
    mounts = "/dev/sda / ext4 rw 0 0\nserver:/x /srv nfs4 rw 0 0\ntmpfs /srv/my\\040run tmpfs rw 0 0\n"
    assert file_system(Path("/var/lib"), mounts) == "ext4"
    assert file_system(Path("/srv/stampede"), mounts) == "nfs4"
    assert file_system(Path("/srv/my run/x"), mounts) == "tmpfs"
    assert file_system(Path("/srvx"), mounts) == "ext4"
    assert file_system(Path("/srv"), "") == ""
