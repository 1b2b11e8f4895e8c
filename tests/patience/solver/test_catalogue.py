"""The catalogue: enough of every grade, and each deal with a line that the referee lets pass."""

from pathlib import Path
from random import Random

import pytest

from patience.solver.vectors import winnable, wins
from stampede.patience import catalogue
from stampede.patience.codes import dealing_order
from stampede.patience.solver import Grade, blind_wins, compiled, graded, locked
from stampede.patience.solver.packing import unpack
from stampede.patience.variants import CATALOGUE, parse_code

LINES = Path(__file__).parent / "lines"
every_catalogue = pytest.mark.parametrize("variant", catalogue.VARIANTS)


def proven(variant: str) -> list[tuple[catalogue.Code, Grade, list[str]]]:
    codes = [(code, grade) for grade in Grade for code in catalogue.codes(variant, grade)]
    lines = unpack((LINES / f"{variant}.xz").read_bytes())
    return [(code, grade, line) for (code, grade), line in zip(codes, lines, strict=True)]


@every_catalogue
def test_there_is_enough_of_every_grade(variant: str) -> None:
    shelves = {grade: catalogue.codes(variant, grade) for grade in Grade}
    total = sum(map(len, shelves.values()))
    assert total >= (5000 if variant.startswith("YU1") else 1000)
    assert min(map(len, shelves.values())) >= 100  # hardly a relaxed deal is for experts
    assert len({code for shelf in shelves.values() for code in shelf}) == total


@every_catalogue
def test_each_deal_has_a_line_and_a_sample_of_them_is_won(variant: str) -> None:
    deals = proven(variant)
    for code, _, line in Random(variant).sample(deals, 250):
        assert parse_code(str(code)) == code
        assert wins(code, line)


@every_catalogue
def test_a_sample_of_grades_is_what_the_blind_player_says(variant: str) -> None:
    if compiled.load() is None:
        pytest.skip("without the compiled player this takes minutes")
    rules = CATALOGUE[variant]
    for code, grade, _ in Random(variant).sample(proven(variant), 25):
        assert graded(blind_wins(rules, dealing_order(code))) == grade


@every_catalogue
def test_no_deal_of_the_catalogue_is_locked(variant: str) -> None:
    for code, _, _ in Random(variant).sample(proven(variant), 100):
        assert locked(CATALOGUE[variant], dealing_order(code)) is None


def test_the_deals_of_the_vectors_are_in_it() -> None:
    every = {
        variant: {code for grade in Grade for code in catalogue.codes(variant, grade)} for variant in catalogue.VARIANTS
    }
    assert all(code in every[code.ruleset_name] for code, _ in winnable())


@every_catalogue
@pytest.mark.parametrize("grade", Grade)
def test_a_pick_is_of_the_variant_and_grade_asked_for(variant: str, grade: Grade) -> None:
    shelf = catalogue.codes(variant, grade)
    picked = {catalogue.pick(variant, grade, Random(seed)) for seed in range(20)}
    assert picked <= set(shelf)
    assert len(picked) > 10


def test_a_pick_without_a_grade_is_of_any() -> None:
    picked = {catalogue.pick("YU1-C", None, Random(seed)) for seed in range(60)}
    assert all(picked & set(catalogue.codes("YU1-C", grade)) for grade in Grade)


def test_the_first_and_the_last_can_be_picked() -> None:
    class Highest:
        def randrange(self, stop: int, /) -> int:
            return stop - 1

    assert catalogue.pick("YU1-C", Grade.HARD, Highest()) == catalogue.codes("YU1-C", Grade.HARD)[-1]
    assert catalogue.pick("YU1-C", None, Highest()) == catalogue.codes("YU1-C", Grade.EXPERT)[-1]


def test_a_variant_without_a_catalogue_says_so() -> None:
    with pytest.raises(LookupError, match="KL1-D1V"):
        catalogue.pick("KL1-D1V", None, Random(1))
