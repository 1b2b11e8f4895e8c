"""Cards: 52 names, read and spoken."""

from stampede.patience.cards import DECK, HIDDEN, RANK, SUIT, named, spoken


def test_the_deck_has_52_cards_by_suit_then_rank_ace_low() -> None:
    assert len(set(DECK)) == 52
    assert DECK[:3] == ("AS", "2S", "3S")
    assert [card for card in DECK if card[0] == "A"] == ["AS", "AH", "AD", "AC"]
    assert (RANK["AC"], RANK["TD"], RANK["KS"]) == (0, 9, 12)
    assert (SUIT["AS"], SUIT["AH"], SUIT["AD"], SUIT["AC"]) == (0, 1, 2, 3)


def test_a_card_is_found_by_its_exact_name_only() -> None:
    assert all(named(card) is card for card in DECK)
    for text in ("", "td", "10D", "DT", "TD ", "1S", HIDDEN, "T♦", "ＴD"):
        assert named(text) is None, text


def test_a_name_made_elsewhere_becomes_the_card_of_the_deck() -> None:
    assert named("".join(["T", "D"])) is DECK[DECK.index("TD")]


def test_cards_are_spoken_as_people_read_them() -> None:
    assert [spoken(card) for card in ("AS", "7H", "TD", "KC")] == ["A♠", "7♥", "10♦", "K♣"]
