"""What a client knows, folded from what it hears."""

from typing import Any

from stampede.protocol.events import (
    AnyEvent,
    Board,
    Changed,
    DealPicture,
    Entrant,
    EntrantChanged,
    Finish,
    Invitation,
    PhaseChanged,
    Played,
    Progress,
    RacerProgress,
    Result,
    Room,
    RoomPicture,
    SettingsPicture,
    Standing,
    You,
)
from stampede.protocol.sight import Sight, seen

SETTINGS = SettingsPicture(
    sealed=True,
    winnable=False,
    undo=100,
    capacity=8,
    countdown_s=5,
    start="all_ready",
    limit_s=3600,
    tail_s=300,
    listed=False,
    passphrase=False,
    bots=True,
    chat=True,
    title="",
)


def entrant(name: str, **more: Any) -> Entrant:
    usual: dict[str, Any] = {
        "kind": "human",
        "role": "racer",
        "status": "waiting",
        "away": False,
        "score": 0,
        "moves": 0,
        "home": 0,
        "elapsed_ms": 0,
    }
    return Entrant(player=name.lower(), name=name, **(usual | more))


def room(identity: str = "R1", **more: Any) -> Room:
    usual: dict[str, Any] = {
        "phase": "lobby",
        "settings": SETTINGS,
        "deal": DealPicture(variant="KL1-D1N", commitment="0" * 64),
        "host": "ada",
        "entrants": [entrant("Ada"), entrant("Bob"), entrant("Eve", role="watcher", status="watching")],
        "time_ms": 10_000,
        "you": You(player="ada", may=[]),
    }
    return Room(room=RoomPicture(id=identity, **(usual | more)))


def board(**more: Any) -> Board:
    usual: dict[str, Any] = {
        "n": 3,
        "columns": [["KH"], ["--", "9D"], [], [], [], [], ["QS"]],
        "home": {"S": 0, "H": 0, "D": 0, "C": 0},
        "stock": 20,
        "waste": ["AS"],
        "score": 5,
        "moves": 3,
        "elapsed_ms": 1_000,
        "undo_left": 3,
    }
    return Board(**(usual | more))


def after(*events: AnyEvent, now: float = 100.0) -> Sight:
    sight = Sight()
    for event in events:
        sight = seen(sight, event, now)
    return sight


def statuses(sight: Sight) -> dict[str, str]:
    assert sight.room is not None
    return {one.name: one.status for one in sight.room.entrants}


def test_piles_are_overwritten_and_the_others_stay() -> None:
    changed = Changed(columns={"2": ["8C"], "7": ["QS", "JH"]}, home={"S": 1}, waste=[])
    played = Played(n=4, changed=changed, score=15, moves=4, elapsed_ms=2_000, undo_left=4)
    assert after(room(), board(), played).board == board(
        n=4,
        columns=[["KH"], ["8C"], [], [], [], [], ["QS", "JH"]],
        home={"S": 1, "H": 0, "D": 0, "C": 0},
        waste=[],
        score=15,
        moves=4,
        elapsed_ms=2_000,
        undo_left=4,
    )


def test_my_own_row_says_at_once_what_my_board_says() -> None:
    played = Played(n=4, changed=Changed(home={"S": 1}), score=15, moves=4, elapsed_ms=2_000, undo_left=4)
    me = after(room(), board(), played).me
    assert me is not None
    assert (me.score, me.moves, me.home) == (15, 4, 1)


def test_at_the_start_all_who_were_there_race() -> None:
    sight = after(room(), PhaseChanged(phase="racing"), board())
    assert statuses(sight) == {"Ada": "racing", "Bob": "racing", "Eve": "watching"}
    assert sight.racing


def test_the_start_is_on_my_own_clock() -> None:
    assert after(PhaseChanged(phase="countdown", in_ms=5_000)).starts_at == 105.0
    assert after(room(starts_at_ms=4_000)).starts_at == 94.0
    assert after(room(), PhaseChanged(phase="countdown", in_ms=5_000), PhaseChanged(phase="lobby")).starts_at is None


def test_entrants_come_change_and_hand_the_role_of_host_on() -> None:
    sight = after(
        room(),
        EntrantChanged(entrant=entrant("Cal"), host="ada"),
        EntrantChanged(entrant=entrant("Ada", status="left"), host="bob"),
    )
    assert statuses(sight) == {"Ada": "left", "Bob": "waiting", "Eve": "watching", "Cal": "waiting"}
    assert sight.room is not None
    assert sight.room.host == "bob"


def test_progress_and_finishes_are_noted_and_strangers_are_not() -> None:
    sight = after(
        room(phase="racing"),
        Progress(racers=[RacerProgress("bob", 30, 9, 2, 4_000), RacerProgress("nobody", 1, 1, 1, 1)]),
    )
    bob = sight.entrant("bob")
    assert bob is not None
    assert (bob.score, bob.moves, bob.home, bob.elapsed_ms) == (30, 9, 2, 4_000)
    bob = after(room(), Finish(player="bob", place=1, score=625, moves=90, elapsed_ms=60_000)).entrant("bob")
    assert bob is not None
    assert (bob.status, bob.place, bob.home) == ("finished", 1, 52)


def test_the_result_ends_it_and_tells_the_code() -> None:
    row = Standing(place=1, player="bob", name="Bob", status="timed_out", score=7, moves=8, home=1, elapsed_ms=9)
    sight = after(room(phase="racing"), board(), Result(winner=[], standings=[row], code="KL1-D1N-AAAAAAB"))
    assert sight.over
    assert not sight.racing
    assert statuses(sight)["Bob"] == "timed_out"
    assert sight.room is not None
    assert sight.room.deal.code == "KL1-D1N-AAAAAAB"


def test_another_room_is_a_fresh_start_and_the_same_one_is_not() -> None:
    assert after(room(), board(), Invitation(room="R2", host="bob"), room("R2")) == after(room("R2"))
    assert after(room(), board(), room()).board == board()
    assert after(room(), Invitation(room="R2", host="bob")).invitation == "R2"


def test_what_is_heard_outside_a_room_does_no_harm() -> None:
    sight = after(
        PhaseChanged(phase="racing"),
        EntrantChanged(entrant=entrant("Bob"), host="bob"),
        Finish(player="bob", place=1, score=0, moves=0, elapsed_ms=0),
        Played(n=1, changed=Changed(), score=0, moves=1, elapsed_ms=0, undo_left=1),
    )
    assert (sight.room, sight.board, sight.me) == (None, None, None)
