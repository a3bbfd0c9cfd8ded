"""The clauses of Coyote, C1 to C8, each proved on the real environment."""

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
    random_play,
    start,
)
from tests.positions import cards
from tests.reference_games import COYOTE
from tests.reference_model import Options

# ---------------------------------------------------------------- C1


def test_C1_the_deal() -> None:
    env = new_env("coyote")
    assert Options(**env.rules.to_dict()) == COYOTE
    for number in range(20):
        env.reset(options={"deal": number})
        position = at(env)
        assert position.foundations == (("AS",), ("AH",), ("AD",), ("AC",))
        assert len(position.reserve) == 1
        assert [len(pile) for pile in position.tableau] == [1, 1, 1, 1]
        assert len(position.stock) == 43
        assert (position.redeals_left, position.stock_seen) == (1, False)


ELSEWHERE = {"reserve": 13, "refill": "reserve"}


def test_C1_as_it_is_dealt_elsewhere() -> None:
    env = new_env("coyote", rules=ELSEWHERE)
    env.reset(options={"deal": 5})
    assert len(at(env).reserve) == 13
    assert [len(pile) for pile in at(env).tableau] == [1, 1, 1, 1]
    assert len(at(env).stock) == 31


def test_C1_refilled_from_the_reserve_as_elsewhere() -> None:
    env = start("coyote", ["2S", "KH", "KD", "KC"], reserve="9H 8C", rules=ELSEWHERE)
    do(env, pile_up(0))
    assert at(env).tableau[0] == ("8C",)
    assert at(env).reserve == ("9H",)


# ---------------------------------------------------------------- C2


@pytest.mark.parametrize(
    ("foundations", "card", "fits"),
    [
        ({"S": "A"}, "2S", True),
        ({"S": "A"}, "3S", False),
        ({"S": "5"}, "6S", True),
        ({"S": "T"}, "JS", True),
        ({"S": "T"}, "QS", False),
        ({"S": "Q"}, "KS", True),
        ({"S": "4", "C": "A"}, "5C", False),
        ({"H": "4", "D": "3"}, "5D", False),
    ],
)
def test_C2_foundations_build_up_in_suit(foundations: dict[str, str], card: str, fits: bool) -> None:
    env = start("coyote", ["9D", "9C", "7D", "7C"], waste=card, foundations=foundations)
    assert (WASTE_UP in moves(env)) is fits
    if fits:
        before = at(env).foundations[0]
        do(env, WASTE_UP)
        assert at(env).foundations[0] == (*before, card)


# ---------------------------------------------------------------- C3


@pytest.mark.parametrize("place", ["waste", "reserve"])
@pytest.mark.parametrize(
    ("card", "beneath", "fits"),
    [
        ("8S", "9S", True),
        ("QS", "KS", True),
        ("AS", "2S", True),
        ("8C", "9S", False),
        ("8H", "9S", False),
        ("8H", "9D", False),
        ("9S", "8S", False),
        ("8S", "TS", False),
        ("KS", "AS", False),
        ("AS", "KS", False),
        ("2S", "AS", False),
    ],
)
def test_C3_piles_build_down_in_suit_and_turn_no_corner(card: str, beneath: str, fits: bool, place: str) -> None:
    where: dict[str, Any] = {place: card}
    env = start("coyote", [beneath, "5D", "5C", "5H"], rules={"foundations": "empty"}, **where)
    to_piles = {(f"{place}_pile", -1, 0, 1)} if fits else set()
    assert {move for move in moves(env) if move[0].endswith("_pile")} == to_piles


# ---------------------------------------------------------------- C4

TOP_AND_RUN: set[MoveTuple] = {
    DEAL,
    ("pile_space", 0, 2, 1),
    ("pile_space", 0, 2, 3),
    ("pile_pile", 0, 1, 3),
}


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("top_or_run", TOP_AND_RUN),
        ("any_suffix", TOP_AND_RUN | {("pile_space", 0, 2, 2)}),
        ("single", {DEAL, ("pile_space", 0, 2, 1)}),
    ],
)
def test_C4_the_top_card_or_the_whole_run(which: str, expected: set[MoveTuple]) -> None:
    env = start("coyote", ["QD 9S 8S 7S", "TS", "", "KD"], rules={"moves": which})
    assert moves(env) == expected


def test_C4_a_run_keeps_its_cards_and_their_order() -> None:
    env = start("coyote", ["QD 9S 8S 7S", "TS", "", "KD"])
    do(env, ("pile_pile", 0, 1, 3))
    assert at(env).tableau == (("QD",), cards("TS 9S 8S 7S"), (), ("KD",))
    do(env, ("pile_space", 1, 2, 1))
    assert at(env).tableau == (("QD",), cards("TS 9S 8S"), ("7S",), ("KD",))


def test_C4_the_default_is_the_whole_run() -> None:
    env = start("coyote", ["QD 9S 8S 7S", "TS", "", "KD"])
    assert moves(env) == TOP_AND_RUN


def test_C4_a_run_that_is_the_whole_pile() -> None:
    env = start("coyote", ["9S 8S 7S", "TS", "", "KD"])
    assert moves(env) == {DEAL, ("pile_space", 0, 2, 1), ("pile_pile", 0, 1, 3)}


def test_C4_cards_in_order_but_of_two_suits_are_no_run() -> None:
    env = start("coyote", ["QD 9S 8C 7C", "TS", "9C", ""])
    expected = {("pile_pile", 0, 2, 2), ("pile_space", 0, 3, 1), ("pile_space", 0, 3, 2)}
    assert moves(env) == {DEAL, *expected}


# ---------------------------------------------------------------- C5


def test_C5_any_card_may_fill_a_space() -> None:
    env = start("coyote", ["KD 5H", "", "QC JC", "3D"], waste="8H", reserve="TC")
    assert moves(env) == {
        DEAL,
        ("waste_pile", -1, 1, 1),
        ("reserve_pile", -1, 1, 1),
        ("reserve_pile", -1, 2, 1),  # TC on JC
        ("pile_space", 0, 1, 1),
        ("pile_space", 2, 1, 1),
    }
    do(env, ("waste_pile", -1, 1, 1))
    assert at(env).tableau[1] == ("8H",)


def test_C5_a_run_may_fill_a_space() -> None:
    env = start("coyote", ["KD 5H 4H", "", "3C", "3D"])
    do(env, ("pile_space", 0, 1, 2))
    assert at(env).tableau[:2] == (("KD",), cards("5H 4H"))


def test_C5_a_space_is_not_filled_by_itself() -> None:
    env = start("coyote", ["2S", "KH", "KD", "KC"], waste="8H", reserve="TC", stock="9D")
    do(env, pile_up(0))
    assert at(env).tableau[0] == ()
    do(env, DEAL)
    assert at(env).tableau[0] == ()
    assert at(env).reserve == ("TC",)
    assert at(env).waste == cards("8H 9D")


# ---------------------------------------------------------------- C6


def test_C6_the_reserve_card_plays_to_a_foundation_or_a_pile() -> None:
    tableau = ["9D", "3S", "KC", "KD"]
    env = start("coyote", tableau, reserve="2S")
    assert moves(env) == {DEAL, RESERVE_UP, ("reserve_pile", -1, 1, 1)}
    do(env, RESERVE_UP)
    assert at(env).reserve == ()
    assert at(env).foundations[0] == ("AS", "2S")
    env = start("coyote", tableau, reserve="2S")
    do(env, ("reserve_pile", -1, 1, 1))
    assert at(env).reserve == ()
    assert at(env).tableau[1] == ("3S", "2S")
    # The empty reserve takes nothing.
    assert moves(env) == {DEAL, pile_up(1)}


@pytest.mark.parametrize("rules", [{}, ELSEWHERE])
def test_C6_nothing_is_ever_put_on_the_reserve(rules: dict[str, object]) -> None:
    env = new_env("coyote", rules=rules)
    emptied = False
    for number in range(10):
        env.reset(options={"deal": number})
        reserve = at(env).reserve
        for _ in random_play(env, seed=number, steps=200):
            now = at(env).reserve
            assert reserve[: len(now)] == now
            emptied = emptied or len(now) < len(reserve)
            reserve = now
    assert emptied


# ---------------------------------------------------------------- C7


def test_C7_dealt_one_at_a_time() -> None:
    env = start("coyote", ["KH", "KD", "KC", "KS"], stock="5D 9H", waste="JC")
    left = len(at(env).stock)
    do(env, DEAL)
    assert at(env).waste == cards("JC 9H")
    do(env, DEAL)
    assert at(env).waste == cards("JC 9H 5D")
    assert len(at(env).stock) == left - 2


@pytest.mark.parametrize(("rules", "passes"), [({}, 2), ({"redeals": 0}, 1), ({"redeals": 3}, 4)])
def test_C7_one_redeal_gives_two_passes(rules: dict[str, int], passes: int) -> None:
    env = new_env("coyote", rules=rules)
    env.reset(options={"deal": 11})
    for made in range(passes):
        assert at(env).redeals_left == passes - 1 - made
        assert at(env).stock_seen is (made > 0)
        assert len(at(env).stock) == 43
        for _ in range(43):
            assert REDEAL not in moves(env)
            do(env, DEAL)
        assert (REDEAL in moves(env)) is (made + 1 < passes)
        if made + 1 < passes:
            do(env, REDEAL)


def test_C7_redeals_without_limit_as_an_option() -> None:
    env = new_env("coyote", rules={"redeals": None})
    env.reset(options={"deal": 11})
    for _ in range(5):
        for _ in range(43):
            do(env, DEAL)
        assert at(env).redeals_left is None
        do(env, REDEAL)


# ---------------------------------------------------------------- C8


def test_C8_foundation_cards_do_not_come_back() -> None:
    env = start("coyote", ["3S", "", "KD", "KC"], foundations={"S": "2"})
    assert moves(env) == {DEAL, pile_up(0)}


def test_C8_they_do_as_an_option() -> None:
    env = start(
        "coyote",
        ["3S", "", "KD", "KC"],
        foundations={"S": "2"},
        rules={"foundation_returns": True},
    )
    to_the_space = {("foundation_pile", source, 1, 1) for source in range(4)}
    assert moves(env) == {DEAL, pile_up(0), ("foundation_pile", 0, 0, 1), *to_the_space}
    outcome = do(env, ("foundation_pile", 0, 0, 1))
    assert outcome.reward == pytest.approx(-1 / 52)
    assert at(env).tableau[0] == ("3S", "2S")
    assert at(env).foundations[0] == ("AS",)
    do(env, ("foundation_pile", 0, 1, 1))
    assert at(env).foundations[0] == ()
    assert at(env).tableau[1] == ("AS",)
