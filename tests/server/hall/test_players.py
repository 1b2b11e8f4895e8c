"""Players: who they are by their token, and the rooms where they have a seat."""

import pytest

from stampede.protocol.commands import Join, Leave
from stampede.server.hall.players import is_token, new_token, player_of

from .company import Company
from .timelapse import in_no_time


def test_tokens_are_43_unguessable_symbols() -> None:
    tokens = {new_token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(is_token(token) for token in tokens)


@pytest.mark.parametrize("text", ["", "a" * 42, "a" * 44, "a" * 42 + "=", "a" * 42 + "\n", "é" * 43])
def test_other_texts_are_no_tokens(text: str) -> None:
    assert not is_token(text)


def test_a_player_id_follows_from_the_token_and_does_not_give_it_away() -> None:
    token = new_token()
    assert player_of(token) == player_of(token)
    assert player_of(token) != player_of(new_token())
    assert len(player_of(token)) == 16
    assert player_of("A" * 43) == "b4ahhbnw7hklp3vs"


@in_no_time
async def test_seats_are_listed_oldest_first_while_they_are_there() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        rooms = []
        for host in ("Bob", "Cid", "Dora"):
            room, _ = await company.lobby(host)
            ann = await company.guest("Ann", ann.token)
            await ann.ask(Join(room=room))
            rooms.append(room)
            ann.drops()
        seats = company.house.players.seats
        assert [seat.room for seat in await seats(ann.player)] == rooms
        ann = await company.guest("Ann", ann.token)
        await ann.ask(Join(room=rooms[1]))
        await ann.ask(Leave())
        assert [seat.room for seat in await seats(ann.player)] == [rooms[0], rooms[2]]
        assert not any(seat.as_host for seat in await seats(ann.player))


@in_no_time
async def test_who_opened_a_room_counts_as_its_host_though_they_joined_it_again() -> None:
    async with Company() as company:
        room, (ann,) = await company.lobby("Ann")
        ann.drops()
        again = await company.guest("Ann", ann.token)
        await again.ask(Join(room=room))
        (seat,) = await company.house.players.seats(ann.player)
        assert (seat.room, seat.as_host) == (room, True)


@in_no_time
async def test_what_is_stale_is_forgotten() -> None:
    async with Company() as company:
        ann = await company.guest("Ann")
        for _ in range(10):
            _, (bob,) = await company.lobby("Bob")
            await ann.ask(Join(room=bob.visitor.room.state.id))  # type: ignore[union-attr]
            await ann.ask(Leave())
            await bob.ask(Leave())
        assert await company.house.players.seats(ann.player) == []
        assert await company.log.read(f"player:{ann.player}") == []


@in_no_time
async def test_a_stranger_has_no_seats() -> None:
    async with Company() as company:
        assert await company.house.players.seats("nobody") == []
