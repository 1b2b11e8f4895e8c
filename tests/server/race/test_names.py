"""Names and texts: what they may hold, and which names look alike."""

import pytest

from stampede.server.race.names import alike, clean_name, clean_text


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann   Lee ", "Ann Lee"),
        ("Zoe\u0308", "Zoë"),
        ("蘭", "蘭"),
        ("👩🏽", "👩🏽"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        ("👨\u200d👩\u200d👧\u200d👦" * 24, "👨\u200d👩\u200d👧\u200d👦" * 24),
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
        "👨\u200d👩\u200d👧\u200d👦" * 25,
        "👨\u200d",
        "a\u200d👨",
        "a\ufe0f",
        "1\ufe0f",
        "\u2800",
        "\u0301a",
        "a\u0301\u0302\u0303\u0304\u0305",
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
        ("Ann", "Ａｎｎ"),
        ("Straße", "STRASSE"),
        ("ﬁn", "fin"),
        ("Zoë", "Zoe\u0308"),
        ("❤\ufe0f", "❤"),
        ("Ann", "\u0410nn"),  # Cyrillic
        ("ANN", "\u0391nn"),  # Greek
        ("scope", "\u0455\u0441\u043e\u0440\u0435"),  # Cyrillic throughout
        ("Otto", "0tto"),
        ("Paul", "PAU1"),
        ("Ian", "lan"),
        ("Ian", "\u0406AN"),
        ("modern", "modem"),
        ("Ann", "𝐀𝐧𝐧"),
        ("Ann", "𝓐𝓷𝓷"),
    ],
    ids=ascii,
)
def test_names_look_alike_that_differ_by_case_width_or_look_alike_letters(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "Anna"), ("Zoe", "Zoë"), ("Bob", "Rob"), ("Guy", "Guu"), ("Bot 1", "Bot 11"), ("Bot 1", "Bot 2")],
)
def test_other_names_do_not(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_text_is_kept_in_one_form_with_its_spaces() -> None:
    assert clean_text("Cafe\u0301  at  8") == "Café  at  8"


def test_a_text_may_hold_the_joiners_that_scripts_are_written_with() -> None:
    assert clean_text("می\u200cخواهم") == "می\u200cخواهم"
    assert clean_text("a\u200cb") is None


@pytest.mark.parametrize("text", ["a\nb", "a\x1bb", "a\u202eb", "a\u2028b", "a\x00b"], ids=ascii)
def test_a_text_with_control_characters_or_line_breaks_is_none(text: str) -> None:
    assert clean_text(text) is None
