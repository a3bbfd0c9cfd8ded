"""What a user may ask of an environment, checked: the arguments that the single and the vector environment share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solitaire_env.actions import ActionTable
from solitaire_env.dealing import DEAL_LIMIT, FIRST_TRAINING_DEAL
from solitaire_env.engine import REWARDS
from solitaire_env.games import GAMES
from solitaire_env.layout import Spec, compile_rules
from solitaire_env.observation import LEVELS, Level, observation_size
from solitaire_env.rules import Rules, override

Reward = Literal["progress", "win"]

NO_DEAL = -1
"""Stands for the deal number of a game that was started from a position."""


class Settings(NamedTuple):
    """A game and the ways to show and reward it, in the forms that the environments use.

    Attributes:
        rules: The rules of the game, overrides applied.
        spec: Their compiled form.
        options: What engine.py takes: int64, level, whether to avoid repeats, kind of reward.
        penalty: What an illegal action costs.
        actions: The table of actions.
        action_space: ``Discrete`` over the table.
        observation_space: Zeros and ones, uint8.
    """

    rules: Rules
    spec: Spec
    options: NDArray[np.int64]
    penalty: float
    actions: ActionTable
    action_space: spaces.Discrete
    observation_space: spaces.Box


def read_settings(
    game: str | Rules,
    rules: Mapping[str, Any] | None,
    observation: Level,
    reward: Reward,
    illegal_penalty: float,
    avoid_repeats: bool,
) -> Settings:
    """Checks the arguments of an environment, whose meaning is in ``SolitaireEnv``.

    Raises:
        ValueError: An argument is not allowed; the message names it.
    """
    chosen = override(game_rules(game), rules)
    if observation not in LEVELS:
        raise ValueError(f"observation is {observation!r}: allowed are {', '.join(map(repr, LEVELS))}")
    if reward not in REWARDS:
        raise ValueError(f"reward is {reward!r}: allowed are {', '.join(map(repr, REWARDS))}")
    if not isinstance(illegal_penalty, (int, float)) or not 0 <= illegal_penalty < float("inf"):
        raise ValueError(f"illegal_penalty is {illegal_penalty!r}: allowed are finite numbers from 0 up")
    if not isinstance(avoid_repeats, (bool, np.bool_)):
        raise ValueError(f"avoid_repeats is {avoid_repeats!r}: allowed are True and False")
    actions = ActionTable(chosen)
    return Settings(
        rules=chosen,
        spec=compile_rules(chosen),
        options=np.array([LEVELS.index(observation), avoid_repeats, REWARDS.index(reward)], np.int64),
        penalty=float(illegal_penalty),
        actions=actions,
        action_space=spaces.Discrete(actions.n),
        observation_space=spaces.Box(0, 1, (observation_size(chosen),), np.uint8),
    )


def game_rules(game: str | Rules) -> Rules:
    """Returns the rules of a game given by name or as rules.

    Raises:
        ValueError: The name is unknown.
    """
    if isinstance(game, Rules):
        return game
    if game not in GAMES:
        raise ValueError(f"game is {game!r}: allowed are {', '.join(map(repr, GAMES))}, and a Rules value")
    return GAMES[game]


def draw_deal(generator: np.random.Generator) -> int:
    """Draws the number of a deal for training, never one that is kept for evaluation."""
    return int(generator.integers(FIRST_TRAINING_DEAL, DEAL_LIMIT))


def draw_deals(generator: np.random.Generator, count: int) -> list[int]:
    """Draws what ``count`` calls of ``draw_deal`` would, faster; a test holds NumPy to that."""
    deals: list[int] = generator.integers(FIRST_TRAINING_DEAL, DEAL_LIMIT, size=count).tolist()
    return deals


def check_deal(deal: object) -> int:
    """Returns a deal number as an int.

    Raises:
        ValueError: It is no whole number from 0 to 2**63 - 2.
    """
    if isinstance(deal, bool) or not isinstance(deal, (int, np.integer)) or not 0 <= deal < DEAL_LIMIT:
        raise ValueError(f"deal is {deal!r}: allowed are whole numbers from 0 to {DEAL_LIMIT - 1}")
    return int(deal)


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns reset options as a mapping, an empty one for None.

    Raises:
        ValueError: They are no mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options is {options!r}: allowed are None and a mapping, such as {{'deal': 7}}")
    return options


def read_reset_options(options: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """Returns what reset options give for ``"deal"`` and ``"position"``, unchecked, None for what they do not give.

    Raises:
        ValueError: The options are no mapping, one is unknown, or both are given.
    """
    options = check_options(options)
    for key in options:
        if key not in ("deal", "position"):
            raise ValueError(f"unknown reset option {key!r}: allowed are 'deal' and 'position'")
    if len(options) > 1:
        raise ValueError("reset options 'deal' and 'position' exclude each other")
    return options.get("deal"), options.get("position")
