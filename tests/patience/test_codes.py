"""Deal codes: read whatever their case, refused with the wrong part named, and dealt the same everywhere."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stampede.patience import codes
from stampede.patience.cards import DECK
from stampede.patience.codes import ALPHABET, BadCode, Code, dealing_order, parse, payload

KNOWN = {"YU1": ("C", "R", "T"), "KL1": ("D1N", "D1V")}


def test_a_code_is_taken_apart_and_written_again() -> None:
    code = parse("YU1-C-AAAAAAB", KNOWN)
    assert code == ("YU1", "C", "AAAAAAB")
    assert code.ruleset_name == "YU1-C"
    assert str(code) == "YU1-C-AAAAAAB"


def test_a_code_is_read_whatever_its_case_and_written_in_upper_case() -> None:
    assert str(parse("kl1-d1n-aaAAaag", KNOWN)) == "KL1-D1N-AAAAAAG"


def test_open_and_sealed_payloads_are_read() -> None:
    assert parse("YU1-C-" + "7" * 7, KNOWN).payload == "7" * 7
    assert parse("YU1-C-" + "Z" * 26, KNOWN).payload == "Z" * 26


@pytest.mark.parametrize(
    ("text", "part", "says"),
    [
        ("", "form", "GAME-VARIANT-PAYLOAD"),
        ("YU1", "form", "'YU1'"),
        ("YU1-C", "form", "GAME-VARIANT-PAYLOAD"),
        ("YU1-C-AAAAAAB-", "form", "GAME-VARIANT-PAYLOAD"),
        ("YU1–C–AAAAAAB", "form", "YU1-C-AAAAAAB"),
        ("yu1-c-aaaaaaİ", "form", "GAME-VARIANT-PAYLOAD"),
        ("x" * 5000, "form", "…"),
        ("yu2-C-AAAAAAB", "game", "YU1 or KL1, not 'yu2'"),
        ("FC1-C-AAAAAAB", "game", "YU1 or KL1, not 'FC1'"),
        (" YU1-C-AAAAAAB", "game", "' YU1'"),
        ("YU1-x-AAAAAAB", "variant", "YU1 code is C, R or T, not 'x'"),
        ("YU1--AAAAAAB", "variant", "not ''"),
        ("YU1-D1N-AAAAAAB", "variant", "not 'D1N'"),
        ("KL1-C-AAAAAAB", "variant", "KL1 code is D1N or D1V, not 'C'"),
        ("YU1-C-AAAAAA1", "payload", "A-Z and 2-7"),
        ("YU1-C-AAAAAAB\n", "payload", "A-Z and 2-7"),
        ("YU1-C-AAAAAA", "payload", "7 symbols (open) or 26 (sealed), not 6"),
        ("YU1-C-AAAAAAAA", "payload", "not 8"),
        ("YU1-C-", "payload", "not 0"),
        ("YU1-C-" + "A" * 25, "payload", "not 25"),
    ],
)
def test_anything_else_is_refused_by_the_part_that_is_wrong(text: str, part: str, says: str) -> None:
    with pytest.raises(BadCode) as refused:
        parse(text, KNOWN)
    assert refused.value.part == part
    assert says in str(refused.value)
    assert len(str(refused.value)) < 200


@given(st.text(max_size=40))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    try:
        code = parse(text, KNOWN)
    except BadCode:
        return
    assert str(code) == text.upper()


@given(st.integers(0, 32**7 - 1))
def test_a_payload_writes_its_number_in_base_32(number: int) -> None:
    text = payload(number, 7)
    assert len(text) == 7
    assert sum(ALPHABET.index(symbol) * 32**place for place, symbol in enumerate(reversed(text))) == number


def test_a_number_that_does_not_fit_its_payload_is_a_fault() -> None:
    assert payload(32**7 - 1, 7) == "7777777"
    for number in (-1, 32**7):
        with pytest.raises(ValueError, match="7 symbols"):
            payload(number, 7)


@given(st.text(ALPHABET, min_size=7, max_size=7) | st.text(ALPHABET, min_size=26, max_size=26))
def test_the_dealing_order_is_the_deck_sorted_by_digest(text: str) -> None:
    plain = sorted(DECK, key=lambda card: sha256(f"KL1-{text}:{card}".encode()).digest())
    assert dealing_order(Code("KL1", "D1N", text)) == tuple(plain)


def test_the_variant_is_no_part_of_the_deal_and_the_game_is() -> None:
    classic, relaxed, other = (Code(*parts) for parts in (("YU1", "C", "A"), ("YU1", "R", "A"), ("KL1", "C", "A")))
    assert dealing_order(classic) == dealing_order(relaxed)
    assert dealing_order(classic) != dealing_order(other)


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_a_fresh_interpreter_deals_the_same_whatever_its_hash_seed(seed: str) -> None:
    vectors = Path(__file__).parents[1] / "vectors" / "deals.jsonl"
    deals = [json.loads(line) for line in vectors.read_text("ascii").splitlines()]
    script = (
        "import sys; from stampede.patience import codes, variants\n"
        "for text in sys.argv[1:]: print(*codes.dealing_order(variants.parse_code(text)))"
    )
    source = Path(codes.__file__).parents[2]
    dealt = subprocess.run(
        [sys.executable, "-c", script, *(deal["code"] for deal in deals)],
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert dealt.stdout.splitlines() == [deal["order"] for deal in deals]
