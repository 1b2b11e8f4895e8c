"""Views: what each pair of eyes may see, and what nobody may."""

import json
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from stampede.patience.cards import DECK, HIDDEN
from stampede.patience.codes import dealing_order
from stampede.patience.game import Game, play, start
from stampede.patience.variants import CATALOGUE, parse_code
from stampede.protocol.codec import JSON
from stampede.protocol.events import Board, Played
from stampede.protocol.sight import played as overwritten
from stampede.server.race import facts, views

from .story import BEGINNING, CODE, SEALED_CODE, Story, given, lines, racing

every_variant = pytest.mark.parametrize("variant", CATALOGUE)


def said(event: Any) -> dict[str, Any]:
    """An event as it goes over the wire."""
    message: dict[str, Any] = json.loads(JSON.encode(event))
    return message


def board_of(story: Story, who: str = "ann") -> Board:
    return views.board(story.room, story.seat(who), story.clock)


# Boards


def test_a_board_shows_ones_own_table_with_its_hidden_cards_hidden() -> None:
    story = racing("bob").wait(3)
    message = said(board_of(story))
    columns = message["columns"]
    assert [len(column) for column in columns] == [1, 6, 7, 8, 9, 10, 11]
    assert [column.count(HIDDEN) for column in columns] == [0, 1, 2, 3, 4, 5, 6]
    assert all(card == HIDDEN for column in columns for card in column[: column.count(HIDDEN)])
    assert message["home"] == {"S": 0, "H": 0, "D": 0, "C": 0}
    rest = {key: message[key] for key in ("n", "stock", "waste", "score", "moves", "elapsed_ms", "undo_left")}
    assert rest == {"n": 0, "stock": 0, "waste": [], "score": 0, "moves": 0, "elapsed_ms": 3000, "undo_left": 0}


def test_a_stock_is_only_a_number_and_the_waste_lies_open() -> None:
    story = racing("bob", code="KL1-D3V-AAAAAAG")
    story.plays("ann", "draw")
    message = said(board_of(story))
    stock = dealing_order(parse_code("KL1-D3V-AAAAAAG"))[28:]
    assert (message["stock"], message["waste"], message["score"]) == (21, list(stock[:3]), -52)


def test_elapsed_is_now_while_one_races_and_stands_still_after() -> None:
    story = racing("bob", "cid", tail_s=60)
    story.wait(5).plays("bob", "QD 1")
    story.wait(5).wins("ann")
    story.forfeits("bob")
    story.wait(20)
    assert [board_of(story, who).elapsed_ms for who in ("ann", "bob", "cid")] == [10_000, 5000, 30_000]


def test_elapsed_is_never_negative() -> None:
    story = racing("bob")
    assert views.board(story.room, story.seat("ann"), BEGINNING - 1000).elapsed_ms == 0


def test_undo_left_counts_the_undos_possible_in_a_row() -> None:
    story = racing("bob", undo=2)
    left = []
    for action in [*lines()[CODE][:4], "undo"]:
        story.plays("ann", action)
        left.append(board_of(story).undo_left)
    assert left == [1, 2, 2, 2, 1]
    story = racing("bob")
    story.wins("ann")
    assert board_of(story).undo_left == 0


@every_variant
def test_what_changed_written_over_the_board_before_gives_the_board_after(variant: str) -> None:
    chance = Random(variant)
    code = f"{variant}-{''.join(chance.choices('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', k=7))}"
    story = racing("bob", code=code)
    board = board_of(story)
    for _ in range(300):
        before = story.seat("ann").game
        story.wait(0.25)
        if before is None or story.plays("ann", some_action(before, chance)) is not None:
            continue
        played = views.played(before, story.seat("ann"), 1)
        board = overwritten(board, played)
        assert board == board_of(story)
    assert board.n > 50


def test_what_did_not_change_is_not_told() -> None:
    story = racing("bob")
    before = story.seat("ann").game
    story.plays("ann", "QD 1")
    assert before is not None
    message = said(views.played(before, story.seat("ann"), 4))
    assert set(message["changed"]) == {"columns"}
    assert len(message["changed"]["columns"]) == 2
    assert "1" in message["changed"]["columns"]
    assert message["re"] == 4


# Targets


def test_targets_are_places_and_what_a_double_click_would_do() -> None:
    story = racing("bob")
    assert said(views.targets(story.seat("ann"), "QD", 3)) == {
        "type": "targets",
        "re": 3,
        "card": "QD",
        "to": ["1"],
        "best": "1",
    }


def test_a_card_that_cannot_move_has_no_targets_and_no_best() -> None:
    story = racing("bob")
    hidden = set(DECK) - {card for column in board_of(story).columns for card in column}
    assert len(hidden) == 21
    for card in hidden:
        message = said(views.targets(story.seat("ann"), card, 3))
        assert message == {"type": "targets", "re": 3, "card": card, "to": []}


# The room


def test_a_picture_shows_the_whole_room_to_one_of_it() -> None:
    story = Story("bob", title="Friends", passphrase_hash="salt:hash", undo=7, limit_s=600)
    message = said(views.picture(story.room, "bob", story.clock))
    assert message["you"] == {"player": "bob", "may": ["leave", "sync", "say", "ready"]}
    assert message["settings"] == {
        "sealed": False,
        "winnable": False,
        "undo": 7,
        "capacity": 8,
        "countdown_s": 0,
        "start": "all_ready",
        "limit_s": 600,
        "tail_s": 300,
        "listed": False,
        "passphrase": True,
        "bots": True,
        "chat": True,
        "title": "Friends",
    }
    assert message["deal"] == {"variant": "YU1-C", "code": CODE}
    assert (message["id"], message["phase"], message["host"]) == ("r1", "lobby", "ann")
    assert message["time_ms"] == story.clock
    assert "starts_at_ms" not in message
    assert "ends_at_ms" not in message
    assert message["entrants"][1] == {
        "player": "bob",
        "name": "Bob",
        "kind": "human",
        "role": "racer",
        "status": "waiting",
        "away": False,
        "score": 0,
        "moves": 0,
        "home": 0,
        "elapsed_ms": 0,
    }


def test_the_instants_are_shown_once_they_are_fixed() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann", "bob")
    picture = views.picture(story.room, "ann", story.clock)
    assert (picture.starts_at_ms, given(picture.ends_at_ms)) == (BEGINNING + 5000, False)
    story.wait(5).strike()
    picture = views.picture(story.room, "ann", story.clock)
    assert picture.ends_at_ms == BEGINNING + 5000 + 3_600_000


def test_no_picture_shows_a_token_hash_or_passphrase() -> None:
    story = Story("bob", passphrase_hash="pepper:0123abcd")
    text = JSON.encode(views.picture(story.room, "bob", story.clock)).decode()
    assert "pepper" not in text
    assert "0123abcd" not in text
    assert "ann/1" not in text


def test_places_are_shown_as_soon_as_they_are_known() -> None:
    story = racing("bob", tail_s=60)
    assert not given(views.entrant(story.room, story.seat("ann")).place)
    story.wins("ann")
    assert views.entrant(story.room, story.seat("ann")).place == 1
    assert not given(views.entrant(story.room, story.seat("bob")).place)
    story.enters("dora", "watcher")
    story.forfeits("bob")
    assert views.entrant(story.room, story.seat("bob")).place == 2
    assert not given(views.entrant(story.room, story.seat("dora")).place)


def test_a_summary_is_a_line() -> None:
    story = Story("bob", title="Friends", capacity=5)
    story.enters("dora", "watcher")
    assert said(views.summary(story.room)) == {
        "id": "r1",
        "title": "Friends",
        "phase": "lobby",
        "variant": "YU1-C",
        "racers": 2,
        "capacity": 5,
        "passphrase": False,
    }


# Sealed codes


def test_a_sealed_code_is_told_to_nobody_before_the_race_is_over() -> None:
    story = Story("bob", code=SEALED_CODE, sealed=True, countdown_s=5, tail_s=60)
    hidden = SEALED_CODE.rpartition("-")[2]
    told: list[str] = []

    def hear() -> None:
        told.extend(JSON.encode(event).decode() for event in story.told())
        for who in story.room.seats:
            picture = views.picture(story.room, who, story.clock)
            told.append(JSON.encode(picture).decode())
            assert picture.deal.commitment == sha256(SEALED_CODE.encode()).hexdigest()
            assert given(picture.deal.code) is (story.room.phase == "over")
            if story.seat(who).game is not None:
                told.append(JSON.encode(board_of(story, who)).decode())

    hear()
    story.enters("dora", "watcher")
    hear()
    story.ready("ann", "bob")
    hear()
    story.wait(5).strike()
    hear()
    game = story.seat("ann").game
    story.plays("ann", some_action(game, Random(5)) if game else "")
    hear()
    assert told
    assert not [text for text in told if hidden in text]
    story.forfeits("ann")
    story.forfeits("bob")
    (result,) = story.told("result")
    assert result.code == SEALED_CODE
    assert views.picture(story.room, "dora", story.clock).deal.code == SEALED_CODE


def test_a_cancelled_sealed_room_takes_its_code_along() -> None:
    story = Story(code=SEALED_CODE, sealed=True)
    story.leaves("ann")
    assert SEALED_CODE.encode() not in JSON.encode(story.told())


# What one may


@pytest.mark.parametrize(
    ("who", "phase", "may"),
    [
        ("ann", "lobby", {"ready", "start"}),
        ("bob", "lobby", {"ready"}),
        ("dora", "lobby", set()),
        ("ann", "countdown", {"ready"}),
        ("bob", "racing", {"play", "targets", "forfeit"}),
        ("dora", "racing", set()),
        ("ann", "closing", set()),
        ("bob", "closing", {"play", "targets", "forfeit"}),
        ("ann", "over", {"replay", "rematch"}),
        ("dora", "over", {"replay", "rematch"}),
    ],
)
def test_one_is_told_what_one_may(who: str, phase: str, may: set[str]) -> None:
    story = Story("bob", countdown_s=5, capacity=2, tail_s=60)
    story.enters("dora", "watcher")
    if phase != "lobby":
        story.starts("ann")
    if phase in ("racing", "closing", "over"):
        story.wait(5).strike()
    if phase in ("closing", "over"):
        story.wins("ann")
    if phase == "over":
        story.forfeits("bob")
    assert story.room.phase == phase
    assert set(views.may(story.room, who)) == {"leave", "sync", "say"} | may


def test_a_host_without_racers_may_not_start_and_nobody_says_anything_without_chat() -> None:
    story = Story(role="watcher", chat=False)
    assert set(views.may(story.room, "ann")) == {"leave", "sync"}


def test_all_that_one_may_is_accepted_and_the_rest_is_not() -> None:
    for phase in ("lobby", "countdown", "racing", "over"):
        for who in ("ann", "bob", "dora"):
            for command in ("ready", "start", "play", "forfeit", "rematch"):
                story = Story("bob", countdown_s=5, capacity=2)
                story.enters("dora", "watcher")
                if phase != "lobby":
                    story.starts("ann")
                if phase in ("racing", "over"):
                    story.wait(5).strike()
                if phase == "over":
                    story.forfeits("ann")
                    story.forfeits("bob")
                may = command in views.may(story.room, who)
                do = {
                    "ready": lambda story=story, who=who: story.ready(who),
                    "start": lambda story=story, who=who: story.starts(who),
                    "play": lambda story=story, who=who: story.plays(who, "QD 1", 1),
                    "forfeit": lambda story=story, who=who: story.forfeits(who),
                    "rematch": lambda story=story, who=who: story.rematches(who, "r2"),
                }
                assert (do[command]() is None) is may, (phase, who, command)


# News


def test_all_are_told_who_comes_gets_ready_goes_and_comes_back() -> None:
    story = Story("bob")
    (came,) = story.told()
    assert (came.entrant.name, came.entrant.status, came.host) == ("Bob", "waiting", "ann")
    story.ready("bob")
    (ready,) = story.told()
    assert ready.entrant.status == "ready"
    story.breaks("bob")
    (away,) = story.told()
    assert away.entrant.away
    story.enters("bob")
    (back,) = story.told()
    assert not back.entrant.away
    story.leaves("bob")
    (left,) = story.told()
    assert (left.entrant.player, left.entrant.status, left.entrant.away) == ("bob", "left", True)


def test_all_are_told_of_a_new_host() -> None:
    story = Story("bob")
    story.leaves("ann")
    assert [(event.entrant.player, event.host) for event in story.told("entrant")] == [("ann", "bob"), ("bob", "bob")]


def test_all_are_told_of_a_new_host_in_a_race_too() -> None:
    story = racing("bob")
    story.leaves("ann")
    told = [(event.entrant.player, event.entrant.status, event.host) for event in story.told("entrant")]
    assert told == [("ann", "forfeited", "bob"), ("bob", "racing", "bob")]


def test_a_take_over_is_news_to_nobody_else() -> None:
    story = Story("bob")
    story.enters("bob")
    assert story.news == []


def test_the_countdown_is_told_with_its_instant() -> None:
    story = Story("bob", countdown_s=5)
    story.ready("ann")
    story.ready("bob")
    (phase,) = story.told("phase")
    assert (phase.phase, phase.in_ms, phase.starts_at_ms) == ("countdown", 5000, BEGINNING + 5000)
    story.wait(2).unready("ann")
    assert said(story.told("phase")[0]) == {
        "type": "phase",
        "phase": "lobby",
        "reason": "Ann is not ready any more",
    }


def test_at_the_start_all_get_the_phase_and_each_racer_their_board() -> None:
    story = Story("bob", countdown_s=5)
    story.enters("dora", "watcher")
    story.starts("ann")
    assert "board" not in story.kinds()
    story.wait(5).strike()
    audiences = [(audience, event.__struct_config__.tag) for audience, event in story.news]
    assert audiences == [(views.EVERYONE, "phase"), ("ann", "board"), ("bob", "board")]


def test_no_board_and_no_card_goes_to_anyone_but_its_racer() -> None:
    story = racing("bob", tail_s=60)
    for action in lines()[CODE][:30]:
        story.wait(1).plays("ann", action)
        assert story.news == []
    story.enters("dora", "watcher")
    for audience, event in story.news:
        assert audience == views.EVERYONE
        assert not isinstance(event, Board | Played)


def test_an_action_that_ends_nothing_is_news_to_nobody_but_in_progress() -> None:
    story = racing("bob")
    story.wait(1).plays("ann", "QD 1")
    assert story.news == []
    assert said(views.progress(story.seat("ann"))) == {
        "player": "ann",
        "score": 5,
        "moves": 1,
        "home": 0,
        "elapsed_ms": 1000,
    }


def test_a_finish_is_told_then_what_it_ends() -> None:
    story = racing("bob", tail_s=60)
    story.wait(10).wins("ann")
    assert story.kinds() == ["finish", "phase"]
    finish, phase = story.told()
    assert (finish.player, finish.place, finish.score, finish.elapsed_ms) == ("ann", 1, 625, 10_000)
    assert (phase.phase, phase.ends_at_ms) == ("closing", BEGINNING + 70_000)
    story.wins("bob")
    assert story.kinds() == ["finish", "phase", "result"]
    assert story.told("finish")[0].place == 1
    assert story.told("result")[0].winner == ["ann", "bob"]


def test_an_end_by_time_is_told_with_its_result() -> None:
    story = racing("bob", limit_s=60)
    story.wait(61).strike()
    assert story.kinds() == ["phase", "result"]
    (result,) = story.told("result")
    assert (result.winner, result.code) == ([], CODE)
    assert [row.status for row in result.standings] == ["never_played", "never_played"]


def test_a_forfeit_is_told_and_the_end_it_brings() -> None:
    story = racing("bob")
    story.forfeits("ann")
    assert story.kinds() == ["entrant"]
    story.forfeits("bob")
    assert story.kinds() == ["entrant", "phase", "result"]


def test_a_result_is_told_once() -> None:
    story = racing("bob")
    story.forfeits("ann")
    story.forfeits("bob")
    for late in (lambda: story.plays("ann", "QD 1"), lambda: story.strike(), lambda: story.says("ann", "oh")):
        late()
        assert "result" not in story.kinds()


def test_what_is_said_is_told_with_name_and_time() -> None:
    story = Story("bob").wait(4)
    story.says("bob", "good luck")
    ((audience, event),) = story.news
    assert audience == views.EVERYONE
    assert said(event) == {
        "type": "said",
        "player": "bob",
        "name": "Bob",
        "text": "good luck",
        "time_ms": BEGINNING + 4000,
    }


def test_the_others_are_invited_to_a_rematch() -> None:
    story = racing("bob", "cid")
    for who in ("ann", "bob", "cid"):
        story.forfeits(who)
    story.rematches("bob", "r2")
    assert [audience for audience, _ in story.news] == ["ann", "cid"]
    assert said(story.told()[0]) == {"type": "invitation", "room": "r2", "from": "bob"}


def test_a_refused_fact_is_news_to_nobody_but_the_time_it_brought_is() -> None:
    story = Story("bob", countdown_s=5)
    story.starts("ann")
    story.wait(5)
    assert story.starts("bob") == "room.not_host"
    assert story.kinds() == ["phase", "board", "board"]
    assert story.starts("bob") == "room.not_host"
    assert story.news == []


# Secrecy


@every_variant
@pytest.mark.parametrize("seed", range(4))
def test_two_deals_that_agree_on_what_a_player_has_seen_look_the_same(variant: str, seed: int) -> None:
    chance = Random(f"{variant} {seed}")
    order = list(DECK)
    chance.shuffle(order)
    rules = CATALOGUE[variant]
    actions: list[str] = []
    game = start(rules, order)
    for _ in range(40):
        action = some_action(game, chance)
        actions.append(action)
        after = play(game, facts.ACTIONS[action])
        game = after if isinstance(after, Game) else game
    one = everything_told(variant, order, actions)
    seen = {card for card in DECK if f'"{card}"' in "".join(boards(one))}
    unseen = [at for at, card in enumerate(order) if card not in seen]
    assert len(unseen) > 1
    other = order[:]
    for at, to in zip(unseen, [*unseen[1:], unseen[0]], strict=True):
        other[to] = order[at]
    assert everything_told(variant, other, actions) == one


def boards(told: list[bytes]) -> list[str]:
    return [text for text in map(bytes.decode, told) if '"board"' in text]


def everything_told(variant: str, order: list[str], actions: list[str]) -> list[bytes]:
    """All that Ann hears when she plays these actions on this deal, asking for all targets in between."""
    story = racing("bob", code=f"{variant}-AAAAAAA")
    game = start(CATALOGUE[variant], order)
    seats = {player: replace(seat, game=game) for player, seat in story.room.seats.items()}
    story.room = replace(story.room, seats=seats)
    told = [JSON.encode(board_of(story))]
    for action in actions:
        before = story.seat("ann").game
        assert before is not None
        if story.plays("ann", action) is None:
            told.append(JSON.encode(views.played(before, story.seat("ann"), 1)))
        else:
            told.append(JSON.encode(story.verdict))
        told.append(JSON.encode(board_of(story)))
        told += [JSON.encode(views.targets(story.seat("ann"), card, 1)) for card in DECK]
        told += [JSON.encode(event) for event in story.told()]
    return told


_EVERYTHING = tuple(facts.ACTIONS)


def some_action(game: Game, chance: Random) -> str:
    """An allowed action more often than not."""
    for _ in range(40 if chance.random() < 0.8 else 1):
        action = chance.choice(_EVERYTHING) if chance.random() < 0.9 else chance.choice(("draw", "undo"))
        if isinstance(play(game, facts.ACTIONS[action]), Game):
            return action
    return action
