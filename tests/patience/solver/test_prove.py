"""Three answers, each with what makes it true."""

from math import inf

import pytest

from patience.solver.vectors import winnable, wins
from stampede.patience.codes import BadCode, dealing_order
from stampede.patience.solver import EXHAUSTED_SEARCH, Answer, LockSet, compiled, lock_fault, solve, solve_table
from stampede.patience.solver.prove import Unsound
from stampede.patience.solver.search import Search
from stampede.patience.table import Table, deal
from stampede.patience.variants import CATALOGUE, parse_code

LOCKED = "YU1-C-AAAAAAF"
LOST_BY_SEARCH = "KL1-D1N-H6LL4BI"
HARD = "KL1-D3N-GGFTZFI"


@pytest.mark.parametrize("name", [name for name in CATALOGUE if not name.endswith("V")])
def test_deals_that_others_have_won_are_won_or_left_open(name: str) -> None:
    deals = [code for code, _ in winnable() if code.ruleset_name == name][:25]
    answers = [(code, solve(code, budget_s=inf, budget_nodes=400, pure=True)) for code in deals]
    assert {answer.answer for _, answer in answers} <= {"winnable", "open"}
    assert all(wins(code, answer.line) for code, answer in answers if answer.answer == "winnable")
    assert sum(answer.answer == "winnable" for _, answer in answers) >= len(deals) // 2


def test_the_compiled_search_wins_nearly_all_that_others_have_won() -> None:
    if compiled.load() is None:
        pytest.skip("the compiled search is not built")
    answers = [(code, solve(code, budget_s=inf, budget_nodes=30_000)) for code, _ in winnable()]
    assert {answer.answer for _, answer in answers} <= {"winnable", "open"}
    assert all(wins(code, answer.line) for code, answer in answers if answer.answer == "winnable")
    assert sum(answer.answer == "winnable" for _, answer in answers) > 0.95 * len(answers)


def test_a_deal_is_given_as_text_as_a_code_or_as_rules_and_order() -> None:
    code = parse_code("YU1-R-AAAAAAB")
    as_text, as_code, as_order = (
        solve(given, budget_s=inf, pure=True)
        for given in ("yu1-r-aaaaaab", code, (CATALOGUE["YU1-R"], dealing_order(code)))
    )
    assert as_text.answer == "winnable"
    assert as_text.line == as_code.line == as_order.line


def test_a_text_that_is_no_code_is_refused() -> None:
    with pytest.raises(BadCode):
        solve("YU1-X-AAAAAAB", budget_s=1)


def test_a_lock_set_comes_before_any_search() -> None:
    code = parse_code(LOCKED)
    answer = solve(code, budget_s=inf)
    assert answer.answer == "unwinnable"
    assert answer.nodes == 0
    assert isinstance(answer.certificate, LockSet)
    table = deal(CATALOGUE[code.ruleset_name], dealing_order(code))
    assert lock_fault(CATALOGUE[code.ruleset_name], table.columns, table.down, answer.certificate.cards) is None


def test_a_search_that_is_exhausted_says_so() -> None:
    answer = solve(LOST_BY_SEARCH, budget_s=inf, budget_nodes=10, pure=True)
    assert (answer.answer, answer.certificate, answer.line) == ("unwinnable", EXHAUSTED_SEARCH, ())


def test_a_spent_budget_of_nodes_leaves_the_question_open() -> None:
    answer = solve(HARD, budget_s=inf, budget_nodes=137, pure=True)
    assert (answer.answer, answer.certificate, answer.line, answer.nodes) == ("open", None, (), 137)


def test_a_spent_budget_of_seconds_leaves_the_question_open() -> None:
    ticks = iter(range(1000))
    answer = solve(HARD, budget_s=5, clock=lambda: float(next(ticks)), pure=True)
    assert answer.answer == "open"
    assert answer.seconds >= 5


def test_a_won_table_is_won_without_a_move() -> None:
    table = Table(((),) * 7, (0,) * 7, (13, 13, 13, 13))
    assert solve_table(CATALOGUE["YU1-C"], table, budget_s=inf).answer == "winnable"


def test_a_table_in_the_middle_of_a_game_is_solved_from_there() -> None:
    table = Table((("QS", "KS"), ("KH",), *((),) * 5), (1, 0, 0, 0, 0, 0, 0), (11, 12, 13, 13))
    answer = solve_table(CATALOGUE["YU1-T"], table, budget_s=inf, pure=True)
    assert sorted(answer.line[-2:]) == ["KS home", "QS home"] or answer.line[-1] == "KH home"


def test_a_line_that_the_referee_refuses_is_a_fault_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Search.line
    monkeypatch.setattr(Search, "line", lambda self: right(self)[1:])
    with pytest.raises(Unsound):
        solve("YU1-R-AAAAAAB", budget_s=inf, pure=True)


def test_an_answer_is_a_value() -> None:
    with pytest.raises(AttributeError):
        Answer("open").nodes = 5  # type: ignore[misc]
