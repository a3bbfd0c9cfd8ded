"""The common clauses G7 to G10 (end of game, offered moves, foundations, card conservation)."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
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
    options_of,
    pile_up,
    random_play,
    start,
)
from tests.reference_games import GAMES
from tests.reference_model import full_deck

every_game = pytest.mark.parametrize("game", GAMES)

# Twelve Courtyard tops on which nothing fits and which fit nowhere while the foundations are empty.
DEAD_COURTYARD = ["KS", "KS", "KH", "KH", "KD", "KD", "KC", "KC", "2S", "2H", "2D", "2C"]
ALL_BUT_KING_OF_CLUBS = {"S": "K", "H": "K", "D": "K", "C": "Q"}


# ---------------------------------------------------------------- G7


@pytest.mark.parametrize("place", ["tableau", "waste", "reserve"])
@pytest.mark.parametrize(("reward", "worth"), [("progress", 1 + 1 / 52), ("win", 1.0)])
def test_G7_the_last_card_wins_wherever_it_comes_from(place: str, reward: str, worth: float) -> None:
    last: dict[str, Any] = {"tableau": []}
    last[place] = ["KC"] if place == "tableau" else "KC"
    env = start(
        "coyote",
        foundations=ALL_BUT_KING_OF_CLUBS,
        rest="nowhere",
        env={"reward": reward},
        **last,
    )
    move = {"tableau": pile_up(0), "waste": WASTE_UP, "reserve": RESERVE_UP}[place]
    outcome = do(env, move)
    assert outcome.terminated is True
    assert outcome.truncated is False
    assert outcome.info["is_success"] is True
    assert outcome.reward == pytest.approx(worth)
    assert all(len(cards) == 13 for cards in at(env).foundations)


def test_G7_a_win_comes_first_even_where_a_card_could_be_taken_back() -> None:
    # S7 would let the ace go back to a space: the game is over all the same.
    env = start(
        "swiss",
        ["AS"],
        foundations=dict(zip("SHDC", "KAAA", strict=True)),
        rest="nowhere",
    )
    outcome = do(env, pile_up(0))
    assert (outcome.terminated, outcome.info["is_success"]) == (True, True)


def test_G7_one_card_short_of_it_is_no_win() -> None:
    env = start("coyote", ["KC QC"], foundations={**ALL_BUT_KING_OF_CLUBS, "C": "J"}, rest="nowhere")
    outcome = do(env, pile_up(0))
    assert outcome.terminated is False
    assert outcome.reward == pytest.approx(1 / 52)


def test_G7_it_is_lost_when_no_legal_action_remains() -> None:
    env = start("courtyard", DEAD_COURTYARD, waste="7D", stock="9H", rest="waste")
    assert moves(env) == {DEAL}
    outcome = do(env, DEAL)
    assert outcome.terminated is True
    assert outcome.truncated is False
    assert outcome.info["is_success"] is False
    assert outcome.reward == 0
    assert moves(env) == set()


@pytest.mark.parametrize(("made", "lost"), [(0, False), (1, True)])
def test_G7_a_redeal_counts_as_an_action(made: int, lost: bool) -> None:
    env = start(
        "coyote",
        ["KH", "KD", "KC", "KS"],
        stock="9H",
        reserve="5C",
        rest="waste",
        redeals_made=made,
    )
    outcome = do(env, DEAL)
    assert outcome.terminated is lost
    assert moves(env) == (set() if lost else {REDEAL})


def test_G7_the_step_limit_truncates_and_is_no_end_of_the_game() -> None:
    env = gym.make("solitaire_env:Solitaire/Coyote-v0", max_episode_steps=3)
    _, info = env.reset(seed=1)
    flags = []
    for _ in range(3):
        deal = next(a for a, m in env.unwrapped.legal_moves().items() if m.kind == "deal")  # type: ignore[attr-defined]
        _, _, terminated, truncated, info = env.step(deal)
        flags.append((terminated, truncated))
    assert flags == [(False, False), (False, False), (False, True)]
    assert info["action_mask"].any()


# ---------------------------------------------------------------- G8


def test_G8_null_moves_are_not_offered_and_one_space_is_enough() -> None:
    env = start("coyote", ["QH", "JS TS", "", ""], waste="5D")
    # QH, or JS and TS together, into a space would only change the order of the piles.
    assert moves(env) == {DEAL, ("waste_pile", -1, 2, 1), ("pile_space", 1, 2, 1)}


def test_G8_the_first_space_is_the_one_offered() -> None:
    env = start("coyote", ["", "QH", "", "JS TS"], waste="5D")
    assert moves(env) == {DEAL, ("waste_pile", -1, 0, 1), ("pile_space", 3, 0, 1)}


@pytest.mark.parametrize(
    ("game", "piles", "expected"),
    [
        # The same but for which of two equal cards lies where.
        ("variegated_canfield", ["9H 8S", "9H", "KC", "KC", "KS"], {DEAL}),
        (
            "courtyard",
            ["KD 9S 8S", "KD 9S", *["KS", "KS", "KH", "KH", "KC", "KC", "2S", "2S", "5H", "5H"]],
            {DEAL},
        ),
        # Another card is uncovered: the position is another one.
        (
            "variegated_canfield",
            ["TC 9H 8S", "9H", "KC", "KC", "KS"],
            {DEAL, ("pile_pile", 0, 1, 1)},
        ),
        # A different card of the same rank and colour.
        ("variegated_canfield", ["9H 8S", "9D", "KC", "KC", "KS"], {DEAL, ("pile_pile", 0, 1, 1)}),
    ],
)
def test_G8_a_run_does_not_move_from_a_card_to_its_twin(game: str, piles: list[str], expected: set[MoveTuple]) -> None:
    env = start(game, piles)
    assert moves(env) == expected


def test_G8_a_whole_pile_may_move_to_a_space_when_a_refill_follows() -> None:
    # After a redeal there is a stock again beside a space that was left when it had run out.
    env = start(
        "courtyard",
        ["9S", "", "KS", "KS", "KH", "KH", "KD", "KD", "KC", "KC", "2S", "2H"],
        stock="4H",
        rules={"spaces": "any", "redeals": 1},
        redeals_made=1,
    )
    others = [p for p in range(12) if p != 1]
    assert moves(env) == {DEAL, *(("pile_space", p, 1, 1) for p in others)}
    do(env, ("pile_space", 0, 1, 1))
    assert at(env).tableau[:2] == (("4H",), ("9S",))


@every_game
def test_G8_what_is_offered_can_be_done_and_nothing_else_can(game: str) -> None:
    env = new_env(game)
    for number in range(3):
        env.reset(options={"deal": number})
        for _ in random_play(env, seed=number, steps=25):
            pass
        before = at(env)
        legal = env.legal_moves()
        assert legal
        for action in range(int(env.action_space.n)):  # type: ignore[attr-defined]
            played = copy.deepcopy(env)
            _, reward, terminated, truncated, info = played.step(action)
            assert info["illegal_action"] is (action not in legal)
            assert (at(played) == before) is (action not in legal)
            if action not in legal:
                assert reward == pytest.approx(-0.01)
                assert (terminated, truncated) == (False, False)
                assert np.flatnonzero(info["action_mask"]).tolist() == sorted(legal)


# ---------------------------------------------------------------- G9


@pytest.mark.parametrize(
    ("before", "card", "after"),
    [
        ("4 4", "5S", "5 4"),  # either of two equal ones: the same position
        ("5 4", "5S", "5 5"),
        ("5 4", "6S", "6 4"),
        ("6 4", "5S", "6 5"),
        ("K -", "AS", "K A"),  # a full one takes no ace
        ("K Q", "KS", "K K"),
        ("5 4", "7S", None),
        ("K 5", "7S", None),
    ],
)
def test_G9_two_foundations_a_suit(before: str, card: str, after: str | None) -> None:
    tops = ["KH", "KH", "KD", "KD", "KC", "KC", "2H", "2H", "2D", "2D", "2C", "2C"]
    env = start("courtyard", tops, waste=card, foundations={"S": before})
    assert moves(env) == ({DEAL, WASTE_UP} if after else {DEAL})
    if after:
        do(env, WASTE_UP)
        ladder = [rank + "S" for rank in "A23456789TJQK"]
        heights = [0 if top == "-" else ladder.index(top + "S") + 1 for top in after.split()]
        assert at(env).foundations[:2] == tuple(tuple(ladder[:h]) for h in heights)


def test_G9_a_foundation_is_full_at_thirteen_cards() -> None:
    # In Swiss the ace comes last; with two decks another Two would be at hand.
    env = start("swiss", ["4C"], waste="2S", foundations={"S": "A -"}, rules={"decks": 2})
    do(env, WASTE_UP)
    assert [len(pile) for pile in at(env).foundations[:2]] == [13, 1]


@pytest.mark.parametrize(("tops", "sources"), [("5 5", {1}), ("5 4", {0}), ("4 4", set()), ("6 5", {1})])
def test_G9_of_two_equal_foundations_one_gives_its_card(tops: str, sources: set[int]) -> None:
    piles = ["6S", "KH", "KH", "KD", "KD", "KC", "KC", "2H", "2H", "2D", "2D", "2C"]
    env = start("courtyard", piles, foundations={"S": tops}, rules={"foundation_returns": True})
    back = {move for move in moves(env) if move[0] == "foundation_pile"}
    assert back == {("foundation_pile", source, 0, 1) for source in sources}


# ---------------------------------------------------------------- G10

OPTION_SETS: list[tuple[str, dict[str, Any]]] = [
    *((game, {}) for game in GAMES),
    ("coyote", {"reserve": 13, "refill": "reserve", "moves": "any_suffix"}),
    ("coyote", {"foundation_returns": True, "redeals": None}),
    ("swiss", {"corner": "ring", "spaces": "any", "moves": "single"}),
    ("courtyard", {"spaces": "any", "refill": "waste_then_stock", "redeals": 1}),
    ("variegated_canfield", {"moves": "top_or_pile", "foundation_returns": True}),
]


@pytest.mark.parametrize(("game", "rules"), OPTION_SETS)
def test_G10_the_cards_are_the_deck_after_every_step(game: str, rules: dict[str, Any]) -> None:
    env = new_env(game, rules=rules)
    deck = Counter(full_deck(options_of(game, rules)))
    for number in range(3):
        env.reset(options={"deal": number})
        stock_sizes = set()
        for _ in random_play(env, seed=number, steps=200):
            assert all_cards(at(env)) == deck
            stock_sizes.add(len(at(env).stock))
        assert len(stock_sizes) > 1
