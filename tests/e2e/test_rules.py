"""Random games over the wire, with allowed and refused actions, against a plain model of the rules."""

from random import Random
from typing import Any

import pytest

from .model import DECK, PLACES, VARIANTS, Model
from .servers import Server
from .third_party import Client, pile

ACTIONS = [*(f"{card} {to}" for card in DECK for to in PLACES), "draw", "undo"]


def some_action(model: Model, chance: Random) -> str:
    """What a player might try: mostly something allowed, cards home rather more often than not."""
    dice = chance.random()
    if dice < 0.2:
        return chance.choice(ACTIONS)
    if dice < 0.27:
        return "undo"
    if dice < 0.35:
        return "draw"
    legal = model.legal()
    home = [action for action in legal if action.endswith("home")]
    return chance.choice(home if home and dice < 0.6 else legal or ACTIONS)


def agree(client: Client, model: Model, answer: dict[str, Any]) -> None:
    assert answer["score"] == model.score
    assert answer["moves"] == model.moves
    assert answer["undo_left"] == model.undo_left
    assert pile(client.board) == model.view()


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize("variant", VARIANTS)
async def test_a_random_game_agrees_with_the_model_in_everything(server: Server, variant: str, encoding: str) -> None:
    chance = Random(f"{variant} {encoding}")
    outcomes: set[str] = set()
    for undo in (100, chance.choice((0, 1, 3))):
        deal = f"{variant}-{''.join(chance.choices('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', k=7))}"
        model = Model(deal, undo)
        async with Client(server.url, "Ann", encoding=encoding) as ann:
            await ann.alone(deal, undo=undo)
            agree(ann, model, ann.board)
            count = 0
            for _ in range(110):
                for card in chance.sample(DECK, 3):
                    places, best = model.targets(card)
                    told = await ann.ask("targets", card=card)
                    assert (told["card"], sorted(told["to"]), told.get("best")) == (card, places, best)
                action = some_action(model, chance)
                before = ann.board
                outcome = model.act(action)
                outcomes.add(outcome)
                answer = await ann.play(action)
                if outcome == "ok":
                    count += 1
                    assert (answer["type"], answer["n"]) == ("played", count)
                    assert answer["elapsed_ms"] >= before["elapsed_ms"]
                    assert set(answer["changed"]) <= {"columns", "home", "stock", "waste"}
                    agree(ann, model, answer)
                else:
                    assert (answer["type"], answer["code"]) == ("error", outcome), action
                    assert ann.board == before
                    if " " in action:
                        card, to = action.split()
                        assert (answer["data"]["card"], answer["data"]["to"]) == (card, to)
            mark = len(ann.heard)
            answer = await ann.ask("sync")
            assert answer["type"] == "room"
            await ann.until(lambda mark=mark: any(one["type"] == "board" for one in ann.heard[mark:]))
            agree(ann, model, ann.board)
            assert ann.board["n"] == count
    assert {"ok", "move.not_available", "move.does_not_fit"} <= outcomes


@pytest.mark.parametrize("variant", ["YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D3N"])
async def test_a_won_game_is_won(server: Server, lines: dict[str, list[str]], variant: str) -> None:
    deal = [code for code in lines if code.startswith(variant)][7]
    model = Model(deal)
    async with Client(server.url, "Ann") as ann:
        await ann.alone(deal)
        for action in lines[deal]:
            assert model.act(action) == "ok"
            agree(ann, model, await ann.play(action))
        finish = await ann.wait("finish")
        assert (finish["player"], finish["place"], finish["score"]) == (ann.player, 1, model.score)
        result = await ann.wait("result")
        assert (result["winner"], result["code"]) == ([ann.player], deal)
        row = result["standings"][0]
        assert (row["score"], row["moves"], row["home"], row["status"]) == (model.score, model.moves, 52, "finished")
        for action in ("undo", "draw", "KS 1"):
            assert (await ann.play(action))["code"] in ("race.over", "game.over")


async def test_two_equal_moves_at_once_are_one_move_and_one_refusal(server: Server) -> None:
    async with Client(server.url, "Ann") as ann:
        await ann.alone("KL1-D3N-AAAAAAG")
        first, second, third = [await ann.say_play("draw", n) for n in (1, 2, 2)]
        assert (await ann.answer(first))["type"] == "played"
        assert (await ann.answer(second))["type"] == "played"
        again = await ann.answer(third)
        assert (again["type"], again["n"], again["stock"]) == ("board", 2, 18)
