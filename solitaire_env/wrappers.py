"""Wrappers for libraries that want the environment in another form."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

MaskedObservation = dict[str, NDArray[Any]]


class ActionMaskObservation(gym.Wrapper[Any, Any, Any, Any]):
    """Puts the action mask into the observation, the form that RLlib's action-masking modules expect.

    Observations become ``{"action_mask": int8 (n,), "observations": uint8 (m,)}``, as in ``info``.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wraps an environment whose info has ``action_mask``.

        Args:
            env: A ``SolitaireEnv``, under other wrappers or not.

        Raises:
            ValueError: The action space is not discrete.
        """
        super().__init__(env)
        self.observation_space = _with_mask(env.observation_space, env.action_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MaskedObservation, dict[str, Any]]:
        """Starts a game, as the wrapped environment does."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._masked(observation, info), info

    def step(self, action: Any) -> tuple[MaskedObservation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Plays an action, as the wrapped environment does."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._masked(observation, info), reward, terminated, truncated, info

    @staticmethod
    def _masked(observation: NDArray[Any], info: dict[str, Any]) -> MaskedObservation:
        return {"action_mask": info["action_mask"].copy(), "observations": observation}


class ActionMaskVectorObservation(VectorWrapper[Any, Any, Any, Any, Any]):
    """The same for a vector environment: ``{"action_mask": int8 (num_envs, n), "observations": uint8 (num_envs, m)}``.

    In mode SAME_STEP ``final_obs`` keeps the form that it has without the wrapper.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        """Wraps a vector environment whose infos have ``action_mask``.

        Args:
            env: A ``SolitaireVectorEnv``, under other wrappers or not.

        Raises:
            ValueError: The action space of a single environment is not discrete.
        """
        super().__init__(env)
        self.single_observation_space = _with_mask(env.single_observation_space, env.single_action_space)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MaskedObservation, dict[str, Any]]:
        """Starts games, as the wrapped environment does."""
        observations, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]  # lists are allowed
        return {"action_mask": infos["action_mask"], "observations": observations}, infos

    def step(
        self, actions: ArrayLike
    ) -> tuple[MaskedObservation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays an action in every game, as the wrapped environment does."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        masked = {"action_mask": infos["action_mask"], "observations": observations}
        return masked, rewards, terminated, truncated, infos


def _with_mask(observations: spaces.Space[Any], actions: spaces.Space[Any]) -> spaces.Dict:
    if not isinstance(actions, spaces.Discrete):
        raise ValueError(f"action_space is {actions!r}: allowed is Discrete")
    mask = spaces.Box(0, 1, (int(actions.n),), np.int8)
    return spaces.Dict({"action_mask": mask, "observations": observations})
