"""A replay: all that was played, enough to judge it again; and nothing before it is over."""

import json
from hashlib import sha256
from typing import Any

from stampede.patience.game import Game, play, start_code
from stampede.patience.variants import parse_code
from stampede.protocol.codec import JSON
from stampede.server.race.facts import ACTIONS
from stampede.server.race.replay import replay

from .story import BEGINNING, CODE, SEALED_CODE, Story, lines, racing


def told(story: Story, player: str | None = None) -> dict[str, Any]:
    answer = replay("r1", story.log, player)
    assert answer is not None
    message: dict[str, Any] = json.loads(JSON.encode(answer))
    return message


def finished_race() -> Story:
    story = racing("bob", tail_s=60)
    story.enters("dora", "watcher")
    story.wait(2).plays("bob", "QD 1")
    story.plays("bob", "QD 1")
    story.plays("bob", "QD 1", 1)
    story.wait(1).plays("bob", "undo")
    story.wait(1).wins("ann")
    story.forfeits("bob")
    return story


def test_it_tells_every_accepted_action_with_its_time_and_no_other() -> None:
    message = told(finished_race())
    ann, bob = message["racers"]
    assert (bob["player"], bob["name"], bob["status"], bob["place"]) == ("bob", "Bob", "forfeited", 2)
    assert bob["actions"] == [[2000, {"move": "QD", "to": "1"}], [3000, {"undo": True}]]
    assert len(ann["actions"]) == len(lines()[CODE])
    assert {elapsed for elapsed, _ in ann["actions"]} == {4000}


def test_it_tells_the_race() -> None:
    message = told(finished_race())
    assert (message["type"], message["version"], message["room"], message["code"]) == ("replay", 1, "r1", CODE)
    assert (message["variant"], message["starts_at_ms"]) == ("YU1-C", BEGINNING)
    assert message["ends_at_ms"] == BEGINNING + 4000
    assert "commitment" not in message
    assert message["settings"]["tail_s"] == 60


def test_it_is_enough_to_judge_it_all_again() -> None:
    story = finished_race()
    for racer in told(story)["racers"]:
        game = start_code(parse_code(CODE))
        for _, do in racer["actions"]:
            action = "undo" if do.get("undo") else f"{do['move']} {do['to']}"
            after = play(game, ACTIONS[action])
            assert isinstance(after, Game)
            game = after
        assert game == story.seat(racer["player"]).game


def test_one_player_alone_can_be_asked_for() -> None:
    assert [racer["player"] for racer in told(finished_race(), "bob")["racers"]] == ["bob"]


def test_a_sealed_race_tells_its_code_with_the_commitment_it_gave() -> None:
    story = racing("bob", code=SEALED_CODE, sealed=True)
    story.forfeits("ann")
    story.forfeits("bob")
    message = told(story)
    assert message["code"] == SEALED_CODE
    assert message["commitment"] == sha256(SEALED_CODE.encode()).hexdigest()


def test_there_is_none_before_the_end() -> None:
    assert replay("r1", Story("bob").log) is None
    assert replay("r1", racing("bob").log) is None
    closing = racing("bob", tail_s=60)
    closing.wins("ann")
    assert replay("r1", closing.log) is None


def test_there_is_none_of_a_cancelled_room_nor_of_nothing() -> None:
    story = Story()
    story.leaves("ann")
    assert replay("r1", story.log) is None
    assert replay("r1", []) is None
    assert replay("r1", story.log[1:]) is None


def test_a_win_that_is_said_again_is_told_once() -> None:
    story = racing()
    story.wins("ann")
    story.plays("ann", lines()[CODE][-1], story.seat("ann").n)
    assert len(told(story)["racers"][0]["actions"]) == len(lines()[CODE])
