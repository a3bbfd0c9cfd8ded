"""The wrapper that puts the mask into the observation."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import ENV_IDS
from solitaire_env.wrappers import ActionMaskObservation


@pytest.mark.parametrize("env_id", ENV_IDS.values())
def test_mask_is_part_of_the_observation(env_id: str) -> None:
    env = ActionMaskObservation(gym.make(env_id))
    observation, info = env.reset(seed=0)
    for _ in range(50):
        assert env.observation_space.contains(observation)
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        observation, _, terminated, _, info = env.step(int(np.flatnonzero(observation["action_mask"])[-1]))
        if terminated:
            break


def test_other_action_spaces_are_refused() -> None:
    with pytest.raises(ValueError, match="allowed is Discrete"):
        ActionMaskObservation(gym.make("Pendulum-v1"))
