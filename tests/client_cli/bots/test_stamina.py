"""Stamina: it lasts while something is gained, and some time longer."""

from stampede.client_cli.bots.stamina import Stamina

from .play import deal


def lasted(stamina: Stamina, table: object) -> int:
    """For how many actions it lasts on a table where nothing happens."""
    return next(number for number in range(1000) if not stamina.lasts(table))  # type: ignore[arg-type]


def test_it_ends_where_nothing_is_gained() -> None:
    assert 30 < lasted(Stamina(), deal("YU1-C", 1).table) < 100


def test_a_talon_has_to_be_gone_through_so_it_lasts_longer() -> None:
    assert lasted(Stamina(), deal("KL1-D1N", 1).table) == lasted(Stamina(), deal("YU1-C", 1).table) + 24


def test_a_card_turned_or_brought_home_renews_it_but_not_for_the_second_time() -> None:
    table = deal("YU1-C", 1).table
    for better in (table._replace(home=(1, 0, 0, 0)), table._replace(down=(0, 0, 2, 3, 4, 5, 6))):
        stamina = Stamina()
        whole = lasted(stamina, table)
        assert lasted(stamina, better) == whole
        assert not stamina.lasts(table)
        assert not stamina.lasts(better)
