"""What followers are given, in whatever order Redis answers and tells."""

from typing import Any

import pytest

from server.log.homes import Heard
from stampede.server.log.followers import Followers
from stampede.server.log.port import Entry, StorageError
from stampede.server.log.redis_delivery import Delivery
from stampede.server.log.redis_entries import Arrival, to_id, to_text
from stampede.server.log.redis_keys import Keys

A, B, C = Entry(to_id(b"1-0"), b"a"), Entry(to_id(b"2-0"), b"b"), Entry(to_id(b"3-0"), b"c")


class SlowLink:
    """Asks nobody: a test says what the reads that were sent are answered, and when."""

    def __init__(self) -> None:
        self.reads: list[Any] = []

    def run(self, script: object, keys: object, words: tuple[bytes, int], heard: Any) -> None:
        self.reads.append((words[0], heard))

    def answer(self, last: Entry | None, *entries: Entry) -> bytes:
        """Answer the oldest read; says from where on that was to be."""
        begin, heard = self.reads.pop(0)
        rows = [(to_text(entry.id), [b"f", entry.fact]) for entry in entries]
        heard([to_text(last.id) if last else b"0-0", rows], None)
        return bytes(begin)


class Stream:
    """One follower of one stream."""

    def __init__(self) -> None:
        self.link = SlowLink()
        self.heard = Heard()
        followers = Followers()
        self.delivery = Delivery(self.link, Keys("test:", 0), followers)  # type: ignore[arg-type]
        followers.add("room:A", 0, self.heard.deliver, self.heard.reset)
        self.delivery.catch_up_all("room:A")

    def tell(self, before: Entry | None, *entries: Entry) -> None:
        """There is news."""
        self.delivery.arrived("room:A", Arrival(before.id if before else 0, list(entries)))


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_news_and_a_read_that_bring_the_same_are_given_once(stream: Stream) -> None:
    stream.tell(None, A)
    stream.link.answer(B, A, B)
    stream.tell(A, B)
    assert stream.heard.facts == [b"a", b"b"]
    assert not stream.link.reads


def test_a_read_that_was_sent_before_news_came_and_no_longer_finds_its_entry_resets(stream: Stream) -> None:
    stream.tell(None, A)
    stream.link.answer(B, B)
    assert stream.heard.facts == [b"a"]
    assert stream.heard.resets == 1


def test_a_read_answered_from_before_the_news_is_asked_again(stream: Stream) -> None:
    stream.tell(None, A)
    stream.tell(A, B)
    assert stream.link.answer(A, A) == b"-"
    assert stream.heard.facts == [b"a", b"b"]
    assert stream.link.answer(C, B, C) == b"2-0"
    assert stream.heard.facts == [b"a", b"b", b"c"]
    assert stream.heard.resets == 0


def test_an_empty_answer_after_news_is_asked_again_and_then_resets(stream: Stream) -> None:
    stream.tell(None, A)
    stream.link.answer(None)
    assert stream.heard.resets == 0
    assert stream.link.answer(None) == b"1-0"
    assert stream.heard.resets == 1


def test_a_read_that_brings_what_was_there_before_the_news_too_is_given_once(stream: Stream) -> None:
    stream.link.answer(A, A)
    stream.delivery.catch_up_all("room:A")
    stream.tell(A, B)
    assert stream.link.answer(C, A, B, C) == b"1-0"
    assert stream.heard.facts == [b"a", b"b", b"c"]
    assert stream.heard.resets == 0
    assert not stream.link.reads


def test_a_full_page_that_ends_before_the_news_is_read_on_from_them(stream: Stream) -> None:
    page = [Entry(to_id(b"1-%d" % number), b"%d" % number) for number in range(2000)]
    stream.tell(page[-1], B)
    stream.tell(None, *page, B)
    stream.link.answer(C, *page)
    assert stream.heard.resets == 0
    assert stream.link.answer(C, B, C) == b"2-0"
    assert stream.heard.entries == [*page, B, C]


def test_a_deletion_resets_who_was_given_what_was_deleted(stream: Stream) -> None:
    stream.link.answer(A, A)
    stream.tell(A)
    assert stream.heard.resets == 1


def test_a_deletion_does_not_reset_who_follows_what_came_after_it(stream: Stream) -> None:
    stream.link.answer(B, B)
    stream.tell(A)
    assert stream.heard.resets == 0


async def test_a_read_that_failed_gives_and_resets_nothing(stream: Stream) -> None:
    stream.tell(None, A)
    _, heard = stream.link.reads.pop()
    heard(None, StorageError("away"))
    assert (stream.heard.facts, stream.heard.resets) == ([b"a"], 0)
