"""Drives the real environment by its public interface, for the tests of the clauses.

Every look at the legal moves also holds the mask against them, and every step checks that no card
appeared or vanished, so that each test of a clause carries these checks along.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from solitaire_env import Position, SolitaireEnv
from tests.positions import make_position
from tests.reference_games import GAMES
from tests.reference_model import Options, RefPosition, full_deck

IDS = {
    "coyote": "Solitaire/Coyote-v0",
    "swiss": "Solitaire/Swiss-v0",
    "courtyard": "Solitaire/Courtyard-v0",
    "variegated_canfield": "Solitaire/VariegatedCanfield-v0",
}

# (kind, source, target, count), as the environment's `Move`.
MoveTuple = tuple[str, int, int, int]
DEAL: MoveTuple = ("deal", -1, -1, 0)
REDEAL: MoveTuple = ("redeal", -1, -1, 0)
WASTE_UP: MoveTuple = ("waste_foundation", -1, -1, 1)
RESERVE_UP: MoveTuple = ("reserve_foundation", -1, -1, 1)


def pile_up(source: int) -> MoveTuple:
    """A pile's top card to its foundation."""
    return ("pile_foundation", source, -1, 1)


class Outcome(NamedTuple):
    """What one step gave."""

    observation: np.ndarray[Any, Any]
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def new_env(game: str, **kwargs: Any) -> SolitaireEnv:
    """The environment of a game, without `make`'s wrappers."""
    env = gym.make(f"solitaire_env:{IDS[game]}", **kwargs).unwrapped
    assert isinstance(env, SolitaireEnv)
    return env


def options_of(game: str, rules: dict[str, Any] | None = None) -> Options:
    """The reference model's options of a game with some of them overridden."""
    return replace(GAMES[game], **(rules or {}))


def at(env: SolitaireEnv) -> RefPosition:
    """Where the environment stands, as the reference model's value."""
    return RefPosition(**asdict(env.position))


def put(env: SolitaireEnv, position: RefPosition) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    """Resets the environment to a position; returns the observation and the info."""
    observation, info = env.reset(options={"position": Position(**asdict(position))})
    assert at(env) == position
    return observation, info


def start(
    game: str,
    tableau: Sequence[str],
    *,
    rules: dict[str, Any] | None = None,
    env: dict[str, Any] | None = None,
    **position: Any,
) -> SolitaireEnv:
    """An environment that stands at a hand-made position.

    Args:
        game: The game.
        tableau: The piles, as text.
        rules: Rule fields to override.
        env: Further arguments of the environment.
        **position: Further arguments of `make_position`.
    """
    made = new_env(game, rules=rules, **(env or {}))
    put(made, make_position(options_of(game, rules), tableau, **position))
    return made


def all_cards(position: RefPosition) -> Counter[str]:
    """Every card that lies somewhere, and how often."""
    piles = [*position.foundations, *position.tableau]
    piles += [position.stock, position.waste, position.reserve]
    return Counter(card for pile in piles for card in pile)


def moves(env: SolitaireEnv) -> set[MoveTuple]:
    """The legal moves; each has one action, and the mask says the same."""
    legal = env.legal_moves()
    mask = env.action_masks()
    assert sorted(legal) == np.flatnonzero(mask).tolist()
    as_set = {(move.kind, move.source, move.target, move.count) for move in legal.values()}
    assert len(as_set) == len(legal)
    return as_set


def step(env: SolitaireEnv, action: int) -> Outcome:
    """Takes a legal action and checks what must hold after each."""
    outcome = Outcome(*env.step(action))
    assert outcome.info["illegal_action"] is False
    options = Options(**env.rules.to_dict())
    assert all_cards(at(env)) == Counter(full_deck(options))
    mask = outcome.info["action_mask"]
    assert outcome.terminated or np.flatnonzero(mask).tolist() == sorted(env.legal_moves())
    assert "is_success" in outcome.info or not outcome.terminated
    return outcome


def do(env: SolitaireEnv, move: MoveTuple) -> Outcome:
    """Makes a move, which must be legal."""
    found = [action for action, legal in env.legal_moves().items() if tuple(legal) == move]
    assert len(found) == 1, f"{move} is not among {sorted(moves(env))}"
    return step(env, found[0])


def random_play(env: SolitaireEnv, seed: int, steps: int) -> Iterator[Outcome]:
    """Plays at random from where the environment stands, at most so many steps or to the end."""
    rng = random.Random(seed)
    for _ in range(steps):
        outcome = step(env, rng.choice(sorted(env.legal_moves())))
        yield outcome
        if outcome.terminated:
            return
