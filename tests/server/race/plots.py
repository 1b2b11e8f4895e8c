"""Plots: races on pairs of deals that agree on all that one player sees, and what is done in them."""

from collections.abc import Iterator
from random import Random

from stampede.patience import game as games
from stampede.patience.cards import DECK, HIDDEN, RANKS, SUITS, Card
from stampede.patience.codes import OPEN_LENGTH, SEALED_LENGTH, Code, payload
from stampede.patience.game import Action, Draw, Game, Move, Undo, play, start
from stampede.patience.referee import PLACES
from stampede.patience.ruleset import Ruleset
from stampede.patience.table import Table
from stampede.protocol import commands as say
from stampede.protocol.commands import AnyCommand, Do

ANYTHING: tuple[Action, ...] = (*(Move(card, to) for card in DECK for to in PLACES), Draw(), Undo())


def in_sight(table: Table) -> set[Card]:
    columns = {card for column in range(7) for card in table.seen(column)} - {HIDDEN}
    home = {RANKS[rank] + suit for suit, top in zip(SUITS, table.home, strict=True) for rank in range(top)}
    return columns | set(table.waste) | home


def some_action(game: Game, chance: Random) -> Action:
    dice = chance.random()
    if dice < 0.2:
        return Draw()
    if dice < 0.3:
        return Undo()
    if dice < 0.5:
        return chance.choice(ANYTHING)
    table = game.table
    for _ in range(12):
        cards = chance.choice([*(table.columns[at][table.down[at] :] for at in range(7)), table.waste[-1:]])
        if cards:
            card = chance.choice(cards)
            places, best = games.targets(game, card)
            if best is not None:
                return Move(card, best if chance.random() < 0.5 else chance.choice(places))
    return Draw()


def after(game: Game, action: Action) -> Game:
    outcome = play(game, action)
    return outcome if isinstance(outcome, Game) else game


def numbers(game: Game) -> tuple[int, int, int, bool]:
    return (game.score, game.moves, game.table.cards_home, game.won)


class Plot:
    """One race on two deals: what the player and the rival do, and in which orders the cards lie."""

    def __init__(self, rules: Ruleset, number: int, *, sealed: bool) -> None:
        chance = Random(f"{rules.name} {number}")
        self.chance, self.rules, self.sealed = chance, rules, sealed
        length = SEALED_LENGTH if sealed else OPEN_LENGTH
        self.code = Code(rules.game, rules.variant, payload(chance.getrandbits(5 * length), length))
        first = chance.sample(DECK, 52)
        self.mine = list(self._my_actions(start(rules, first)))
        seen = set[Card]()
        game = start(rules, first)
        for action in (*self.mine, None):
            seen |= in_sight(game.table)
            game = game if action is None else after(game, action)
        hidden = [card for card in first if card not in seen]
        turned = iter(chance.sample(hidden, len(hidden)))
        second = [card if card in seen else next(turned) for card in first]
        self.orders = (first, second)
        self.differ = first != second
        self.rivals = list(self._rivals_actions(*(start(rules, order) for order in self.orders)))

    def _my_actions(self, game: Game) -> Iterator[Action]:
        for _ in range(self.chance.randint(1, 45)):
            action = some_action(game, self.chance)
            yield action
            game = after(game, action)

    def _rivals_actions(self, *pair: Game) -> Iterator[Action]:
        """A rival may see other cards than the player has, as long as it comes to the same numbers on both deals."""
        for _ in range(self.chance.randint(0, 25)):
            action = some_action(pair[0], self.chance)
            following = tuple(after(game, action) for game in pair)
            if numbers(following[0]) == numbers(following[1]) and pair[0].undo_left == pair[1].undo_left:
                accepted = [one is not other for one, other in zip(pair, following, strict=True)]
                if accepted[0] == accepted[1]:
                    yield action
                    pair = following

    def script(self) -> Iterator[tuple[str, AnyCommand]]:
        """What the two say, in a mixed order that is always the same."""
        chance = Random(str(self.code))
        lines: dict[str, Iterator[Action]] = {"player": iter(self.mine), "rival": iter(self.rivals)}
        while lines:
            who = chance.choice(sorted(lines))
            action = next(lines[who], None)
            if action is None:
                del lines[who]
                continue
            if who == "player" and chance.random() < 0.3:
                yield who, say.Targets(card=chance.choice(DECK))
            if who == "player" and chance.random() < 0.1:
                yield who, say.Sync()
            yield who, say.Play(n=0, do=Do.of(action))
