"""Wrappers for libraries that want the environment in another form."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

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
        if not isinstance(env.action_space, spaces.Discrete):
            raise ValueError(f"action_space is {env.action_space!r}: allowed is Discrete")
        mask = spaces.Box(0, 1, (int(env.action_space.n),), np.int8)
        self.observation_space = spaces.Dict({"action_mask": mask, "observations": env.observation_space})

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
