"""The hall's small things: letters, passphrases, the dealer, limits."""

import asyncio

import pytest

from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol.events import Done
from stampede.server.hall import passphrase
from stampede.server.hall.dealer import Dealer
from stampede.server.hall.limits import Limits
from stampede.server.hall.outbox import Letter


def test_a_letter_is_written_once_for_each_encoding() -> None:
    written: list[str] = []

    def one(event: object) -> bytes:
        written.append("one")
        return b"one"

    def other(event: object) -> bytes:
        written.append("other")
        return b"other"

    letter = Letter(Done())
    assert written == []
    assert [letter.written(writer) for writer in (one, other, one, one)] == [b"one", b"other", b"one", b"one"]
    assert written == ["one", "other"]


def test_a_passphrase_matches_itself_only() -> None:
    stored = passphrase.hashed("sesame")
    assert "sesame" not in stored
    assert passphrase.matches("sesame", stored)
    assert not passphrase.matches("Sesame", stored)
    assert not passphrase.matches("", stored)
    assert not passphrase.matches(stored, stored)


def test_the_same_passphrase_is_stored_differently_each_time() -> None:
    assert passphrase.hashed("sesame") != passphrase.hashed("sesame")


def test_without_a_passphrase_any_will_do() -> None:
    assert passphrase.hashed("") == ""
    assert passphrase.matches("", "")
    assert passphrase.matches("anything", "")


@pytest.mark.parametrize("variant", CATALOGUE)
@pytest.mark.parametrize(("sealed", "length"), [(False, 7), (True, 26)])
def test_the_dealer_draws_codes_of_the_variant(variant: str, sealed: bool, length: int) -> None:
    async def draw() -> set[str]:
        dealer = Dealer()
        return {str(await dealer.deal(CATALOGUE[variant], sealed=sealed)) for _ in range(20)}

    codes = asyncio.run(draw())
    assert len(codes) == 20
    for code in codes:
        assert parse_code(code).ruleset_name == variant
        assert len(parse_code(code).payload) == length


def test_limits_are_told_as_they_are() -> None:
    told = Limits(commands_per_s=20).told()
    assert (told.commands_per_s, told.commands_burst, told.connections_per_address) == (20, 40, 64)
    assert (told.rooms_per_player, told.command_bytes, told.name_graphemes, told.say_characters) == (20, 4096, 24, 280)
