"""Random legal play, timed the same way for every environment."""

from __future__ import annotations

import abc
import time
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray


class Sample(NamedTuple):
    """A stretch of play.

    Attributes:
        steps: Actions played, over all envs; an autoreset is no step.
        seconds: Time spent in the environment.
    """

    steps: int
    seconds: float


class Player(abc.ABC):
    """An environment, or many side by side, and a player who draws legal actions.

    The clock runs while the environment works, and only then: from the actions to the next observation and the next
    mask, whatever calls that takes; where episodes do not begin anew by themselves, it runs during reset as well. The
    draw of actions stands outside the clock for everybody.
    """

    def play(self, seconds: float) -> Sample:
        """Plays until that much time has been spent in the environment, at least one call."""
        spent, steps = 0.0, 0
        while spent < seconds or steps == 0:
            actions = self.choose()
            start = time.perf_counter()
            self.act(actions)
            spent += time.perf_counter() - start
            steps += self.count()
        return Sample(steps, spent)

    @abc.abstractmethod
    def choose(self) -> Any:
        """Draws legal actions; untimed."""

    @abc.abstractmethod
    def act(self, actions: Any) -> None:
        """Plays them, up to the next observation and mask; timed."""

    @abc.abstractmethod
    def count(self) -> int:
        """Returns the steps that the last ``act`` played; untimed."""

    @abc.abstractmethod
    def close(self) -> None:
        """Lets go of the environment."""


class Chooser:
    """Draws uniformly from the legal actions of many envs."""

    def __init__(self, size: int, n_actions: int, seed: int = 0) -> None:
        self._generator = np.random.default_rng(seed)
        self._size = size
        self._n_actions = n_actions
        self._actions = np.zeros(size, np.int64)

    def __call__(self, masks: NDArray[Any] | None) -> NDArray[np.int64]:
        """Returns an action an env; without masks any action is legal."""
        if masks is None:
            return self._generator.integers(0, self._n_actions, self._size)
        _pick(masks, self._generator.random(self._size), self._actions)
        return self._actions


@numba.njit(cache=True)
def _pick(masks: NDArray[Any], draws: NDArray[np.float64], actions: NDArray[np.int64]) -> None:
    """Sets each action to the legal one that its draw, from 0 to 1, falls on; to 0 where none is legal."""
    n_actions = masks.shape[1]
    for i in range(len(masks)):
        legal = 0
        for action in range(n_actions):
            legal += masks[i, action] != 0
        left = int(draws[i] * legal)
        actions[i] = 0
        for action in range(n_actions):
            if masks[i, action] != 0:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1
