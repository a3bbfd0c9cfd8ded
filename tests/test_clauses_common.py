"""The common clauses G1 to G6 (deal, moves, stock, redeal, refill), on the real environment."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.driving import (
    DEAL,
    REDEAL,
    RESERVE_UP,
    WASTE_UP,
    MoveTuple,
    all_cards,
    at,
    do,
    moves,
    new_env,
    pile_up,
    put,
    random_play,
    start,
)
from tests.positions import cards, make_position
from tests.reference_games import GAMES
from tests.reference_model import RefPosition, full_deck

every_game = pytest.mark.parametrize("game", GAMES)

# Twelve Courtyard tops on which nothing fits and which fit nowhere while the foundations are empty.
DEAD_COURTYARD = ["KS", "KS", "KH", "KH", "KD", "KD", "KC", "KC", "2S", "2H", "2D", "2C"]
ALL_BUT_KING_OF_CLUBS = {"S": "K", "H": "K", "D": "K", "C": "Q"}


# ---------------------------------------------------------------- G1


@every_game
def test_G1_the_same_number_is_the_same_deal(game: str) -> None:
    env = new_env(game)
    _, info = env.reset(options={"deal": 4711})
    first = at(env)
    assert info["deal"] == 4711
    for _ in random_play(env, seed=1, steps=60):
        pass
    env.reset(options={"deal": 12})
    assert at(env) != first
    env.reset(options={"deal": 4711})
    assert at(env) == first
    other = new_env(game)
    other.reset(seed=5)
    other.reset(options={"deal": 4711})
    assert at(other) == first


@every_game
def test_G1_other_numbers_are_other_deals_of_the_whole_deck(game: str) -> None:
    env = new_env(game)
    deck = Counter(full_deck(GAMES[game]))
    seen = set()
    for number in [*range(300), 2**31 - 1, 2**31, 2**32]:
        env.reset(options={"deal": number})
        seen.add(at(env))
        assert all_cards(at(env)) == deck
    assert len(seen) == 303


@every_game
def test_G1_a_seeded_reset_draws_a_numbered_deal(game: str) -> None:
    env, by_number = new_env(game), new_env(game)
    seen = set()
    for seed in range(100):
        _, info = env.reset(seed=seed)
        by_number.reset(options={"deal": info["deal"]})
        assert at(by_number) == at(env)
        seen.add(at(env))
    assert len(seen) == 100


def test_G1_every_card_comes_to_every_place() -> None:
    env = new_env("coyote")
    places: list[set[str]] = [set() for _ in range(7)]
    for number in range(1000):
        env.reset(options={"deal": number})
        position = at(env)
        shown = [position.reserve[0], *(pile[0] for pile in position.tableau)]
        for place, card in zip(places, [*shown, position.stock[-1], position.stock[0]], strict=True):
            place.add(card)
    without_aces = {card for card in full_deck(GAMES["coyote"]) if card[0] != "A"}
    assert places == [without_aces] * 7


# ---------------------------------------------------------------- G2


def g2_position() -> RefPosition:
    # 2S lies buried in the waste and in the reserve, where it cannot be played.
    return make_position(
        GAMES["variegated_canfield"],
        ["KD 2C", "QS JH", "3D", "8C", "8S"],
        waste="2S 2H",
        reserve="2S 2D",
    )


def test_G2_tops_and_runs_move_and_nothing_else_does() -> None:
    env = new_env("variegated_canfield")
    put(env, g2_position())
    expected = {DEAL, WASTE_UP, RESERVE_UP, pile_up(0), ("pile_pile", 0, 2, 1)}
    assert moves(env) == expected


@pytest.mark.parametrize(
    ("move", "changes"),
    [
        (WASTE_UP, {"waste": "2S", "H": "AH 2H"}),
        (RESERVE_UP, {"reserve": "2S", "D": "AD 2D"}),
        (pile_up(0), {"tableau": ["KD", "QS JH", "3D", "8C", "8S"], "C": "AC 2C"}),
        (("pile_pile", 0, 2, 1), {"tableau": ["KD", "QS JH", "3D 2C", "8C", "8S"]}),
    ],
)
def test_G2_a_move_takes_its_card_there_and_changes_nothing_else(move: MoveTuple, changes: dict[str, Any]) -> None:
    env = new_env("variegated_canfield")
    before = g2_position()
    put(env, before)
    do(env, move)
    foundations = []
    for suit in "SHDC":
        foundations += [cards(changes.get(suit, f"A{suit}")), (f"A{suit}",)]
    assert at(env) == replace(
        before,
        foundations=tuple(foundations),
        waste=cards(changes.get("waste", "2S 2H")),
        reserve=cards(changes.get("reserve", "2S 2D")),
        tableau=tuple(cards(pile) for pile in changes.get("tableau", map(" ".join, before.tableau))),
    )


def test_G2_a_run_goes_to_its_foundation_card_by_card() -> None:
    env = start("coyote", ["3S 2S", "9H", "9D", "9C"])
    assert moves(env) == {DEAL, pile_up(0)}
    do(env, pile_up(0))
    assert at(env).tableau[0] == ("3S",)
    assert at(env).foundations[0] == ("AS", "2S")
    do(env, pile_up(0))
    assert at(env).foundations[0] == ("AS", "2S", "3S")


# ---------------------------------------------------------------- G3


def test_G3_dealing_is_allowed_beside_other_moves() -> None:
    env = start("swiss", ["4H", "3S"], foundations={"S": "2"}, stock="KS")
    assert {DEAL, pile_up(1), ("pile_pile", 1, 0, 1)} <= moves(env)
    do(env, DEAL)
    assert at(env).waste == ("KS",)


@every_game
def test_G3_dealing_is_offered_while_and_only_while_the_stock_holds_cards(game: str) -> None:
    env = new_env(game)
    stocks = set()
    for number in range(4):
        env.reset(options={"deal": number})
        assert DEAL in moves(env)
        for outcome in random_play(env, seed=number, steps=300):
            if not outcome.terminated:
                stocks.add(bool(at(env).stock))
                assert (DEAL in moves(env)) == bool(at(env).stock)
    assert stocks == {True, False}


# ---------------------------------------------------------------- G4


@pytest.mark.parametrize(
    ("stock", "waste", "buried", "made", "offered"),
    [
        ("9H", "9D", "", 0, {DEAL}),
        ("9H", "", "9D", 0, {DEAL}),
        ("9H", "9D", "", 1, {DEAL}),
        ("", "9D 9H", "", 0, {REDEAL}),
        ("", "9D 9H", "", 1, set()),
        ("", "", "9D 9H", 0, set()),
    ],
)
def test_G4_a_redeal_needs_an_empty_stock_and_a_waste(
    stock: str, waste: str, buried: str, made: int, offered: set[MoveTuple]
) -> None:
    env = start(
        "coyote",
        ["KH TH", f"{buried} JH QH", "KD TD", "QD JD"],
        stock=stock,
        waste=waste,
        foundations={"H": "8", "D": "8", "S": "K", "C": "K"},
        rest="nowhere",
        redeals_made=made,
    )
    assert moves(env) & {DEAL, REDEAL} == offered
    assert ("pile_pile", 2, 3, 1) in moves(env)


def test_G4_a_redeal_turns_the_waste_over_and_deals_no_card() -> None:
    env = start(
        "coyote",
        ["KH TH", "JH QH", "KD TD", "QD JD"],
        waste="9H 8S 9D",
        foundations={"H": "8", "D": "8", "S": "7", "C": "K"},
        rest="waste",
    )
    assert at(env).waste == cards("9S TS JS QS KS 9H 8S 9D")
    before = at(env)
    outcome = do(env, REDEAL)
    assert at(env) == replace(
        before,
        stock=cards("9D 8S 9H KS QS JS TS 9S"),
        waste=(),
        redeals_left=0,
        stock_seen=True,
    )
    assert outcome.reward == 0
    do(env, DEAL)
    assert at(env).waste == ("9S",)


@pytest.mark.parametrize("game", ["coyote", "variegated_canfield"])
def test_G4_an_untouched_second_pass_shows_the_first_again(game: str) -> None:
    env = new_env(game)
    env.reset(options={"deal": 7})
    deals = {"coyote": 43, "variegated_canfield": 26}[game]
    first = []
    for _ in range(deals):
        do(env, DEAL)
        first.append(at(env).waste)
    do(env, REDEAL)
    for waste in first:
        do(env, DEAL)
        assert at(env).waste == waste
    assert at(env).stock == ()


def test_G4_cards_played_in_the_first_pass_leave_the_order_of_the_others() -> None:
    env = start(
        "coyote",
        ["TS", "KH", "KD", "KC"],
        stock="6D 8C 9S 5H",
        rest="waste",
    )
    buried = at(env).waste
    for move in (DEAL, DEAL, ("waste_pile", -1, 0, 1), DEAL, DEAL, REDEAL):
        do(env, move)
    assert at(env).tableau[0] == cards("TS 9S")
    expected = [*buried, "5H", "8C", "6D"]
    for i in range(len(expected)):
        do(env, DEAL)
        assert at(env).waste == tuple(expected[: i + 1])


# ---------------------------------------------------------------- G5


def test_G5_a_refill_is_part_of_the_move_that_empties_the_pile() -> None:
    tops = ["2S", "KS", "KH", "KH", "KD", "KD", "KC", "KC", "QS", "QH", "QD", "QC"]
    env = start("courtyard", tops, stock="8C 3S", foundations={"S": "A -"})
    left = len(at(env).stock)
    outcome = do(env, pile_up(0))
    assert at(env).tableau[0] == ("3S",)  # which fits the foundation, but stays (G6)
    assert at(env).foundations[0] == ("AS", "2S")
    assert len(at(env).stock) == left - 1
    assert outcome.reward == pytest.approx(1 / 104)


def test_G5_a_refill_from_the_reserve_is_part_of_the_move_too() -> None:
    env = start("variegated_canfield", ["8C", "9H", "KC", "KD", "KS"], reserve="9C 2D 5C")
    outcome = do(env, ("pile_pile", 0, 1, 1))
    assert at(env).tableau[:2] == (("5C",), cards("9H 8C"))
    assert at(env).reserve == cards("9C 2D")
    assert outcome.reward == 0


# ---------------------------------------------------------------- G6


@every_game
def test_G6_the_waste_starts_empty(game: str) -> None:
    env = new_env(game)
    for seed in range(20):
        env.reset(seed=seed)
        assert at(env).waste == ()


def test_G6_nothing_plays_itself() -> None:
    env = start("coyote", ["3S", "KH", "KD", "KC"], stock="2S", reserve="4S")
    do(env, DEAL)
    assert at(env).waste == ("2S",)
    assert at(env).foundations[0] == ("AS",)
    assert DEAL in moves(env)
    do(env, WASTE_UP)
    assert at(env).foundations[0] == ("AS", "2S")
    assert at(env).tableau[0] == ("3S",)
    assert at(env).reserve == ("4S",)
