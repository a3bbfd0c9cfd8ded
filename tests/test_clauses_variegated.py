"""The clauses of Variegated Canfield, V1 to V7, each proved on the real environment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.driving import (
    DEAL,
    REDEAL,
    RESERVE_UP,
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
from tests.reference_games import VARIEGATED_CANFIELD
from tests.reference_model import Options

GAME = "variegated_canfield"
STOCK_TO_SPACE: MoveTuple = ("stock_space", -1, 1, 1)

# ---------------------------------------------------------------- V1


def test_V1_the_deal() -> None:
    env = new_env(GAME)
    assert Options(**env.rules.to_dict()) == VARIEGATED_CANFIELD
    for number in range(20):
        env.reset(options={"deal": number})
        position = at(env)
        aces = (("AS",), ("AS",), ("AH",), ("AH",), ("AD",), ("AD",), ("AC",), ("AC",))
        assert position.foundations == aces
        assert len(position.reserve) == 13
        assert [len(pile) for pile in position.tableau] == [1] * 5
        assert len(position.stock) == 78
        assert (position.redeals_left, position.stock_seen) == (2, False)


def test_V1_only_the_top_of_the_reserve_can_be_played() -> None:
    env = start(GAME, ["9H", "3D", "KC", "KD", "KS"], reserve="2S 8C 2H 8S")
    assert moves(env) == {DEAL, ("reserve_pile", -1, 0, 1)}
    do(env, ("reserve_pile", -1, 0, 1))
    assert at(env).reserve == cards("2S 8C 2H")
    assert moves(env) == {DEAL, RESERVE_UP}


# ---------------------------------------------------------------- V2


@pytest.mark.parametrize(
    ("foundations", "card", "fits"),
    [
        ({"S": "A A"}, "2S", True),
        ({"S": "A A"}, "3S", False),
        ({"S": "2 A"}, "3S", True),
        ({"S": "J 4"}, "QS", True),
        ({"S": "Q 4"}, "KS", True),
        ({"S": "Q A", "C": "5 A"}, "6S", False),
        ({"S": "5 A", "H": "3 A"}, "6H", False),
    ],
)
def test_V2_foundations_build_up_in_suit(foundations: dict[str, str], card: str, fits: bool) -> None:
    env = start(GAME, ["9D", "9D", "9H", "9H", "TD"], waste=card, foundations=foundations)
    assert moves(env) == ({DEAL, WASTE_UP} if fits else {DEAL})
    if fits:
        do(env, WASTE_UP)
        assert at(env).foundations[0][-1] == card


# ---------------------------------------------------------------- V3


@pytest.mark.parametrize(
    ("card", "beneath", "fits"),
    [
        ("8S", "9H", True),
        ("8S", "9D", True),
        ("8D", "9C", True),
        ("QH", "KS", True),
        ("AS", "2H", True),
        ("8S", "9C", False),
        ("8H", "9D", False),
        ("8H", "9H", False),
        ("9H", "8S", False),
        ("8S", "TH", False),
        ("KH", "AS", False),
        ("AS", "KH", False),
        ("2H", "AS", False),
    ],
)
def test_V3_piles_build_down_in_alternating_colours_and_turn_no_corner(card: str, beneath: str, fits: bool) -> None:
    env = start(GAME, [beneath, "5S", "5S", "5C", "5C"], waste=card, rules={"foundations": "empty"})
    to_piles = {move for move in moves(env) if move[0].endswith("_pile")}
    assert to_piles == ({("waste_pile", -1, 0, 1)} if fits else set())


# ---------------------------------------------------------------- V4

SINGLE: set[MoveTuple] = {
    DEAL,
    ("pile_pile", 0, 1, 1),
    ("pile_pile", 1, 2, 1),
    ("pile_pile", 2, 3, 1),
}


@pytest.mark.parametrize(
    ("pile", "rules", "more"),
    [
        ("KD 9S 8H 7S", {}, {("pile_pile", 0, 2, 2), ("pile_pile", 0, 3, 3)}),
        ("KD 9S 8H 7S", {"moves": "top_or_pile"}, set()),
        ("KD 9S 8H 7S", {"moves": "top_or_run"}, {("pile_pile", 0, 3, 3)}),
        ("9S 8H 7S", {}, {("pile_pile", 0, 2, 2), ("pile_pile", 0, 3, 3)}),
        ("9S 8H 7S", {"moves": "top_or_pile"}, {("pile_pile", 0, 3, 3)}),
        ("KD 9S 8H 7S", {"moves": "single"}, set()),
    ],
)
def test_V4_any_run_or_the_top_card_or_the_whole_pile(pile: str, rules: dict[str, str], more: set[MoveTuple]) -> None:
    env = start(GAME, [pile, "8D", "9C", "TD", "5S"], rules=rules)
    assert moves(env) == SINGLE | more


def test_V4_a_run_keeps_its_cards_and_their_order() -> None:
    env = start(GAME, ["KD 9S 8H 7S", "8D", "9C", "TD", "5S"])
    do(env, ("pile_pile", 0, 2, 2))
    assert at(env).tableau[:3] == (cards("KD 9S"), ("8D",), cards("9C 8H 7S"))


# ---------------------------------------------------------------- V5


@pytest.mark.parametrize("move", [pile_up(0), ("pile_pile", 0, 1, 1)])
def test_V5_an_emptied_pile_is_filled_from_the_reserve(move: MoveTuple) -> None:
    env = start(GAME, ["2S", "3H", "KC", "KD", "KS"], reserve="9H 6C", waste="9D", stock="7C")
    left = len(at(env).stock)
    do(env, move)
    assert at(env).tableau[0] == ("6C",)
    assert at(env).reserve == ("9H",)
    assert at(env).waste == ("9D",)
    assert len(at(env).stock) == left


def test_V5_while_it_holds_cards_and_from_nowhere_else() -> None:
    env = start(GAME, ["2S", "2H", "KC", "KD", "KS"], reserve="6C", waste="9D", stock="7C")
    do(env, pile_up(0))
    assert at(env).tableau[0] == ("6C",)
    assert at(env).reserve == ()
    do(env, pile_up(1))
    assert at(env).tableau[1] == ()
    assert at(env).waste == ("9D",)
    assert STOCK_TO_SPACE in moves(env)


# ---------------------------------------------------------------- V6


@pytest.mark.parametrize(
    ("pile", "rules", "runs"),
    [
        ("KD 9S 8H 7S", {}, {1, 2, 3}),
        ("9S 8H 7S", {}, {1, 2}),
        ("KD 9S 8H 7S", {"moves": "top_or_pile"}, {1}),
        ("9S 8H 7S", {"moves": "top_or_pile"}, {1}),
        ("KD 9S 8H 7S", {"spaces": "none", "stock_to_space": False}, set()),
    ],
)
def test_V6_a_space_takes_the_waste_a_run_or_the_stock(pile: str, rules: dict[str, Any], runs: set[int]) -> None:
    env = start(GAME, [pile, "", "5S", "5C", "4S"], waste="QC", rules=rules)
    expected: set[MoveTuple] = {("pile_space", 0, 1, count) for count in runs}
    if runs:
        expected |= {STOCK_TO_SPACE, ("waste_pile", -1, 1, 1)}
    assert moves(env) == {DEAL, *expected}


def test_V6_the_top_card_of_the_stock_lands_in_the_space() -> None:
    env = start(GAME, ["KD", "", "5S", "", "4S"], waste="QC", stock="9D 7H")
    left = len(at(env).stock)
    outcome = do(env, STOCK_TO_SPACE)
    assert at(env).tableau == (("KD",), ("7H",), ("5S",), (), ("4S",))
    assert at(env).waste == ("QC",)
    assert len(at(env).stock) == left - 1
    assert outcome.reward == 0
    do(env, ("stock_space", -1, 3, 1))
    assert at(env).tableau[3] == ("9D",)


def test_V6_not_from_an_empty_stock() -> None:
    env = start(GAME, ["KC", "", "5S", "5C", "4S"], waste="QC", rest="waste")
    assert moves(env) == {REDEAL, ("waste_pile", -1, 1, 1)}


def test_V6_not_from_the_stock_without_the_option() -> None:
    tableau = ["KC", "", "5S", "5C", "4S"]
    env = start(GAME, tableau, waste="QC", rules={"stock_to_space": False})
    assert moves(env) == {DEAL, ("waste_pile", -1, 1, 1)}


# ---------------------------------------------------------------- V7

QUIET = ["KD", "KH", "5S", "5C", "4S"]


def test_V7_three_at_a_time_with_the_third_on_top() -> None:
    env = start(GAME, QUIET, waste="QC", stock="JC 9C 8D 5H")
    left = len(at(env).stock)
    do(env, DEAL)
    assert at(env).waste == cards("QC 5H 8D 9C")
    assert len(at(env).stock) == left - 3
    assert at(env).stock[-1] == "JC"


@pytest.mark.parametrize(("stock", "dealt"), [("8D", "8D"), ("9C 8D", "8D 9C"), ("5H 9C 8D", "8D 9C 5H")])
def test_V7_the_last_deal_gives_what_is_left(stock: str, dealt: str) -> None:
    env = start(GAME, QUIET, waste="JC QC", stock=stock, rest="waste")
    before = at(env).waste
    do(env, DEAL)
    assert at(env).stock == ()
    assert at(env).waste == before + cards(dealt)


def test_V7_three_passes_show_the_same_cards() -> None:
    env = start(
        GAME,
        ["KD", "KH", "QH", "KC", "KC"],
        stock="KD JC KH QH 9C",
        foundations={"S": "K K", "H": "J J", "D": "Q Q", "C": "Q 8"},
    )
    stock = at(env).stock
    assert stock == cards("TC QC KD JC KH QH 9C")  # seven: three, three and one
    order = list(reversed(stock))
    for left in (2, 1, 0):
        assert at(env).redeals_left == left
        for dealt in (3, 6, 7):
            assert REDEAL not in moves(env)
            do(env, DEAL)
            assert at(env).waste == tuple(order[:dealt])
        assert DEAL not in moves(env)
        assert (REDEAL in moves(env)) is (left > 0)
        if left:
            do(env, REDEAL)
            assert at(env).stock == stock
            assert at(env).stock_seen is True


@pytest.mark.parametrize(
    ("rules", "back"),
    [
        ({}, set()),
        ({"foundation_returns": True}, {("foundation_pile", 0, 0, 1)}),
    ],
)
def test_V7_foundation_cards_do_not_come_back(rules: dict[str, Any], back: set[MoveTuple]) -> None:
    tableau = ["5H", "KH", "9C", "9S", "7S"]
    env = start(GAME, tableau, foundations={"S": "4 2", "H": "3 A"}, rules=rules)
    assert moves(env) == {DEAL, *back}
    if back:
        outcome = do(env, ("foundation_pile", 0, 0, 1))
        assert outcome.reward == pytest.approx(-1 / 104)
        assert at(env).tableau[0] == ("5H", "4S")
        assert at(env).foundations[:2] == (cards("AS 2S 3S"), cards("AS 2S"))
