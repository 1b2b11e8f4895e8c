"""The catalogue: seven variants, each the answers that the rules give."""

import pytest

from stampede.patience.codes import BadCode
from stampede.patience.ruleset import Ruleset
from stampede.patience.variants import CATALOGUE, VARIANTS, parse_code

KLONDIKE = [name for name in CATALOGUE if name.startswith("KL1")]
YUKON = [name for name in CATALOGUE if name.startswith("YU1")]


def test_the_catalogue_has_the_seven_variants_by_name() -> None:
    assert list(CATALOGUE) == ["YU1-C", "YU1-R", "YU1-T", "KL1-D1N", "KL1-D1V", "KL1-D3N", "KL1-D3V"]
    assert all(rules.name == name for name, rules in CATALOGUE.items())
    assert VARIANTS == {"YU1": ("C", "R", "T"), "KL1": ("D1N", "D1V", "D3N", "D3V")}


def test_every_variant_has_a_title_of_its_own() -> None:
    assert len({rules.title for rules in CATALOGUE.values()}) == 7


@pytest.mark.parametrize("rules", CATALOGUE.values(), ids=lambda rules: rules.name)
def test_a_deal_fills_seven_columns_with_21_cards_face_down(rules: Ruleset) -> None:
    assert len(rules.face_down) == len(rules.face_up) == 7
    assert sum(rules.face_down) == 21
    in_columns = sum(rules.face_down) + sum(rules.face_up)
    assert in_columns == 52 or (in_columns == 28 and rules.draws)


def test_only_relaxed_yukon_lets_colours_lie_as_they_like() -> None:
    for name, rules in CATALOGUE.items():
        assert rules.lies_on["7H"] == ({"8S", "8H", "8D", "8C"} if name == "YU1-R" else {"8S", "8C"})


def test_only_traditional_yukon_keeps_cards_home_and_sends_aces_first() -> None:
    assert [name for name, rules in CATALOGUE.items() if rules.home_is_final] == ["YU1-T"]
    assert [name for name, rules in CATALOGUE.items() if rules.aces_first] == ["YU1-T"]


def test_groups_are_limited_to_20_cards_in_yukon_alone() -> None:
    assert {CATALOGUE[name].group_limit for name in YUKON} == {20}
    assert {CATALOGUE[name].group_limit for name in KLONDIKE} == {None}


def test_klondike_draws_one_or_three_and_vegas_goes_through_the_stock_once() -> None:
    assert {name: (rules.draws, rules.passes) for name, rules in CATALOGUE.items()} == {
        "YU1-C": (0, None),
        "YU1-R": (0, None),
        "YU1-T": (0, None),
        "KL1-D1N": (1, None),
        "KL1-D1V": (1, 1),
        "KL1-D3N": (3, None),
        "KL1-D3V": (3, 1),
    }


def test_codes_are_read_against_the_catalogue() -> None:
    assert parse_code("kl1-d3v-aaaaaag").ruleset_name == "KL1-D3V"
    with pytest.raises(BadCode, match="D1N, D1V, D3N or D3V"):
        parse_code("KL1-D2N-AAAAAAG")
