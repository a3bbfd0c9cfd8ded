"""``SolitaireVecEnv``: the native engine as a vector environment of stable-baselines3.

The only module that needs stable-baselines3, and so torch; nothing else in the package imports it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from solitaire_env.games import GAMES
from solitaire_env.observation import Level
from solitaire_env.registration import MAX_EPISODE_STEPS
from solitaire_env.rows import Rows
from solitaire_env.rules import Rules
from solitaire_env.settings import Reward
from solitaire_env.vector_env import Observations, SolitaireVectorEnv

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
except ImportError as error:
    raise gym.error.DependencyNotInstalled(
        'stable-baselines3 is not installed, run `pip install "solitaire_env[train]"`'
    ) from error


class _Games(SolitaireVectorEnv):
    """The engine, without the infos that Gymnasium asks for at every step."""

    def play(self, actions: NDArray[Any]) -> tuple[Observations, Rows]:
        """Plays an action in every env; where the episode ends, ``go_on`` begins the next."""
        observations, self._written = self._play(actions)
        return observations, self._rows

    def go_on(self, envs: NDArray[np.int64], observations: Observations) -> None:
        """Begins the next deals of some envs, and writes what they show into what ``play`` returned."""
        self._begin_next(envs, observations, self._written)


class SolitaireVecEnv(VecEnv):
    """Many equal games for stable-baselines3 and sb3-contrib, without a Python loop over them.

    At the end of an episode its info has ``episode`` (``r`` return, ``l`` length, ``t`` seconds since the start, as
    Monitor gives them), ``is_success``, ``terminal_observation``, ``TimeLimit.truncated`` and ``deal``. Masks come by
    ``env_method("action_masks")``, where sb3-contrib looks for them.
    """

    def __init__(
        self,
        game: str | Rules = "coyote",
        num_envs: int = 1,
        *,
        seed: int | None = None,
        rules: Mapping[str, Any] | None = None,
        observation: Level = "recall",
        reward: Reward = "progress",
        illegal_penalty: float = 0.01,
        avoid_repeats: bool = False,
        max_episode_steps: int | None = None,
        num_threads: int = 1,
    ) -> None:
        """Makes the environments.

        Args:
            game: As of ``SolitaireVectorEnv``, as for all arguments that are not named here.
            num_envs: Number of games.
            seed: Env ``i`` is seeded with ``seed + i`` at the first reset.
            rules: See ``SolitaireVectorEnv``.
            observation: See ``SolitaireVectorEnv``.
            reward: See ``SolitaireVectorEnv``.
            illegal_penalty: See ``SolitaireVectorEnv``.
            avoid_repeats: See ``SolitaireVectorEnv``.
            max_episode_steps: Truncates episodes; by default after as many steps as the game's id does, and never for
                rules that are none of the four games'.
            num_threads: See ``SolitaireVectorEnv``.

        Raises:
            ValueError: An argument is not allowed; the message names it.
        """
        if max_episode_steps is None and game in GAMES:
            max_episode_steps = MAX_EPISODE_STEPS[str(game)]
        self.envs = _Games(
            game,
            num_envs,
            rules=rules,
            observation=observation,
            reward=reward,
            illegal_penalty=illegal_penalty,
            avoid_repeats=avoid_repeats,
            max_episode_steps=max_episode_steps,
            autoreset_mode=AutoresetMode.SAME_STEP,
            num_threads=num_threads,
        )
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        if seed is not None:
            self.seed(seed)
        self._started = time.time()
        self._actions = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)

    def reset(self) -> VecEnvObs:
        """Starts new episodes in all envs; seeds and options set before are used up.

        Returns:
            Observations: uint8, ``(num_envs, m)``.
        """
        options: dict[str, Any] = {}
        if any(self._options):
            keys = {key for each in self._options for key in each}
            options = {key: [each[key] for each in self._options] for key in keys}
        observations, infos = self.envs.reset(seed=self._seeds, options=options)
        self.reset_infos = [{"deal": deal} for deal in infos["deal"].tolist()]
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Takes the actions of the next ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions.

        Returns:
            Observations, rewards (float32), dones (bool) and one info an env; an env that is done has been reset.
        """
        observations, rows = self.envs.play(self._actions)
        rewards, dones = rows.rewards.astype(np.float32), rows.ended.copy()
        self._returns += rows.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if len(ended) > 0:
            seconds = round(time.time() - self._started, 6)
            for i in ended.tolist():
                infos[i] = {
                    "episode": {"r": round(float(self._returns[i]), 6), "l": int(self._lengths[i]), "t": seconds},
                    "is_success": bool(rows.won[i]),
                    "deal": int(rows.deals[i]),
                    "terminal_observation": observations[i].copy(),
                    "TimeLimit.truncated": bool(rows.truncated[i] and not rows.terminated[i]),
                }
            self._returns[ended] = 0.0
            self._lengths[ended] = 0
            self.envs.go_on(ended, observations)
        return observations, rewards, dones, infos

    def close(self) -> None:
        """Ends the threads."""
        self.envs.close()

    def has_attr(self, attr_name: str) -> bool:
        """Tells whether the envs have an attribute."""
        return hasattr(self.envs, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute, equal for all envs, once for each of the chosen ones."""
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:  # noqa: ARG002
        """Refuses: the envs share what could be set.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError(f"cannot set {attr_name!r}: make another SolitaireVecEnv with other arguments")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method that answers for all envs at once, such as ``action_masks``, and picks the chosen envs'."""
        results: Sequence[Any] = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return list(results) if indices is None else [results[i] for i in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Says yes to Monitor alone, for its episode statistics are built in."""
        return [issubclass(wrapper_class, Monitor)] * len(list(self._get_indices(indices)))
