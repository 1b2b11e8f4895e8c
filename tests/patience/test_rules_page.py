"""The page on the rules: its examples run, and its tables say what the code says."""

import doctest
import re
from pathlib import Path

import pytest

from stampede.patience import errors
from stampede.patience.errors import Reason, Refusal
from stampede.patience.variants import CATALOGUE

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text("utf-8")

SPOKEN_OF = (
    errors.game_over(),
    errors.ace_first("7H", "5", "AS"),
    errors.not_available("7H", "5"),
    errors.same_place("7H", "5"),
    errors.home_is_final("7H", "5"),
    errors.covered("7H", "home", 3),
    errors.not_next_home("7H", "home", 0),
    errors.group_too_large("7H", "5", 21, 20),
    errors.kings_only("7H", "5"),
    errors.does_not_fit("7H", "5", "QS"),
    errors.no_stock("Yukon"),
    errors.nothing_left(),
    errors.one_pass(1),
    errors.undo_nothing(100),
)


def test_the_examples_run() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(code, {}, "rules.md", None, 0)
    assert len(examples.examples) > 10
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)


@pytest.mark.parametrize("refusal", SPOKEN_OF, ids=lambda refusal: refusal.reason.value)
def test_the_table_of_refusals_has_each_sentence_and_its_facts(refusal: Refusal) -> None:
    (row,) = (row for row in rows() if row[0] == f"`{refusal.reason.value}`")
    assert row[2] == refusal.text
    assert row[3] == " ".join(f"`{fact}`" for fact in refusal.facts)


def test_the_table_of_refusals_is_complete_and_in_order() -> None:
    told = [row[0].strip("`") for row in rows() if re.fullmatch(r"`[a-z]+\.[a-z_]+`", row[0])]
    assert told == [reason.value for reason in Reason]


def test_the_table_of_variants_is_the_catalogue() -> None:
    told = {row[0].strip("`"): row[1] for row in rows() if re.fullmatch(r"`[A-Z0-9]+-[A-Z0-9]+`", row[0])}
    assert told == {name: rules.title for name, rules in CATALOGUE.items()}


def test_the_table_of_scores_is_that_of_the_rulesets() -> None:
    yukon, normal, vegas = (CATALOGUE[name].scoring for name in ("YU1-C", "KL1-D1N", "KL1-D1V"))

    def told(label: str) -> list[int]:
        (row,) = (row for row in rows() if row[0].startswith(label))
        return [int(cell.replace("−", "-").removesuffix(" $") or 0) for cell in row[1:]]

    def scored(points: str) -> list[int]:
        return [getattr(scoring, points) for scoring in (yukon, normal, vegas)]

    assert told("at the start") == scored("start")
    assert told("a card brought home") == scored("home")
    assert told("a card turned up") == scored("turned_up")
    assert told("from the waste to a column") == scored("waste_to_column")
    assert told("recycle") == scored("recycle")
    assert {scoring.floor for scoring in (yukon, normal)} == {0}
    assert vegas.floor is None


def rows() -> list[list[str]]:
    """The cells of all tables of the page, row by row."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
