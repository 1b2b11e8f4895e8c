"""The log in one SQLite file: what it refuses to open, a full disk, and the death of its process."""

import asyncio
import os
import random
import resource
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.log.homes import Heard
from stampede.server.log.port import LogUnusable, StorageError
from stampede.server.log.sqlite import SqliteLog
from stampede.server.log.sqlite_file import APPLICATION_ID

NOBODY = 65_534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stampede.db"


async def refusal(path: Path) -> str:
    with pytest.raises(LogUnusable) as caught:
        await SqliteLog.open(str(path))
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder that belongs to someone without rights, as whom this process acts for a while."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


# What it opens, and what it does not.


async def test_the_files_are_readable_by_their_owner_alone(path: Path) -> None:
    mask = os.umask(0)
    try:
        log = await SqliteLog.open(str(path))
        await log.append("room:A", [b"secret"])
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        await log.close()
    finally:
        os.umask(mask)
    assert modes == dict.fromkeys(["stampede.db", "stampede.db-wal", "stampede.db-lock"], 0o600)


async def test_a_second_server_is_refused_until_the_first_has_ended(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    await log.append("room:A", [b"a"])
    assert "in use by another server" in await refusal(path)
    assert [entry.fact for entry in await log.read("room:A")] == [b"a"]
    await log.close()
    await (await SqliteLog.open(str(path))).close()


async def test_a_second_server_is_refused_by_another_name_too(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    link = path.with_name("link.db")
    link.symlink_to(path)
    assert "in use by another server" in await refusal(link)
    await log.close()


async def test_of_servers_that_start_at_the_same_moment_one_starts(path: Path) -> None:
    for _ in range(10):
        opened = await asyncio.gather(*(SqliteLog.open(str(path)) for _ in range(6)), return_exceptions=True)
        logs = [log for log in opened if isinstance(log, SqliteLog)]
        refused = [error for error in opened if isinstance(error, LogUnusable)]
        assert (len(logs), len(refused)) == (1, 5)
        await logs[0].append("room:A", [b"a"])
        await logs[0].close()


async def test_no_other_program_gets_into_an_open_log(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    other = sqlite3.connect(path, timeout=0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("SELECT * FROM entries")
    other.close()
    await log.close()


async def test_a_database_that_another_program_holds_is_refused(path: Path) -> None:
    await (await SqliteLog.open(str(path))).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    assert "in use by another program" in await refusal(path)
    other.close()


async def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in await refusal(tmp_path)


async def test_a_file_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "no such file or directory" in await refusal(tmp_path / "missing" / "stampede.db")


@pytest.mark.parametrize("content", [b"This is a letter to my aunt.\n" * 100, b"SQLite format 3\0" + b"?" * 5000, b"x"])
async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "not a SQLite database" in await refusal(path)
    assert path.read_bytes() == content


async def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE aunts (name TEXT)")
    other.close()
    content = path.read_bytes()
    assert "another program" in await refusal(path)
    assert path.read_bytes() == content


async def test_a_newer_schema_is_refused(path: Path) -> None:
    await (await SqliteLog.open(str(path))).close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    assert "newer version of Stampede (schema 99" in await refusal(path)


async def test_a_file_of_the_first_schema_is_taken_over_with_all_its_entries(path: Path) -> None:
    older = sqlite3.connect(path, isolation_level=None)
    older.executescript(
        """
        CREATE TABLE streams (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE entries (stream INTEGER NOT NULL, id INTEGER NOT NULL, fact BLOB NOT NULL,
            PRIMARY KEY (stream, id)) WITHOUT ROWID;
        INSERT INTO streams VALUES (1, 'room:A'), (2, 'room:B');
        INSERT INTO entries VALUES (1, 7, x'61'), (1, 9, x'63'), (2, 8, x'62');
        PRAGMA user_version = 1;
        """
    )
    older.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    older.close()
    for _ in range(2):
        log = await SqliteLog.open(str(path))
        assert [entry.id for entry in await log.read("room:A")][:2] == [7, 9]
        assert [entry.id for entry in await log.read("room:B")] == [8]
        await log.append("room:A", [b"d"])
        assert len(dict(await log.streams(""))) == 2
        await log.close()


async def test_what_came_after_the_latest_note_is_found_when_the_file_is_opened(path: Path) -> None:
    script = (
        "import asyncio, os, sys\n"
        "from stampede.server.log import sqlite_tables\n"
        "from stampede.server.log.sqlite import SqliteLog\n"
        "sqlite_tables._NOTED_EVERY = 7\n"
        "async def main():\n"
        "    log = await SqliteLog.open(sys.argv[1])\n"
        "    for number in range(40):\n"
        "        await log.append(f'room:{number % 3}', [b'%d' % number])\n"
        "    await log.trim('room:1', (await log.read('room:1'))[-1].id)\n"
        "    await log.delete('room:2')\n"
        "    os._exit(9)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(path))
    assert await process.wait() == 9
    log = await SqliteLog.open(str(path))
    stored = await log.read("room:0")
    assert [entry.fact for entry in stored] == [b"%d" % number for number in range(0, 40, 3)]
    assert await log.streams("") == [("room:0", stored[-1].id)]
    assert (await log.append("room:1", [b"again"]))[0].id > stored[-1].id
    assert [entry.fact for entry in await log.read("room:1")] == [b"again"]
    await log.close()


async def test_an_older_sqlite_takes_commits_of_any_length(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    log._tables._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    await log.append("room:A", [b"first"])
    for length in (249, 250, 700):
        await log.append("room:A", [b"%d" % number for number in range(length)])
    assert len(await log.read("room:A")) == 1200
    await log.close()


async def test_an_empty_file_and_an_empty_database_are_taken(path: Path) -> None:
    path.touch()
    log = await SqliteLog.open(str(path))
    await log.append("room:A", [b"a"])
    await log.close()
    other = path.with_name("empty.db")
    empty = sqlite3.connect(other)
    empty.execute("VACUUM")
    empty.close()
    await (await SqliteLog.open(str(other))).close()


async def test_a_file_that_may_not_be_written_is_refused() -> None:
    with unprivileged() as folder:
        path = folder / "stampede.db"
        await (await SqliteLog.open(str(path))).close()
        path.chmod(0o400)
        assert "cannot be opened for writing: permission denied" in await refusal(path)


async def test_a_folder_that_may_not_be_written_is_refused() -> None:
    with unprivileged() as folder:
        folder.chmod(0o500)
        assert "cannot be opened for writing: permission denied" in await refusal(folder / "stampede.db")
        folder.chmod(0o700)
        path = folder / "there.db"
        path.touch()
        folder.chmod(0o500)
        assert "needs to write in its directory" in await refusal(path)
        folder.chmod(0o700)


# A full disk.

Step = Callable[[SqliteLog], Awaitable[None]]


async def pragma(log: SqliteLog, text: str) -> int:
    connection = log._file.connection
    return int((await log._do(lambda: connection.execute(f"PRAGMA {text}").fetchone()))[0])


async def fill_up(log: SqliteLog) -> None:
    await pragma(log, f"max_page_count = {await pragma(log, 'page_count') + 4}")


async def make_room(log: SqliteLog) -> None:
    await pragma(log, "max_page_count = 1000000")


async def test_a_full_database_acknowledges_nothing_and_goes_on_when_there_is_room(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    await disk_full(log, fill_up, make_room)
    stored = await log.read("room:A")
    await log.close()
    log = await SqliteLog.open(str(path))
    assert await log.read("room:A") == stored
    await log.close()


async def test_a_file_that_may_not_grow_acknowledges_nothing_and_goes_on_when_it_may(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    wal = path.with_name(path.name + "-wal")

    async def limit(log: SqliteLog) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (wal.stat().st_size + 30_000, hard))

    async def lift(log: SqliteLog) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    try:
        await disk_full(log, limit, lift)
    finally:
        await lift(log)
    stored = await log.read("room:A")
    await log.close()
    log = await SqliteLog.open(str(path))
    assert await log.read("room:A") == stored
    await log.close()


async def disk_full(log: SqliteLog, fill_up: Step, make_room: Step) -> None:
    heard = Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    acknowledged = await log.append("room:A", [b"before"])
    await log.check()
    await fill_up(log)
    refused = 0
    for number in range(300):
        sizes = [number % 7 * 400, 90, 4000]
        waiting = [log.append("room:A", [b"%d" % size + b"." * size]) for size in sizes]
        waiting.append(log.append(f"room:new{number}", [b"first"]))
        for answer in await asyncio.gather(*waiting[:3], return_exceptions=True):
            if isinstance(answer, StorageError):
                refused += 1
            else:
                assert not isinstance(answer, BaseException)
                acknowledged += answer
        await asyncio.gather(waiting[3], return_exceptions=True)
        assert heard.entries == acknowledged
        if refused > 100:
            break
    assert refused > 100
    with pytest.raises(StorageError, match="file"):
        await log.check()
    assert await log.read("room:A") == acknowledged
    await make_room(log)
    await log.check()
    acknowledged += await log.append("room:A", [b"after"])
    for entries in await asyncio.gather(*(log.append("room:A", [b"."] * 3) for _ in range(50))):
        acknowledged += entries
    assert heard.entries == acknowledged == await log.read("room:A")
    for name, _ in await log.streams("room:new"):
        assert [entry.fact for entry in await log.read(name)] == [b"first"]


async def test_a_commit_that_fails_at_its_end_delivers_nothing(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    heard = Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    await log.append("room:A", [b"before"])
    connection = log._file.connection

    class Failing:
        """The connection, whose commits fail once everything is written."""

        in_transaction = property(lambda self: connection.in_transaction)

        def __getattr__(self, name: str) -> object:
            return getattr(connection, name)

        def execute(self, text: str, *arguments: object) -> object:
            if text == "COMMIT":
                raise sqlite3.OperationalError("disk I/O error")
            return connection.execute(text, *arguments)  # type: ignore[arg-type]

    log._tables._connection = Failing()  # type: ignore[assignment]
    waiting = [log.append("room:A", [b"x", b"y"]), log.append("room:A", [b"z", b"z"]), log.append("room:B", [b"new"])]
    for answer in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(answer, StorageError)
    assert heard.facts == [b"before"]
    log._tables._connection = connection
    assert [entry.fact for entry in await log.read("room:A")] == [b"before"]
    assert await log.read("room:B") == []
    await asyncio.gather(log.append("room:A", [b"after"]), log.append("room:B", [b"new"]))
    assert heard.facts == [b"before", b"after"]
    assert [entry.fact for entry in await log.read("room:B")] == [b"new"]
    await log.close()


async def test_who_fails_when_told_of_a_refusal_keeps_nobody_from_hearing(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    faults = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context["exception"]))

    def failed(fact: bytes, error: StorageError) -> None:
        raise ZeroDivisionError(fact)

    connection = log._tables._connection
    connection.execute("PRAGMA query_only = ON")
    log.submit("room:A", b"a", failed)
    refused = log.append("room:A", [b"b"])
    async with asyncio.timeout(10):
        with pytest.raises(StorageError):
            await refused
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    await log.close()


# Groups.


async def test_appends_that_wait_while_the_disk_is_busy_share_a_commit(path: Path) -> None:
    log = await SqliteLog.open(str(path))
    await log.append("room:A", [b"a"])
    connection, commits = log._file.connection, []
    connection.set_trace_callback(lambda text: commits.append(text) if text == "COMMIT" else None)
    for _ in range(10):
        await asyncio.gather(*(log.append("room:A", [b"b"]) for _ in range(100)))
    connection.set_trace_callback(None)
    assert len(commits) < 100
    await log.close()


# The death of the process.


async def test_whatever_was_acknowledged_survives_kill_9(path: Path) -> None:
    chance = random.Random(os.urandom(8))
    ledger = path.with_name("ledger")
    ledger.touch()
    for round_ in range(6):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(__file__).with_name("appender.py")),
            *(str(path), str(ledger), str(round_)),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        await asyncio.sleep(chance.random() * 0.25)
        process.kill()
        await process.wait()
        await check_ledger(path, ledger)
    assert ledger.stat().st_size > 0


async def check_ledger(path: Path, ledger: Path) -> None:
    log = await SqliteLog.open(str(path))
    lines = [line for line in ledger.read_text().splitlines(keepends=True) if line.endswith("\n")]
    acknowledged: dict[str, list[tuple[int, bytes]]] = {}
    for line in lines:
        stream, id_, fact = line[:-1].split(" ", 2)
        acknowledged.setdefault(stream, []).append((int(id_), fact.encode()))
    for stream, entries in acknowledged.items():
        stored = await log.read(stream)
        assert set(entries) <= {(entry.id, entry.fact) for entry in stored}
        assert len({entry.fact for entry in stored}) == len(stored)
        assert [entry.id for entry in stored] == sorted({entry.id for entry in stored})
        rounds: dict[bytes, int] = {}
        for entry in stored:
            round_, _, number = entry.fact.split(b" ")
            assert int(number) == rounds.get(round_, 0)
            rounds[round_] = int(number) + 1
    await log.close()
