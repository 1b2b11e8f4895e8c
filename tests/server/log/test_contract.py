"""The laws of the log's port, each checked on every log."""

import asyncio
import random
from collections.abc import Callable

import pytest

from server.log.homes import Heard, Home
from stampede.server.log.port import Entry, Log, StorageError

HOUR_MS = 3_600_000
ODD_FACTS = [b"", b"\0", b"\n 1-0 \r\n", b"\xff\xfe\x80", bytes(range(256)), b"x" * 65_536]


@pytest.fixture
async def log(home: Home) -> Log:
    return await home.open()


def facts_of(entries: list[Entry]) -> list[bytes]:
    return [entry.fact for entry in entries]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that will come; a test's own time-out is generous."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


# Order.


async def test_entries_are_read_in_the_order_they_were_appended(log: Log) -> None:
    for number in range(20):
        await log.append("room:A", [b"%d" % number])
    assert facts_of(await log.read("room:A")) == [b"%d" % number for number in range(20)]


async def test_an_append_resolves_to_its_entries_as_they_are_read(log: Log) -> None:
    appended = await log.append("room:A", [b"one", b"two"]) + await log.append("room:A", [b"three"])
    assert appended == await log.read("room:A")
    assert facts_of(appended) == [b"one", b"two", b"three"]


async def test_facts_are_any_bytes(log: Log) -> None:
    heard = Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    await log.append("room:A", ODD_FACTS)
    for fact in ODD_FACTS:
        await log.append("room:A", [fact])
    assert facts_of(await log.read("room:A")) == ODD_FACTS * 2
    assert heard.facts == ODD_FACTS * 2


async def test_appending_nothing_leaves_nothing(log: Log) -> None:
    assert await log.append("room:A", []) == []
    assert await log.read("room:A") == []
    assert await log.streams("") == []


async def test_appends_that_wait_together_keep_their_order(log: Log) -> None:
    heard = Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    answers = await asyncio.gather(*(log.append("room:A", [b"%d" % number]) for number in range(500)))
    expected = [b"%d" % number for number in range(500)]
    assert [entry.fact for entries in answers for entry in entries] == expected
    assert heard.facts == facts_of(await log.read("room:A")) == expected


async def test_read_after_an_id_begins_behind_it(log: Log) -> None:
    entries = await log.append("room:A", [b"a", b"b", b"c"])
    assert await log.read("room:A", entries[0].id) == entries[1:]
    assert await log.read("room:A", entries[2].id) == []
    assert await log.read("room:B") == []


async def test_a_long_stream_is_read_whole(log: Log) -> None:
    expected = [b"%d" % number for number in range(6000)]
    for at in range(0, len(expected), 500):
        await log.append("room:A", expected[at : at + 500])
    assert facts_of(await log.read("room:A")) == expected


# Time.


async def test_ids_only_grow_and_carry_the_logs_time(log: Log) -> None:
    before = log.time_ms()
    entries = [*await log.append("room:A", [b"a", b"b"]), *await log.append("room:A", [b"c"])]
    ids = [entry.id for entry in entries]
    assert ids == sorted(set(ids))
    for entry in entries:
        assert before - 1000 <= entry.time_ms <= log.time_ms()


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS])
async def test_time_never_runs_backwards_when_the_clock_jumps(home: Home, jump_ms: int) -> None:
    if not home.own_clock:
        pytest.skip("the clock is the server's")
    log = await home.open()
    ids, times = [], []
    for jump in (0, jump_ms, 0, -jump_ms, 0):
        home.jump_ms = jump
        for _ in range(3):
            times.append(log.time_ms())
            ids += [entry.id for entry in await log.append("room:A", [b"a", b"b"])]
    assert ids == sorted(set(ids))
    assert times == sorted(times)


async def test_time_goes_on_over_a_restart_with_the_clock_set_back(home: Home) -> None:
    if not (home.own_clock and home.durable):
        pytest.skip("no restart, or not our clock")
    log = await home.open()
    [last] = await log.append("room:A", [b"a"])
    await log.close()
    home.jump_ms = -HOUR_MS
    log = await home.open()
    assert log.time_ms() >= last.time_ms
    home.jump_ms += 5000
    assert log.time_ms() >= last.time_ms + 5000
    [after] = await log.append("room:A", [b"b"])
    assert after.id > last.id


# Durability.


@pytest.mark.parametrize("forget", ["trim", "delete"])
async def test_ids_go_on_over_a_restart_also_where_the_latest_is_forgotten(home: Home, forget: str) -> None:
    if not (home.own_clock and home.durable):
        pytest.skip("no restart, or not our clock")
    first = await home.open()
    await first.append("room:A", [b"a"])
    (latest,) = await first.append("room:B", [b"b"])
    await (first.trim("room:B", latest.id) if forget == "trim" else first.delete("room:B"))
    await first.close()
    home.jump_ms = -HOUR_MS
    log = await home.open()
    assert log.time_ms() >= latest.time_ms
    assert (await log.append("room:B", [b"c"]))[0].id > latest.id


async def test_everything_appended_is_there_after_opening_again(home: Home) -> None:
    if not home.durable:
        pytest.skip("it is gone with its process")
    log = await home.open()
    appended = [entry for number in range(10) for entry in await log.append("room:A", [b"%d" % number, b"x"])]
    await log.append("room:B", [b"other"])
    await log.close()
    log = await home.open()
    assert await log.read("room:A") == appended
    [after] = await log.append("room:A", [b"after"])
    assert after.id > appended[-1].id
    assert await log.read("room:A") == [*appended, after]


async def test_appends_on_their_way_when_it_closes_are_finished(home: Home) -> None:
    log = await home.open()
    waiting = [log.append("room:A", [b"%d" % number]) for number in range(50)]
    await log.close()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    if home.durable:
        log = await home.open()
        stored = await log.read("room:A")
        acknowledged = [entry for entries in answers if not isinstance(entries, BaseException) for entry in entries]
        assert acknowledged == stored


async def test_a_closed_log_says_so(log: Log) -> None:
    await log.close()
    await log.close()
    with pytest.raises(StorageError):
        await log.append("room:A", [b"a"])
    with pytest.raises(StorageError):
        await log.check()


async def test_a_closed_log_refuses_what_is_submitted_but_not_at_once(log: Log) -> None:
    await log.close()
    refused: list[bytes] = []
    log.submit("room:A", b"a", lambda fact, error: refused.append(fact))
    assert refused == []
    await until(lambda: refused == [b"a"])


# Following.


async def test_followers_hear_before_the_append_resolves(log: Log) -> None:
    heard, also = Heard(), Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    log.follow("room:A", 0, also.deliver, also.reset)
    for number in range(20):
        entries = await log.append("room:A", [b"%d" % number, b"x"])
        assert heard.entries[-2:] == also.entries[-2:] == entries
    assert heard.entries == also.entries == await log.read("room:A")


async def test_a_follower_from_the_middle_hears_the_rest(log: Log) -> None:
    entries = await log.append("room:A", [b"a", b"b", b"c", b"d"])
    heard = Heard()
    log.follow("room:A", entries[1].id, heard.deliver, heard.reset)
    await until(lambda: len(heard.entries) >= 2)
    assert heard.entries == entries[2:]


async def test_a_follower_from_the_end_hears_only_what_is_new(log: Log) -> None:
    entries = await log.append("room:A", [b"a", b"b"])
    heard = Heard()
    log.follow("room:A", entries[-1].id, heard.deliver, heard.reset)
    assert await log.append("room:A", [b"c"]) == heard.entries


async def test_a_follower_that_comes_between_appends_hears_each_once(log: Log) -> None:
    waiting, followers = [], []
    for number in range(200):
        waiting.append(log.append("room:A", [b"%d" % number]))
        if number % 10 == 5:
            followers.append(Heard())
            log.follow("room:A", 0, followers[-1].deliver, followers[-1].reset)
        if number % 30 == 0:
            await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    stored = await log.read("room:A")
    for heard in followers:
        assert heard.entries == stored


async def test_nothing_is_delivered_after_closing(log: Log) -> None:
    heard, other = Heard(), Heard()
    following = log.follow("room:A", 0, heard.deliver, heard.reset)
    log.follow("room:A", 0, other.deliver, other.reset)
    await log.append("room:A", [b"a"])
    waiting = log.append("room:A", [b"b"])
    following.close()
    following.close()
    await waiting
    await log.append("room:A", [b"c"])
    assert heard.facts == [b"a"]
    assert other.facts == [b"a", b"b", b"c"]


async def test_a_follower_may_close_itself_while_it_is_told(log: Log) -> None:
    heard: list[bytes] = []

    def deliver(entry: Entry) -> None:
        heard.append(entry.fact)
        if entry.fact == b"b":
            following.close()

    following = log.follow("room:A", 0, deliver, lambda: None)
    await log.append("room:A", [b"a", b"b", b"c"])
    await log.append("room:A", [b"d"])
    assert heard == [b"a", b"b"]


async def test_a_follower_may_append_and_follow_while_it_is_told(log: Log) -> None:
    inner, answers = Heard(), []

    def deliver(entry: Entry) -> None:
        if entry.fact == b"question":
            log.follow("room:A", entry.id, inner.deliver, inner.reset)
            answers.append(log.append("room:A", [b"answer"]))

    log.follow("room:A", 0, deliver, lambda: None)
    await log.append("room:A", [b"question"])
    assert facts_of(await answers[0]) == [b"answer"] == inner.facts


async def test_a_follower_that_fails_keeps_nobody_from_hearing(log: Log) -> None:
    faults = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context["exception"]))
    heard = Heard()

    def deliver(entry: Entry) -> None:
        raise ZeroDivisionError(entry)

    log.follow("room:A", 0, deliver, lambda: None)
    log.follow("room:A", 0, heard.deliver, heard.reset)
    await log.append("room:A", [b"a", b"b"])
    assert heard.facts == [b"a", b"b"]
    assert [type(fault) for fault in faults] == [ZeroDivisionError] * 2


async def test_many_streams_are_kept_apart(log: Log) -> None:
    names = [f"room:{number}" for number in range(40)]
    followers = {name: Heard() for name in names}
    for name, heard in followers.items():
        log.follow(name, 0, heard.deliver, heard.reset)

    async def play(name: str) -> list[Entry]:
        return [entry for number in range(15) for entry in await log.append(name, [f"{name} {number}".encode()])]

    for name, appended in zip(names, await asyncio.gather(*map(play, names)), strict=True):
        assert facts_of(appended) == [f"{name} {number}".encode() for number in range(15)]
        assert followers[name].entries == appended == await log.read(name)
        assert followers[name].resets == 0


# Forgetting.


async def test_streams_are_listed_by_the_beginning_of_their_names(log: Log) -> None:
    names = ["room:A", "room:B", "rooms", "heat:*?[a]", "heat:*?[b]", "heat:xya", "Ünï:♠", "room:{C}:log"]
    last = {name: (await log.append(name, [b"a", b"b"]))[-1].id for name in names}
    for prefix in ("", "room:", "room", "heat:*?[", "Ünï", "room:{C", "nothing"):
        expected = sorted((name, last[name]) for name in names if name.startswith(prefix))
        assert sorted(await log.streams(prefix)) == expected


async def test_trimmed_entries_are_gone_and_the_rest_is_not(log: Log) -> None:
    entries = await log.append("room:A", [b"a", b"b", b"c"])
    heard = Heard()
    log.follow("room:A", entries[-1].id, heard.deliver, heard.reset)
    await log.trim("room:A", entries[1].id)
    assert await log.read("room:A") == entries[2:]
    await log.trim("room:A", entries[0].id)
    assert await log.read("room:A") == entries[2:]
    [last] = await log.append("room:A", [b"d"])
    assert heard.entries == [last]
    await log.trim("room:nowhere", last.id)


async def test_a_stream_trimmed_to_nothing_goes_on(log: Log) -> None:
    entries = await log.append("room:A", [b"a", b"b"])
    heard = Heard()
    log.follow("room:A", entries[-1].id, heard.deliver, heard.reset)
    await log.trim("room:A", entries[-1].id)
    assert await log.read("room:A") == []
    assert await log.streams("room:") == []
    [after] = await log.append("room:A", [b"c"])
    assert after.id > entries[-1].id
    assert heard.entries == [after] == await log.read("room:A")
    assert heard.resets == 0


async def test_a_deleted_stream_is_gone_and_its_followers_are_reset(log: Log) -> None:
    await log.append("room:A", [b"a"])
    await log.append("room:B", [b"b"])
    heard = Heard()
    log.follow("room:A", 0, heard.deliver, heard.reset)
    await until(lambda: heard.facts == [b"a"])
    await log.delete("room:A")
    await until(lambda: heard.resets == 1)
    assert await log.read("room:A") == []
    assert [name for name, _ in await log.streams("")] == ["room:B"]
    await log.append("room:A", [b"new"])
    assert facts_of(await log.read("room:A")) == [b"new"]
    assert heard.facts == [b"a"]
    await log.delete("room:nowhere")


async def test_ids_go_on_where_a_stream_was_deleted(log: Log) -> None:
    ids = []
    for _ in range(50):
        ids += [entry.id for entry in await log.append("room:A", [b"a", b"b"])]
        await log.delete("room:A")
    assert ids == sorted(set(ids))


# Being let down.


async def test_a_deleted_stream_resets_its_followers_whether_or_not_anyone_waits(log: Log) -> None:
    heard = Heard()
    await log.append("room:A", [b"a"])
    log.follow("room:A", 0, heard.deliver, heard.reset)
    await until(lambda: heard.facts == [b"a"])
    deleting = asyncio.create_task(log.delete("room:A"))
    await asyncio.sleep(0)
    deleting.cancel()
    await until(lambda: heard.resets == 1)
    assert await log.read("room:A") == []


async def test_callers_who_stop_waiting_disturb_nobody(log: Log) -> None:
    chance = random.Random(52)
    for number in range(20):
        await log.append(f"room:{number}", [b"%d" % number])
    heard = Heard()
    log.follow("room:all", 0, heard.deliver, heard.reset)
    acknowledged: list[Entry] = []

    async def ask(number: int) -> None:
        if number % 2:
            facts = facts_of(await log.read(f"room:{number % 20}"))
            assert facts == [b"%d" % (number % 20)]
        else:
            entries = await log.append("room:all", [b"%d" % number])
            assert facts_of(entries) == [b"%d" % number]
            acknowledged.extend(entries)

    tasks = []
    for number in range(1000):
        tasks.append(asyncio.create_task(ask(number)))
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        if chance.random() < 0.8:
            chance.choice(tasks[-8:]).cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {type(None), asyncio.CancelledError}
    [last] = await log.append("room:all", [b"last"])
    stored = await log.read("room:all")
    assert heard.entries == stored
    assert stored[-1] == last
    assert set(acknowledged) <= set(stored)
    assert len({entry.id for entry in stored}) == len({entry.fact for entry in stored}) == len(stored)


# Company.


async def test_a_node_that_beats_is_heard_of(log: Log) -> None:
    assert await log.nodes() == frozenset()
    await log.beat("one")
    await log.beat("two")
    assert await log.nodes() == {"one", "two"}


async def test_a_log_that_can_be_appended_to_passes_its_check(log: Log) -> None:
    await log.append("room:A", [b"a"])
    await log.check()
    assert len(await log.read("room:A")) == 1
    assert [name for name, _ in await log.streams("")] == ["room:A"]
