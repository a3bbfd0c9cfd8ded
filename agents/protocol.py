"""What every player is: stable-baselines3's ``predict``, for a batch of games at once."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

AgentState = tuple[NDArray[Any], ...] | None


class Agent(Protocol):
    """Whatever has this method can be evaluated; models of stable-baselines3 and sb3-contrib have it."""

    def predict(
        self,
        observation: NDArray[Any],
        state: AgentState = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[Any], AgentState]:
        """Chooses an action for each game.

        Args:
            observation: Shape ``(games, m)``.
            state: What the last call returned; ``None`` before the first.
            episode_start: Bool, ``(games,)``: the games that have just begun.
            deterministic: Takes the best action rather than a drawn one.
            action_masks: What is legal, ``(games, n)``, non-zero for yes.

        Returns:
            The actions, ``(games,)``, and a state for the next call.
        """
        ...


class MaskedAgent(ABC):
    """A player that gives every legal action a weight, and takes the heaviest or draws by the weights.

    Draws follow each game and not the batch: a game's random numbers depend on the seed and on its first observation
    alone, so that the results of an evaluation are the same for any number of games side by side, in any order.

    Attributes:
        avoid_repeats: Whether the player is meant for environments with ``avoid_repeats=True``.
    """

    def __init__(self, *, avoid_repeats: bool, seed: int = 0) -> None:
        self.avoid_repeats = avoid_repeats
        self._seed = seed

    @abstractmethod
    def action_weights(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns a weight for each action, 0 or more, ``(games, n)``; what is masked gets 0."""

    def state_values(
        self,
        observations: NDArray[Any],  # noqa: ARG002
    ) -> NDArray[np.float64] | None:
        """Returns the reward that the player still expects, ``(games,)``; None for a player that does not judge."""
        return None

    def predict(
        self,
        observation: NDArray[Any],
        state: AgentState = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int64], AgentState]:
        """Chooses legal actions, as of ``Agent``; a single observation and mask without a batch are allowed too.

        Raises:
            ValueError: The masks are missing, fit neither observations nor actions, or forbid everything in a game.
        """
        observations = np.atleast_2d(observation)
        masks = check_masks(observations, action_masks)
        weights = self.action_weights(observations, masks)
        if deterministic:
            actions = weights.argmax(axis=1)
        else:
            state = self._follow_games(observations, state, episode_start)
            draws = np.array([generator.random() for generator in state[0]])
            totals = weights.cumsum(axis=1)
            actions = (totals > draws[:, None] * totals[:, -1:]).argmax(axis=1)
        return (actions[0] if observation.ndim == 1 else actions), state

    def _follow_games(
        self,
        observations: NDArray[Any],
        state: AgentState,
        episode_start: NDArray[np.bool_] | None,
    ) -> tuple[NDArray[Any]]:
        """Returns each game's generator of random numbers, a new one where a game has just begun."""
        if state is None:
            generators, fresh = np.empty(len(observations), dtype=object), np.ones(len(observations))
        else:
            generators = state[0].copy()
            fresh = np.zeros(len(generators)) if episode_start is None else np.array(episode_start)
        for i in np.flatnonzero(fresh):
            name = hashlib.blake2b(observations[i].tobytes(), digest_size=8).digest()
            generators[i] = np.random.default_rng([self._seed, int.from_bytes(name, "little")])
        return (generators,)


def check_masks(observations: NDArray[Any], action_masks: NDArray[Any] | None) -> NDArray[np.bool_]:
    """Returns the masks as bools, ``(games, n)``.

    Raises:
        ValueError: They are missing, fit neither observations nor actions, or forbid everything in a game.
    """
    if action_masks is None:
        raise ValueError("action_masks is None: this agent plays by masks only")
    masks = np.atleast_2d(action_masks).astype(np.bool_)
    if len(masks) != len(observations):
        raise ValueError(f"action_masks are {len(masks)}, but observations are {len(observations)}")
    stuck = np.flatnonzero(~masks.any(axis=1))
    if len(stuck):
        raise ValueError(f"action_masks forbid every action in games {stuck.tolist()}")
    return masks
