"""A player for each interface that environments come with."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from experiments.speed.player import Chooser, Player
from solitaire_env import Position

_GROUPS = 64  # of envs that begin together when games are spread over their phases


class SinglePlayer(Player):
    """Plays a Gymnasium environment, by the mask in its info if there is one."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self._env = env
        assert isinstance(env.action_space, gym.spaces.Discrete)
        self._chooser = Chooser(1, int(env.action_space.n))
        self._kept: Any = None  # what the environment returned last, as a user would hold on to it
        self._kept, self._info = env.reset(seed=0)

    def choose(self) -> int:
        """Draws an action."""
        mask = self._info.get("action_mask")
        return int(self._chooser(None if mask is None else mask[None])[0])

    def act(self, actions: int) -> None:
        """Plays it, and begins a new episode after the last step of one."""
        self._kept, _, terminated, truncated, self._info = self._env.step(actions)
        if terminated or truncated:
            self._kept, self._info = self._env.reset()

    def count(self) -> int:
        """Returns 1."""
        return 1

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()


class VectorPlayer(Player):
    """Plays a Gymnasium vector environment in autoreset mode NEXT_STEP, by the masks in its infos if there are any."""

    def __init__(self, env: VectorEnv[Any, Any, Any], spread_over: int = 0, seed: int | None = 0) -> None:
        """Resets the environment.

        Args:
            env: The environment.
            spread_over: Plays that many calls, untimed, during which the envs are reset one group after the other:
                games that all began together would all be in the same phase of the game at any time.
            seed: Of the first reset.
        """
        self._env = env
        self._size = env.num_envs
        self._chooser = Chooser(self._size, int(getattr(env.single_action_space, "n", 0)))
        self._kept, infos = env.reset(seed=seed)
        self._masks: NDArray[Any] | None = infos.get("action_mask")
        self._ended = np.zeros(self._size, np.bool_)
        self._played = 0
        self._spread(spread_over)

    def positions(self) -> list[Position]:
        """Returns the positions of the games that are not over."""
        env: Any = self._env  # one of ours
        return [position for position, over in zip(env.positions(), self._ended, strict=True) if not over]

    def lay_out(self, positions: Sequence[Position]) -> None:
        """Goes on from positions of another player's games, each as often as it takes."""
        each = list(itertools.islice(itertools.cycle(positions), self._size))
        self._kept, infos = self._env.reset(options={"position": each})
        self._masks, self._ended = infos["action_mask"], np.zeros(self._size, np.bool_)

    def choose(self) -> NDArray[np.int64]:
        """Draws the actions."""
        self._played = self._size - int(np.count_nonzero(self._ended))
        return self._chooser(self._masks)

    def act(self, actions: NDArray[np.int64]) -> None:
        """Plays them."""
        self._kept, _, terminated, truncated, infos = self._env.step(actions)
        self._masks = infos.get("action_mask")
        self._ended = terminated | truncated

    def count(self) -> int:
        """Returns the number of envs that did not begin anew."""
        return self._played

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()

    def _spread(self, calls: int) -> None:
        groups = np.arange(self._size) % _GROUPS
        begun = 0
        for call in range(calls):
            self.act(self.choose())
            while begun < _GROUPS and begun * calls <= call * _GROUPS:
                picked = groups == begun
                begun += 1
                if not picked.any() or self._masks is None:
                    continue
                self._kept, infos = self._env.reset(options={"reset_mask": picked})
                self._masks = np.where(picked[:, None], infos["action_mask"], self._masks)
                self._ended = self._ended & ~picked


class StableBaselinesPlayer(Player):
    """Plays a VecEnv of stable-baselines3, asking for masks as sb3-contrib does."""

    def __init__(self, env: VecEnv) -> None:
        self._env = env
        self._chooser = Chooser(env.num_envs, int(getattr(env.action_space, "n", 0)))
        env.seed(0)
        self._kept: Any = env.reset()
        self._masks = np.stack(env.env_method("action_masks"))

    def choose(self) -> NDArray[np.int64]:
        """Draws the actions."""
        return self._chooser(self._masks)

    def act(self, actions: NDArray[np.int64]) -> None:
        """Plays them and asks for the masks."""
        self._kept = self._env.step(actions)
        self._masks = np.stack(self._env.env_method("action_masks"))

    def count(self) -> int:
        """Returns the number of envs: resets take no step of their own."""
        return self._env.num_envs

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()


class OpenSpielPlayer(Player):
    """Plays OpenSpiel's solitaire as a fast loop in Python would.

    Its numpy observer fills one array again and again, and the mask is the dense list that the state gives: nobody
    copies anything. Chance nodes, where it turns cards up, are played in the time of the step that leads to them.
    """

    def __init__(self) -> None:
        import pyspiel
        from open_spiel.python.observation import make_observation

        self._game = pyspiel.load_game("solitaire")
        self._observation = make_observation(self._game)
        self._random = random.Random(0)
        self._state = self._game.new_initial_state()
        self._mask: list[int] = []
        self._show()

    def choose(self) -> int:
        """Draws an action."""
        return self._random.choice(self._state.legal_actions())  # type: ignore[no-any-return]

    def act(self, actions: int) -> None:
        """Plays it, and begins a new game after the last step of one."""
        self._state.apply_action(actions)
        self._show()

    def count(self) -> int:
        """Returns 1."""
        return 1

    def close(self) -> None:
        """Does nothing."""

    def _show(self) -> None:
        while True:
            state = self._state
            if state.is_terminal():
                self._state = self._game.new_initial_state()
            elif state.is_chance_node():
                outcomes = state.legal_actions()  # all alike probable
                state.apply_action(outcomes[int(self._random.random() * len(outcomes))])
            else:
                break
        self._observation.set_from(state, 0)
        self._mask = state.legal_actions_mask()


class CopyPlayer(Player):
    """Copies as many bytes as a vector environment hands out a step: no step that writes them can be faster."""

    def __init__(self, size: int, bytes_per_env: int, *, fresh: bool) -> None:
        """Makes the buffers.

        Args:
            size: Number of envs.
            bytes_per_env: Bytes a step that each writes.
            fresh: Copies into a new array each time, else into the same one.
        """
        self._size = size
        self._source = np.ones(size * bytes_per_env, np.uint8)
        self._target = np.zeros_like(self._source)
        self._fresh = fresh

    def choose(self) -> None:
        """Does nothing."""

    def act(self, actions: None) -> None:  # noqa: ARG002  # there is nothing to choose
        """Copies once."""
        if self._fresh:
            self._target = np.empty_like(self._source)
        np.copyto(self._target, self._source)

    def count(self) -> int:
        """Returns the number of envs."""
        return self._size

    def close(self) -> None:
        """Does nothing."""
