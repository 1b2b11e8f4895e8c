"""No text of a server controls a terminal."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from stampede.client_cli.printable import printable

from .screens import screen, shown


def test_ordinary_texts_stay_as_they_are() -> None:
    for text in ("Ada", "Zoë", "李雷", "7♥", "🐎", "e\u0301"):
        assert printable(text) == text


def test_controls_of_every_kind_are_gone() -> None:
    assert printable("a\x1b[31mb\x07\x9b2Jc\x7f") == "a[31mb2Jc"
    assert printable("a\u202eb\u2066c\u200bd\u200de\ufefff\u00adg") == "abcdefg"
    assert printable("a\nb\tc\u2028d") == "a b c d"
    assert printable("a\ud800b\u3164c") == "abc"


@given(st.text())
def test_nothing_invisible_ever_gets_through(text: str) -> None:
    assert not [character for character in printable(text) if unicodedata.category(character) in ("Cc", "Cf", "Cs")]


@given(st.text(alphabet=st.characters(codec=None), max_size=60))
def test_nothing_gets_through_a_console_either(text: str) -> None:
    console = screen()
    console.print(text)
    console.print(Text(text, "red"))
    table = Table(text)
    table.add_row(text)
    console.print(table)
    for character in shown(console):
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def test_a_name_cannot_colour_the_terminal_even_where_there_are_colours() -> None:
    console = screen(colours=True)
    console.print("\x1b[31mred\x1b]0;title\x07")
    assert console.file.getvalue() == "[31mred]0;title\n"
