"""The clauses of Courtyard, Y1 to Y7, each proved on the real environment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.driving import (
    DEAL,
    REDEAL,
    WASTE_UP,
    MoveTuple,
    at,
    do,
    moves,
    new_env,
    pile_up,
    start,
)
from tests.positions import cards
from tests.reference_games import COURTYARD
from tests.reference_model import Options

# Tops on which nothing of the positions below fits, and which fit nowhere themselves.
KINGS = ["KH", "KH", "KD", "KD", "KC", "KC"]
TWOS = ["2H", "2H", "2D", "2D", "2C", "2C"]

# ---------------------------------------------------------------- Y1


def test_Y1_the_deal() -> None:
    env = new_env("courtyard")
    assert Options(**env.rules.to_dict()) == COURTYARD
    for number in range(20):
        env.reset(options={"deal": number})
        position = at(env)
        assert [len(pile) for pile in position.tableau] == [1] * 12
        assert len(position.stock) == 92
        assert position.foundations == ((),) * 8
        assert position.reserve == ()
        assert (position.redeals_left, position.stock_seen) == (0, False)


# ---------------------------------------------------------------- Y2


@pytest.mark.parametrize(
    ("foundations", "card", "fits"),
    [
        ({"S": "- -"}, "AS", True),
        ({"S": "- -"}, "2S", False),
        ({"S": "- -"}, "KS", False),
        ({"S": "A -"}, "2S", True),
        ({"S": "A -"}, "3S", False),
        ({"S": "T 4"}, "JS", True),
        ({"S": "Q 4"}, "KS", True),
        ({"S": "T 4", "C": "J -"}, "QS", False),
        ({"S": "A -", "C": "A A"}, "2C", True),
    ],
)
def test_Y2_foundations_build_up_in_suit_from_ace_to_king(foundations: dict[str, str], card: str, fits: bool) -> None:
    tops = ["KH", "KH", "KD", "KD", "4H", "4H", "8D", "8D", "6D", "6D", "2H", "2H"]
    env = start("courtyard", tops, waste=card, foundations=foundations)
    assert moves(env) == ({DEAL, WASTE_UP} if fits else {DEAL})
    if fits:
        do(env, WASTE_UP)
        assert card in [pile[-1] for pile in at(env).foundations if pile]


def test_Y2_to_the_king() -> None:
    env = start("courtyard", [*KINGS, *TWOS], waste="KS", foundations={"S": "Q -"})
    do(env, WASTE_UP)
    assert at(env).foundations[0] == cards("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")


# ---------------------------------------------------------------- Y3


@pytest.mark.parametrize(
    ("card", "beneath", "fits"),
    [
        ("8S", "9S", True),
        ("QS", "KS", True),
        ("AS", "2S", True),
        ("8C", "9S", False),
        ("8H", "9S", False),
        ("9S", "8S", False),
        ("9S", "9S", False),
        ("8S", "TS", False),
        ("KS", "AS", False),
        ("AS", "KS", False),
        ("2S", "AS", False),
    ],
)
def test_Y3_piles_build_down_in_suit_and_turn_no_corner(card: str, beneath: str, fits: bool) -> None:
    env = start("courtyard", [beneath, *KINGS, *TWOS[1:]], waste=card)
    to_piles = {move for move in moves(env) if move[0].endswith("_pile")}
    assert to_piles == ({("waste_pile", -1, 0, 1)} if fits else set())
    if fits:
        do(env, ("waste_pile", -1, 0, 1))
        assert at(env).tableau[0] == (beneath, card)


def test_Y3_both_cards_of_a_kind_take_one() -> None:
    env = start("courtyard", ["9S", "9S", *KINGS, *TWOS[2:]], waste="8S")
    assert moves(env) == {DEAL, ("waste_pile", -1, 0, 1), ("waste_pile", -1, 1, 1)}


# ---------------------------------------------------------------- Y4


def test_Y4_any_suffix_that_is_a_run_in_suit_moves() -> None:
    env = start("courtyard", ["KD 9S 8S 7S", "8S", "9S", "TS", *KINGS[:2], *TWOS])
    assert moves(env) == {
        DEAL,
        ("pile_pile", 0, 1, 1),
        ("pile_pile", 0, 2, 2),
        ("pile_pile", 0, 3, 3),
        ("pile_pile", 1, 2, 1),
        ("pile_pile", 2, 3, 1),
    }
    do(env, ("pile_pile", 0, 3, 3))
    assert at(env).tableau[:4] == (("KD",), ("8S",), ("9S",), cards("TS 9S 8S 7S"))


def test_Y4_a_run_of_two_suits_does_not_move() -> None:
    env = start("courtyard", ["KD 9S 8C 7C", "8C", "9C", "TS", *KINGS[:2], *TWOS])
    assert moves(env) == {
        DEAL,
        ("pile_pile", 0, 1, 1),
        ("pile_pile", 0, 2, 2),  # 8C 7C, but 9S 8C 7C not on TS
        ("pile_pile", 1, 2, 1),
    }


# ---------------------------------------------------------------- Y5


@pytest.mark.parametrize("move", [pile_up(0), ("pile_pile", 0, 1, 1)])
def test_Y5_an_emptied_pile_is_filled_from_the_top_of_the_stock(move: MoveTuple) -> None:
    tableau = ["2S", "3S", *KINGS, *TWOS[:4]]
    env = start("courtyard", tableau, waste="9D", stock="4D 6C", foundations={"S": "A -"})
    left = len(at(env).stock)
    do(env, move)
    assert at(env).tableau[0] == ("6C",)
    assert at(env).waste == ("9D",)
    assert len(at(env).stock) == left - 1
    do(env, DEAL)
    assert at(env).waste == ("9D", "4D")


def test_Y5_a_whole_run_that_leaves_its_pile_too() -> None:
    env = start("courtyard", ["9S 8S", "TS", *KINGS, *TWOS[:4]], stock="6C")
    do(env, ("pile_pile", 0, 1, 2))
    assert at(env).tableau[:2] == (("6C",), cards("TS 9S 8S"))


def test_Y5_a_pile_that_keeps_a_card_is_not_filled() -> None:
    env = start("courtyard", ["9S 8S", "9S", *KINGS, *TWOS[:4]], stock="6C")
    assert moves(env) == {DEAL}  # 8S from one 9S to the other: G8
    env = start("courtyard", ["TS 9S 8S", "9S", *KINGS, *TWOS[:4]], stock="6C")
    stock = at(env).stock
    do(env, ("pile_pile", 0, 1, 1))
    assert at(env).tableau[:2] == (cards("TS 9S"), cards("9S 8S"))
    assert at(env).stock == stock


def test_Y5_while_the_stock_holds_cards() -> None:
    env = start(
        "courtyard",
        ["2S", "3S", *KINGS, *TWOS[:4]],
        waste="9D",
        stock="6C",
        rest="waste",
        foundations={"S": "A -"},
    )
    do(env, pile_up(0))
    assert at(env).tableau[0] == ("6C",)
    assert at(env).stock == ()
    do(env, pile_up(1))
    assert at(env).tableau[1] == ()
    assert at(env).waste[-1] == "9D"


# ---------------------------------------------------------------- Y6

OUT_OF_STOCK: dict[str, Any] = {
    "tableau": ["KD 9S 8S", "", "TS", *KINGS[:3], *TWOS],
    "waste": "7S",
    "rest": "waste",
}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, {("pile_pile", 0, 2, 2), ("waste_pile", -1, 0, 1)}),
        (
            {"spaces": "any"},
            {
                ("pile_pile", 0, 2, 2),
                ("waste_pile", -1, 0, 1),
                ("waste_pile", -1, 1, 1),
                ("pile_space", 0, 1, 1),
                ("pile_space", 0, 1, 2),
            },
        ),
    ],
)
def test_Y6_a_space_without_a_stock_stays_empty(rules: dict[str, Any], expected: set[MoveTuple]) -> None:
    env = start("courtyard", rules=rules, **OUT_OF_STOCK)
    assert moves(env) == expected


def test_Y6_nothing_fills_it_later() -> None:
    env = start("courtyard", **OUT_OF_STOCK)
    do(env, ("pile_pile", 0, 2, 2))
    assert at(env).tableau[:3] == (("KD",), (), cards("TS 9S 8S"))


def test_Y6_refilled_from_the_waste_first_as_an_option() -> None:
    env = start(
        "courtyard",
        ["2S", "3S", "4S", "5S", *KINGS, *TWOS[:2]],
        waste="9D 7C",
        stock="6C",
        foundations={"S": "A -"},
        rules={"refill": "waste_then_stock"},
    )
    left = len(at(env).stock)
    do(env, pile_up(0))
    assert (at(env).tableau[0], at(env).waste) == (("7C",), ("9D",))
    do(env, pile_up(1))
    assert (at(env).tableau[1], at(env).waste) == (("9D",), ())
    assert len(at(env).stock) == left
    do(env, pile_up(2))
    assert at(env).tableau[2] == ("6C",)
    assert len(at(env).stock) == left - 1


# ---------------------------------------------------------------- Y7


def test_Y7_dealt_one_at_a_time_and_not_again() -> None:
    env = new_env("courtyard")
    env.reset(options={"deal": 2})
    order = list(reversed(at(env).stock))
    for dealt in range(92):
        assert DEAL in moves(env)
        assert at(env).waste == tuple(order[:dealt])
        do(env, DEAL)
    assert at(env).waste == tuple(order)
    assert not moves(env) & {DEAL, REDEAL}


@pytest.mark.parametrize(
    ("rules", "back"),
    [({}, set()), ({"foundation_returns": True}, {("foundation_pile", 0, 0, 1)})],
)
def test_Y7_foundation_cards_do_not_come_back(rules: dict[str, Any], back: set[MoveTuple]) -> None:
    tableau = ["5S", *KINGS, *TWOS[1:]]
    env = start("courtyard", tableau, foundations={"S": "4 2"}, rules=rules)
    assert moves(env) == {DEAL, pile_up(0), *back}
    if back:
        outcome = do(env, ("foundation_pile", 0, 0, 1))
        assert outcome.reward == pytest.approx(-1 / 104)
        assert at(env).tableau[0] == ("5S", "4S")
        assert at(env).foundations[:2] == (cards("AS 2S 3S"), cards("AS 2S"))
