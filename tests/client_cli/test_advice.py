"""Advice: what is added to the words of the server and the client."""

from stampede.client_cli import advice
from stampede.protocol.events import Error
from stampede.protocol.link import ClientError, Refused, Unreachable
from stampede.protocol.news import HungUp


def refused(code: str) -> ClientError:
    return Refused(Error(code=code, text="No."))


def test_who_has_a_taken_name_is_told_of_the_flag() -> None:
    assert advice.refusal(refused("room.name_taken")) == "No. Another name is given with --name."


def test_other_problems_speak_for_themselves() -> None:
    for error in (refused("room.full"), refused("some.newer_code"), Unreachable("No.")):
        assert advice.refusal(error) == "No."


def test_who_was_taken_over_is_told_why_that_was_the_same_player() -> None:
    told = advice.end(HungUp("Taken over.", 4001))
    assert told.startswith("Taken over. ")
    assert "one player" in told
    assert "--name" in told
    assert advice.end(HungUp("Over.", 1000)) == advice.end(HungUp("Over.")) == "Over."
