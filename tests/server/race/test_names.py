"""Names and texts: what they may hold, and which names look alike."""

import pytest

from stampede.server.race.names import clean_name, clean_text, likeness


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann   Lee ", "Ann Lee"),
        ("Zoe\u0308", "Zoë"),
        ("蘭", "蘭"),
        ("👩🏽", "👩🏽"),
        ("e\u0301" * 24, "é" * 24),
        ("🇩🇪" * 24, "🇩🇪" * 24),
        ("a" * 24, "a" * 24),
    ],
)
def test_a_name_is_kept_in_one_form(typed: str, kept: str) -> None:
    assert clean_name(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "a" * 25,
        "👩🏽" * 25,
        "a\x00b",
        "a\x1b[31mb",
        "a\nb",
        "a\tb",
        "a\x7fb",
        "a\x9bb",
        "a\u200bb",
        "a\u200db",
        "a\u202eb",
        "a\u2066b",
        "a\ufeffb",
        "a\u2028b",
        "a\u2029b",
        "a\u00adb",
        "a\u3164b",
        "a\U000e0041b",
        "a\ue000b",
        "a\u0378b",
    ],
    ids=ascii,
)
def test_a_name_that_could_mislead_or_harm_a_terminal_is_none(typed: str) -> None:
    assert clean_name(typed) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ann", "ANN"),
        ("Ann", "ann"),
        ("Ann", "Ａｎｎ"),
        ("Straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("Zoë", "Zoe\u0308"),
    ],
)
def test_names_look_alike_that_differ_by_case_or_width(one: str, other: str) -> None:
    assert likeness(one) == likeness(other)


@pytest.mark.parametrize(("one", "other"), [("Ann", "Anna"), ("Zoe", "Zoë"), ("Bob", "Rob")])
def test_other_names_do_not(one: str, other: str) -> None:
    assert likeness(one) != likeness(other)


def test_a_text_is_kept_in_one_form_with_its_spaces() -> None:
    assert clean_text("Cafe\u0301  at  8") == "Café  at  8"


@pytest.mark.parametrize("text", ["a\nb", "a\x1bb", "a\u202eb", "a\u2028b", "a\x00b"], ids=ascii)
def test_a_text_with_control_characters_or_line_breaks_is_none(text: str) -> None:
    assert clean_text(text) is None
