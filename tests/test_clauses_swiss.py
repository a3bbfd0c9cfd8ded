"""The clauses of Swiss, S1 to S8, each proved on the real environment."""

from __future__ import annotations

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
from tests.reference_games import SWISS
from tests.reference_model import Options

# ---------------------------------------------------------------- S1


def test_S1_the_deal() -> None:
    env = new_env("swiss")
    assert Options(**env.rules.to_dict()) == SWISS
    for number in range(20):
        env.reset(options={"deal": number})
        position = at(env)
        assert [len(pile) for pile in position.tableau] == [1, 2, 3, 4, 5, 4, 3, 2, 1]
        assert len(position.stock) == 27
        assert position.reserve == ()
        assert position.foundations == ((), (), (), ())
        assert (position.redeals_left, position.stock_seen) == (0, False)


# ---------------------------------------------------------------- S2


@pytest.mark.parametrize(
    ("foundations", "card", "fits"),
    [
        ({"S": "-"}, "2S", True),
        ({"S": "-"}, "AS", False),
        ({"S": "-"}, "3S", False),
        ({"S": "-"}, "KS", False),
        ({"S": "2"}, "3S", True),
        ({"S": "9"}, "TS", True),
        ({"S": "9"}, "JS", False),
        ({"S": "Q"}, "KS", True),
        ({"S": "Q"}, "AS", False),
        ({"S": "K"}, "AS", True),
        ({"S": "9", "C": "7"}, "TC", False),
        ({"S": "9", "C": "-"}, "AC", False),
    ],
)
def test_S2_foundations_build_up_in_suit_from_two_to_ace(foundations: dict[str, str], card: str, fits: bool) -> None:
    env = start("swiss", ["6H", "6D"], waste=card, foundations=foundations)
    assert (WASTE_UP in moves(env)) is fits
    if fits:
        before = at(env).foundations[0]
        do(env, WASTE_UP)
        assert at(env).foundations[0] == (*before, card)


def test_S2_a_foundation_is_full_at_the_ace() -> None:
    env = start("swiss", ["6H"], foundations={"S": "K"}, waste="AS")
    do(env, WASTE_UP)
    assert at(env).foundations[0] == cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS")


# ---------------------------------------------------------------- S3


@pytest.mark.parametrize(
    ("card", "beneath", "fits"),
    [
        ("8S", "9H", True),
        ("8S", "9D", True),
        ("8C", "9D", True),
        ("8H", "9S", True),
        ("8D", "9C", True),
        ("8S", "9S", False),
        ("8S", "9C", False),
        ("8H", "9H", False),
        ("8H", "9D", False),
        ("9H", "8S", False),
        ("8S", "TH", False),
        ("QS", "KH", True),
        ("2H", "3S", True),
    ],
)
def test_S3_piles_build_down_in_alternating_colours(card: str, beneath: str, fits: bool) -> None:
    env = start("swiss", [beneath], waste=card)
    assert (("waste_pile", -1, 0, 1) in moves(env)) is fits
    if fits:
        do(env, ("waste_pile", -1, 0, 1))
        assert at(env).tableau[0] == (beneath, card)


# ---------------------------------------------------------------- S4


@pytest.mark.parametrize(
    ("corner", "fitting"),
    [
        ("both", {("KH", "AS"), ("AS", "KH"), ("AS", "2H"), ("2H", "3S"), ("QS", "KH")}),
        ("ring", {("KH", "AS"), ("AS", "2H"), ("2H", "3S"), ("QS", "KH")}),
        ("ace_high", {("KH", "AS"), ("2H", "3S"), ("QS", "KH")}),
        ("none", {("AS", "2H"), ("2H", "3S"), ("QS", "KH")}),
    ],
)
def test_S4_the_corner_and_its_options(corner: str, fitting: set[tuple[str, str]]) -> None:
    pairs = [
        *[("KH", "AS"), ("AS", "KH"), ("AS", "2H"), ("2H", "AS"), ("2H", "3S")],
        *[("QS", "KH"), ("KH", "QS"), ("KH", "AD"), ("KS", "AC"), ("AS", "KC"), ("AS", "2C")],
        *[("KS", "2H"), ("2S", "KH"), ("AS", "QH"), ("QH", "AS")],
    ]
    found = set()
    for card, beneath in pairs:
        env = start("swiss", [beneath], waste=card, rules={"corner": corner})
        if ("waste_pile", -1, 0, 1) in moves(env):
            found.add((card, beneath))
    assert found == fitting


def test_S4_both_directions_hold_by_default() -> None:
    assert ("waste_pile", -1, 0, 1) in moves(start("swiss", ["AS"], waste="KH"))
    assert ("waste_pile", -1, 0, 1) in moves(start("swiss", ["KH"], waste="AS"))


ALWAYS: set[MoveTuple] = {DEAL, pile_up(2), ("pile_pile", 2, 1, 1)}
AROUND: set[MoveTuple] = ALWAYS | {("pile_pile", 0, 1, 4), ("pile_pile", 0, 2, 3)}


@pytest.mark.parametrize(
    ("corner", "expected"),
    [("both", AROUND), ("ring", AROUND), ("ace_high", ALWAYS), ("none", ALWAYS)],
)
def test_S4_a_run_around_the_corner(corner: str, expected: set[MoveTuple]) -> None:
    tableau = ["9D 2H AS KD QC", "3S", "2D", "5S", "5C", "7S", "7C", "9S", "9C"]
    env = start("swiss", tableau, rules={"corner": corner})
    assert moves(env) == expected


@pytest.mark.parametrize("count", [4, 2])
def test_S4_two_suffixes_of_a_pile_fit_one_card(count: int) -> None:
    tableau = ["9D AS KH AC KD", "2H", "5S", "5C", "7S", "7C", "9S", "9C", "JS"]
    env = start("swiss", tableau)
    both = {("pile_pile", 0, 1, 4), ("pile_pile", 0, 1, 2)}
    assert moves(env) == {DEAL, pile_up(1), *both}
    do(env, ("pile_pile", 0, 1, count))
    run = ["AS", "KH", "AC", "KD"]
    assert at(env).tableau[0] == ("9D", *run[: 4 - count])
    assert at(env).tableau[1] == ("2H", *run[4 - count :])


def test_S4_a_run_longer_than_a_suit() -> None:
    # From ace to ace around the ranks, and on to a third: sixteen cards that are one run.
    run = "AC KH QC JH TC 9H 8C 7H 6C 5H 4C 3H 2C AH KS AD"
    tableau = [run, "2D", "3S", "5S", "7S", "9S", "JS", "4S", "6S"]
    env = start("swiss", tableau)
    assert moves(env) == {
        DEAL,
        pile_up(1),
        ("pile_pile", 1, 2, 1),  # 2D on 3S
        ("pile_pile", 0, 1, 16),  # from AC down, on 2D
        ("pile_pile", 0, 8, 7),  # from 5H down, on 6S
        ("pile_pile", 0, 7, 5),  # from 3H down, on 4S
    }
    do(env, ("pile_pile", 0, 1, 16))
    assert at(env).tableau[1] == cards(f"2D {run}")
    assert at(env).tableau[0] == ()


# ---------------------------------------------------------------- S5


def test_S5_any_suffix_that_is_a_run_moves() -> None:
    tableau = ["KD 9S 8H 7S", "8D", "9C", "TD", "5S", "5C", "3S", "3C", "KS"]
    env = start("swiss", tableau)
    assert moves(env) == {
        DEAL,
        ("pile_pile", 0, 1, 1),
        ("pile_pile", 0, 2, 2),
        ("pile_pile", 0, 3, 3),
        ("pile_pile", 1, 2, 1),
        ("pile_pile", 2, 3, 1),
    }
    do(env, ("pile_pile", 0, 2, 2))
    assert at(env).tableau[:4] == (cards("KD 9S"), ("8D",), cards("9C 8H 7S"), ("TD",))


def test_S5_a_suffix_that_is_no_run_does_not() -> None:
    tableau = ["KD 9S 8C 7D", "8S", "9H", "TD", "5S", "5C", "3S", "3C", "KS"]
    env = start("swiss", tableau)
    assert moves(env) == {
        DEAL,
        ("pile_pile", 0, 1, 1),  # 7D on 8S
        ("pile_pile", 0, 2, 2),  # 8C 7D on 9H, but 9S 8C 7D not on TD
        ("pile_pile", 1, 2, 1),
    }


# ---------------------------------------------------------------- S6

WITH_A_SPACE = ["5S", "5C", "7S", "7C", "9S", "9C", "JS", ""]
TWO_ACES: set[MoveTuple] = {("pile_space", 0, 8, 4), ("pile_space", 0, 8, 2)}


@pytest.mark.parametrize(
    ("pile", "waste", "spaces", "expected"),
    [
        ("9D AS KH AC KD", "KC", "ace", TWO_ACES),
        ("9D AS KH AC KD", "AH", "ace", TWO_ACES | {("waste_pile", -1, 8, 1)}),
        ("AS KH AC KD", "KC", "ace", {("pile_space", 0, 8, 2)}),  # the whole pile: G8
        ("9D KH QS", "4C", "ace", set()),
        # What fits a pile gains no right to the space by it.
        ("9D KH QS", "4D", "ace", {("waste_pile", -1, 1, 1), ("waste_pile", -1, 2, 1)}),
        ("9D KH 8S 7D", "8D", "ace", {("waste_pile", -1, 5, 1), ("waste_pile", -1, 6, 1)}),
        ("9D AS KH AC KD", "AH", "none", set()),
        (
            "9D AS KH AC KD",
            "KC",
            "any",
            {("waste_pile", -1, 8, 1), *(("pile_space", 0, 8, count) for count in (1, 2, 3, 4))},
        ),
    ],
)
def test_S6_only_an_ace_or_a_run_from_an_ace_fills_a_space(
    pile: str, waste: str, spaces: str, expected: set[MoveTuple]
) -> None:
    env = start("swiss", [pile, *WITH_A_SPACE], waste=waste, rules={"spaces": spaces})
    assert moves(env) == {DEAL, *expected}


# ---------------------------------------------------------------- S7

WITHOUT_A_SPACE = ["7S", "7C", "9S", "9C", "JS", "JC", "KS"]


def test_S7_the_top_of_a_foundation_comes_back_where_it_fits() -> None:
    env = start("swiss", ["4H", "4D", *WITHOUT_A_SPACE], foundations={"S": "3"})
    assert moves(env) == {DEAL, ("foundation_pile", 0, 0, 1), ("foundation_pile", 0, 1, 1)}
    outcome = do(env, ("foundation_pile", 0, 0, 1))
    assert at(env).tableau[0] == ("4H", "3S")
    assert at(env).foundations[0] == ("2S",)
    assert outcome.reward == pytest.approx(-1 / 52)
    outcome = do(env, pile_up(0))
    assert outcome.reward == pytest.approx(1 / 52)


def test_S7_the_two_comes_back_too() -> None:
    env = start("swiss", ["3H", "4D", *WITHOUT_A_SPACE], foundations={"S": "2"})
    assert moves(env) == {DEAL, ("foundation_pile", 0, 0, 1)}
    do(env, ("foundation_pile", 0, 0, 1))
    assert at(env).foundations[0] == ()
    assert moves(env) == {DEAL, pile_up(0)}


def test_S7_an_ace_also_to_a_space_and_a_king_not() -> None:
    tableau = ["KH", "2D", "", "5C", "6C", "7C", "8C", "9C", "TC"]
    env = start("swiss", tableau, foundations={"S": "A"})
    back = {("foundation_pile", 0, target, 1) for target in (0, 1, 2)}
    assert moves(env) == {DEAL, pile_up(1), *back}
    env = start("swiss", tableau, foundations={"S": "K"})
    assert moves(env) == {DEAL, pile_up(1)}
    env = start("swiss", ["4H", *tableau[1:]], foundations={"S": "3"})
    onto_five = ("pile_pile", 0, 3, 1)  # 4H on 5C
    assert moves(env) == {DEAL, pile_up(1), onto_five, ("foundation_pile", 0, 0, 1)}


def test_S7_not_without_the_option() -> None:
    env = start(
        "swiss",
        ["4H", "4D", *WITHOUT_A_SPACE],
        foundations={"S": "3"},
        rules={"foundation_returns": False},
    )
    assert moves(env) == {DEAL}


# ---------------------------------------------------------------- S8


def test_S8_dealt_one_at_a_time_and_not_again() -> None:
    env = new_env("swiss")
    env.reset(options={"deal": 2})
    order = list(reversed(at(env).stock))
    for dealt in range(27):
        assert DEAL in moves(env)
        assert at(env).waste == tuple(order[:dealt])
        do(env, DEAL)
    assert at(env).waste == tuple(order)
    assert not moves(env) & {DEAL, REDEAL}
