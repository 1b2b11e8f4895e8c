"""Two pictures on a wide and on a narrow terminal."""

from stampede.client_cli.beside import beside

from .screens import screen, shown


def test_side_by_side_where_there_is_room_else_one_below_the_other() -> None:
    wide, narrow = screen(width=30), screen(width=20)
    for console in (wide, narrow):
        console.print(beside(console, "left\nfoot", "right, and wider"))
    assert shown(wide).splitlines() == ["left    right, and wider", "foot"]
    assert shown(narrow).splitlines() == ["left", "foot", "right, and wider"]
