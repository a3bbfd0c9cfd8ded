"""What a player may know, K1 to K4, each proved on the real environment."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import SolitaireEnv
from tests.driving import at, new_env, options_of, put, random_play
from tests.positions import make_position
from tests.reference_games import COYOTE, GAMES
from tests.reference_model import Move, Options, RefPosition, known, legal_moves, play

every_game = pytest.mark.parametrize("game", GAMES)
every_level = pytest.mark.parametrize("level", ["table", "recall", "open"])


def shown(env: SolitaireEnv, position: RefPosition) -> np.ndarray[Any, Any]:
    """The observation at a position."""
    return put(env, position)[0]


def look_alike(level: str, first: RefPosition, second: RefPosition) -> bool:
    """Whether a Coyote player of that level sees the same in both positions."""
    env = new_env("coyote", observation=level)
    return bool(np.array_equal(shown(env, first), shown(env, second)))


def coyote(**where: Any) -> RefPosition:
    """A position in the middle of a Coyote game."""
    return make_position(COYOTE, ["KD 9S", "JH TH", "5D", "KC"], reserve="6S", **where)


# Each pair differs in one thing. Which levels tell them apart?
FIRST_PASS = coyote(waste="2D 7H 4C", stock="8H QC 3S")
SECOND_PASS = coyote(waste="2D 7H 4C", stock="8H QC 3S", redeals_made=1)
PAIRS = {
    "buried waste": (FIRST_PASS, replace(FIRST_PASS, waste=("7H", "2D", "4C"))),
    "waste top": (FIRST_PASS, replace(FIRST_PASS, waste=("2D", "4C", "7H"))),
    "unseen stock": (
        FIRST_PASS,
        coyote(waste="2D 7H 4C", stock="3S QC 8H"),
    ),
    "unseen card under the waste": (
        FIRST_PASS,
        coyote(waste="2D QC 4C", stock="8H 7H 3S"),
    ),
    "seen stock": (
        SECOND_PASS,
        coyote(waste="2D 7H 4C", stock="3S QC 8H", redeals_made=1),
    ),
    "sizes": (FIRST_PASS, coyote(waste="3S 2D 7H 4C", stock="8H QC")),
    "redeals left": (FIRST_PASS, SECOND_PASS),
    "reserve": (
        FIRST_PASS,
        replace(FIRST_PASS, reserve=("KC",), tableau=(*FIRST_PASS.tableau[:3], ("6S",))),
    ),
    "order in a pile": (
        FIRST_PASS,
        replace(FIRST_PASS, tableau=(("9S", "KD"), *FIRST_PASS.tableau[1:])),
    ),
}
TOLD_APART = {
    "table": {"waste top", "sizes", "redeals left", "reserve", "order in a pile"},
    "recall": set(PAIRS) - {"unseen stock"},
    "open": set(PAIRS),
}


def differences_seen(level: str) -> set[str]:
    return {name for name, pair in PAIRS.items() if not look_alike(level, *pair)}


def test_K1_table_shows_what_lies_face_up() -> None:
    assert differences_seen("table") == TOLD_APART["table"]


def test_K2_recall_shows_what_has_been_seen() -> None:
    assert differences_seen("recall") == TOLD_APART["recall"]


def test_K3_open_shows_everything() -> None:
    assert differences_seen("open") == TOLD_APART["open"]


def test_K2_recall_is_the_default() -> None:
    default, recall = new_env("coyote"), new_env("coyote", observation="recall")
    table = new_env("coyote", observation="table")
    for position in (FIRST_PASS, SECOND_PASS):
        assert np.array_equal(shown(default, position), shown(recall, position))
        assert not np.array_equal(shown(default, position), shown(table, position))


def test_K2_a_redeal_makes_the_stock_known() -> None:
    # The same cards in two orders, both dealt out and turned over by the player himself.
    env = new_env("coyote")
    views = []
    for stock in ("8H QC 3S", "3S QC 8H"):
        position = coyote(stock=stock)
        put(env, position)
        while at(env).stock:
            deal = next(action for action, m in env.legal_moves().items() if m.kind == "deal")
            env.step(deal)
        redeal = next(action for action, m in env.legal_moves().items() if m.kind == "redeal")
        views.append(env.step(redeal)[0])
        assert at(env).stock == position.stock
        assert at(env).stock_seen is True
    assert not np.array_equal(views[0], views[1])


# ---------------------------------------------------------------- against `known`


def varied(game: str, rng: random.Random) -> Iterator[RefPosition]:
    """Positions of random games and near ones, in which hidden and seen cards are exchanged."""
    env = new_env(game)
    for number in range(4):
        env.reset(options={"deal": number})
        for _ in random_play(env, seed=number, steps=150):
            position = at(env)
            yield position
            yield replace(position, stock=tuple(rng.sample(position.stock, len(position.stock))))
            yield replace(position, waste=tuple(rng.sample(position.waste, len(position.waste))))
            if position.stock and position.waste:
                stock, waste = list(position.stock), list(position.waste)
                place = rng.randrange(len(stock)), rng.randrange(len(waste))
                stock[place[0]], waste[place[1]] = waste[place[1]], stock[place[0]]
                yield replace(position, stock=tuple(stock), waste=tuple(waste))
            if position.redeals_left:
                left = position.redeals_left - 1
                yield replace(position, redeals_left=left, stock_seen=True)


@every_game
@every_level
def test_K1_K2_K3_one_observation_for_each_knowledge(game: str, level: str) -> None:
    env = new_env(game, observation=level)
    options = options_of(game)
    views: dict[bytes, object] = {}
    back: dict[object, bytes] = {}
    for position in varied(game, random.Random(3)):
        knowledge = known(options, position, level)
        view = shown(env, position).tobytes()
        assert views.setdefault(view, knowledge) == knowledge, position
        assert back.setdefault(knowledge, view) == view, position
    assert len(views) > 500


@every_game
@every_level
def test_K1_K2_K3_a_step_shows_what_a_reset_to_its_position_shows(game: str, level: str) -> None:
    played, fresh = new_env(game, observation=level), new_env(game, observation=level)
    for number in range(3):
        played.reset(options={"deal": number})
        for outcome in random_play(played, seed=number, steps=150):
            assert np.array_equal(outcome.observation, shown(fresh, at(played)))


# ---------------------------------------------------------------- K4


def exchanged(position: RefPosition, level: str, rng: random.Random) -> RefPosition:
    """The position with all the cards that the player does not know shuffled among themselves."""
    stock, waste = list(position.stock), list(position.waste)
    hidden: list[tuple[list[str], int]] = []
    if level == "table" or not position.stock_seen:
        hidden += [(stock, place) for place in range(len(stock))]
    if level == "table":
        hidden += [(waste, place) for place in range(len(waste) - 1)]
    cards = [pile[place] for pile, place in hidden]
    rng.shuffle(cards)
    for (pile, place), card in zip(hidden, cards, strict=True):
        pile[place] = card
    return replace(position, stock=tuple(stock), waste=tuple(waste))


def everything_shown(env: SolitaireEnv, position: RefPosition) -> list[object]:
    """Observation, mask and info at a position."""
    observation, info = put(env, position)
    mask = info.pop("action_mask")
    return [observation.tobytes(), mask.tolist(), env.action_masks().tolist(), info]


@every_game
@pytest.mark.parametrize("level", ["table", "recall"])
@pytest.mark.parametrize("avoid_repeats", [False, True])
def test_K4_hidden_cards_change_nothing(game: str, level: str, avoid_repeats: bool) -> None:
    rng = random.Random(9)
    source = new_env(game)
    env = new_env(game, observation=level, avoid_repeats=avoid_repeats)
    changed = 0
    for number in range(4):
        source.reset(options={"deal": number})
        for _ in random_play(source, seed=number, steps=150):
            position = at(source)
            other = exchanged(position, level, rng)
            changed += other != position
            assert everything_shown(env, position) == everything_shown(env, other)
    assert changed > 100


def draws_nothing(options: Options, position: RefPosition, move: Move) -> bool:
    """Whether a move shows no card that was hidden on the table."""
    after = play(options, position, move)
    return after.stock == position.stock and after.waste == position.waste


@every_game
@pytest.mark.parametrize("level", ["table", "recall"])
def test_K4_nor_does_a_step_that_turns_no_hidden_card(game: str, level: str) -> None:
    rng = random.Random(4)
    source = new_env(game)
    env = new_env(game, observation=level)
    options = options_of(game)
    compared = 0
    for number in range(4):
        source.reset(options={"deal": number})
        for _ in random_play(source, seed=number, steps=100):
            position = at(source)
            quiet = [m for m in legal_moves(options, position) if draws_nothing(options, position, m)]
            if not quiet:
                continue
            move = rng.choice(quiet)
            results = []
            for start in (position, exchanged(position, level, rng)):
                put(env, start)
                action = next(a for a, m in env.legal_moves().items() if tuple(m) == tuple(move))
                observation, reward, terminated, truncated, info = env.step(action)
                mask = info.pop("action_mask").tolist()
                results.append((observation.tobytes(), reward, terminated, truncated, mask, info))
            assert results[0] == results[1]
            compared += 1
    assert compared > 30


def test_K4_the_top_of_the_stock_is_unseen_until_it_lands() -> None:
    # V6: the move of the stock's top to a space is there whatever the card is.
    tableau = ["KD", "", "5S", "5C", "4S"]
    options = GAMES["variegated_canfield"]
    env = new_env("variegated_canfield")
    tops = ("3H", "QS", "2C")
    seen = [everything_shown(env, make_position(options, tableau, stock=top)) for top in tops]
    assert seen[0] == seen[1] == seen[2]


def test_K4_through_the_wrappers_of_make() -> None:
    env = gym.make("solitaire_env:Solitaire/Coyote-v0", observation="table")
    stacked = coyote(stock="8H QC 3S"), coyote(stock="3S QC 8H")
    views = []
    for position in stacked:
        base = env.unwrapped
        assert isinstance(base, SolitaireEnv)
        put(base, position)
        observation, info = env.reset(options={"position": base.position.to_text()})
        mask = info.pop("action_mask")
        views.append((observation.tobytes(), mask.tolist(), info))
    assert views[0] == views[1]
    assert stacked[0] != stacked[1]
