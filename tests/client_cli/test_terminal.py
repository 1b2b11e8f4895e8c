"""What a terminal can show."""

import io

from rich.table import Table

from stampede.client_cli.terminal import console, speaks_utf8

from .screens import screen, shown


def test_the_locale_decides_on_symbols() -> None:
    assert speaks_utf8("utf-8", {"LANG": "en_GB.UTF-8"})
    assert speaks_utf8("utf-8", {"LANG": "C.UTF-8"})
    assert speaks_utf8("UTF8", {"LC_ALL": "de_DE.utf8", "LANG": "C"})
    assert speaks_utf8("utf-8", {"LC_CTYPE": "en_GB.UTF-8", "LANG": "C"})
    assert not speaks_utf8("utf-8", {"LANG": "C"})
    assert not speaks_utf8("utf-8", {})
    assert not speaks_utf8("utf-8", {"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"})
    assert not speaks_utf8("iso8859-1", {"LANG": "en_GB.UTF-8"})
    assert not speaks_utf8(None, {"LANG": "en_GB.UTF-8"})


def test_a_locale_that_python_has_put_there_itself_does_not_count() -> None:
    assert not speaks_utf8("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"})
    assert not speaks_utf8("utf-8", {"LC_CTYPE": "C.UTF-8"})


def test_the_users_own_word_counts() -> None:
    assert speaks_utf8("utf-8", {"LANG": "C", "PYTHONUTF8": "1"})
    assert speaks_utf8("utf-8", {"LANG": "C", "PYTHONIOENCODING": "utf-8"})


def test_without_symbols_suits_are_letters_in_every_text() -> None:
    console = screen(symbols=False)
    console.print("10♦ cannot go on 9♣ … yet")
    assert shown(console) == "10D cannot go on 9C ... yet"


def test_what_an_ascii_terminal_cannot_write_is_no_error() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    console(stream, {"LANG": "C"}).print("Zoë ♠")
    stream.flush()
    assert raw.getvalue() == b"Zo? S\n"


def test_long_lines_go_whole_into_a_pipe() -> None:
    console = screen(width=20)
    console.print("one line that is longer than twenty columns")
    assert len(shown(console).splitlines()) == 1


def test_a_wide_table_goes_whole_into_a_pipe_and_a_narrow_one_as_it_is() -> None:
    console = screen(width=20)
    for cells in (("abcdefgh", "one title that is longer than twenty columns"), ("abcdefgh", "short")):
        table = Table("room", "title", box=None, pad_edge=False, padding=(0, 2))
        table.add_row(*cells)
        console.print(table)
    assert shown(console).splitlines() == [
        "room        title",
        "abcdefgh    one title that is longer than twenty columns",
        "room        title",
        "abcdefgh    short",
    ]
