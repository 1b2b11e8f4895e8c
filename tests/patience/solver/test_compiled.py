"""The compiled search and the pure one are the same search; and without the compiled one all works."""

from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stampede.patience.codes import OPEN_LENGTH, Code, dealing_order, payload
from stampede.patience.ruleset import Ruleset
from stampede.patience.solver import blind_wins, compiled, grade, solve
from stampede.patience.variants import CATALOGUE

every_variant = pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
needs_compiled = pytest.mark.skipif(compiled.load() is None, reason="the compiled search is not built")


@needs_compiled
@every_variant
def test_both_give_the_same_answer_line_and_nodes(rules: Ruleset) -> None:
    for number in range(8):
        code = Code(rules.game, rules.variant, payload(number, OPEN_LENGTH))
        pure = solve(code, budget_s=inf, budget_nodes=400, pure=True)
        fast = solve(code, budget_s=inf, budget_nodes=400)
        assert (pure.answer, pure.line, pure.certificate, pure.nodes) == (
            fast.answer,
            fast.line,
            fast.certificate,
            fast.nodes,
        )


@needs_compiled
def test_both_go_on_alike_past_the_first_weights() -> None:
    pure = solve("KL1-D3N-GGFTZFI", budget_s=inf, budget_nodes=2500, pure=True)
    fast = solve("KL1-D3N-GGFTZFI", budget_s=inf, budget_nodes=2500)
    assert (pure.answer, pure.line, pure.nodes) == (fast.answer, fast.line, fast.nodes)


@needs_compiled
@every_variant
def test_both_blind_players_win_the_same_games(rules: Ruleset) -> None:
    for number in range(6):
        order = dealing_order(Code(rules.game, rules.variant, payload(number, OPEN_LENGTH)))
        for games in (1, 8):
            assert blind_wins(rules, order, games) == blind_wins(rules, order, games, pure=True)


@pytest.fixture
def reloaded(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The loader, with nothing remembered before or after."""
    compiled.load.cache_clear()
    yield monkeypatch
    compiled.load.cache_clear()


def test_the_environment_can_ask_for_the_pure_search(reloaded: pytest.MonkeyPatch) -> None:
    reloaded.setenv("STAMPEDE_SOLVER", "pure")
    assert compiled.load() is None


def test_a_module_built_from_other_sources_is_not_used(reloaded: pytest.MonkeyPatch) -> None:
    stale = SimpleNamespace(lib=SimpleNamespace(ENGINE_FINGERPRINT=compiled.fingerprint() ^ 1))
    reloaded.setattr(compiled, "import_module", lambda name: stale)
    assert compiled.load() is None


def test_without_a_compiled_module_the_pure_search_answers(reloaded: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    reloaded.setattr(compiled, "import_module", missing)
    assert compiled.load() is None
    assert solve("YU1-R-AAAAAAB", budget_s=inf, budget_nodes=1000).answer == "winnable"
    code = Code("YU1", "C", "AAAAAAB")
    assert grade(CATALOGUE["YU1-C"], dealing_order(code)) in ("easy", "medium", "hard", "expert")


def test_every_source_that_is_built_is_fingerprinted() -> None:
    sources = {path.name for path in Path(compiled.__file__).parent.iterdir() if path.suffix in (".c", ".h")}
    assert sources == {*compiled.SOURCES, *compiled.HEADERS}
