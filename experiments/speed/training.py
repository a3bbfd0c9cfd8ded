"""MaskablePPO end to end on each adapter: steps per second, and what part of the time the environment takes."""

from __future__ import annotations

import dataclasses
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from experiments.hyperparameters import CONFIGS, Hyperparameters, PolicySettings, read_hyperparameters
from experiments.learning import make_model, make_vec_env
from experiments.speed.rounds import ratio, spread
from solitaire_env import ENV_IDS
from solitaire_env.sb3 import SolitaireVecEnv

GAME = "coyote"


class Learner(NamedTuple):
    """What learns: the environment's share of the time, and what its speed is worth, depend on the rest.

    Attributes:
        net_arch: Widths of the layers, of policy and value each.
        n_epochs: Times that a rollout is learned from; None for the config's.
        batch_size: Positions in a minibatch; None for the config's.
    """

    net_arch: tuple[int, ...]
    n_epochs: int | None = None
    batch_size: int | None = None


LEARNERS = {
    "full": Learner((256, 256)),
    "default": Learner((64, 64), n_epochs=1, batch_size=8_192),
    "light": Learner((64,), n_epochs=1, batch_size=8_192),
}
"""As our own policies are trained, but for ordinary layers; stable-baselines3's own layers, learning once from each
rollout; and but one layer."""

ADAPTERS = ("SolitaireVecEnv", "DummyVecEnv", "SubprocVecEnv")


class Stopwatch(VecEnvWrapper):
    """Adds up the time spent in an environment, masks included."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        self.seconds = 0.0

    def reset(self) -> VecEnvObs:
        """Resets, on the clock."""
        start = time.perf_counter()
        observations = self.venv.reset()
        self.seconds += time.perf_counter() - start
        return observations

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Hands on the actions, on the clock."""
        start = time.perf_counter()
        self.venv.step_async(actions)
        self.seconds += time.perf_counter() - start

    def step_wait(self) -> VecEnvStepReturn:
        """Steps, on the clock."""
        start = time.perf_counter()
        result = self.venv.step_wait()
        self.seconds += time.perf_counter() - start
        return result

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Calls a method, on the clock."""
        start = time.perf_counter()
        results = self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        self.seconds += time.perf_counter() - start
        return results


class RolloutClock(BaseCallback):
    """Adds up the time of rollouts, as opposed to updates."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self._start = 0.0

    def _on_rollout_start(self) -> None:
        self._start = time.perf_counter()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.seconds += time.perf_counter() - self._start


def measure_training(
    rounds: int, *, num_envs: int | None = None, n_steps: int | None = None
) -> dict[str, dict[str, Any]]:
    """Trains each learner with one torch thread, a rollout and its update a round, on all adapters by turns.

    Args:
        rounds: Number of rounds, after one that is not counted.
        num_envs: Number of envs; by default the config's.
        n_steps: Steps of each env in a rollout; by default the config's.

    Returns:
        For each learner, for each adapter: ``steps_per_second``, ``rollout_steps_per_second`` (updates left out) and
        ``environment_share`` as of ``rounds.spread``; ``speedup_over_dummy`` and ``rollout_speedup_over_dummy``,
        medians over rounds.
    """
    settings = read_hyperparameters(CONFIGS / f"{GAME}.toml")
    return {
        name: _measure_learner(rounds, _of_learner(settings, learner, num_envs, n_steps))
        for name, learner in LEARNERS.items()
    }


def _measure_learner(rounds: int, settings: Hyperparameters) -> dict[str, Any]:
    threads_before = torch.get_num_threads()
    torch.set_num_threads(1)
    rates: dict[str, list[float]] = {name: [] for name in ADAPTERS}
    rollouts: dict[str, list[float]] = {name: [] for name in ADAPTERS}
    shares: dict[str, list[float]] = {name: [] for name in ADAPTERS}
    watches: dict[str, Stopwatch] = {}
    try:
        # Processes are best forked before anything else is there.
        for name in reversed(ADAPTERS):
            watches[name] = Stopwatch(_adapter(name, settings))
        with tempfile.TemporaryDirectory() as folder:
            models = {
                # It is declared for our adapter but takes any.
                name: make_model(
                    cast("SolitaireVecEnv", watch), GAME, settings, seed=0, tensorboard=Path(folder) / name
                )
                for name, watch in watches.items()
            }
            order, shuffle = list(ADAPTERS), random.Random(0).shuffle
            for number in range(rounds + 1):
                shuffle(order)
                for name in order:
                    watches[name].seconds, clock = 0.0, RolloutClock()
                    start = time.perf_counter()
                    models[name].learn(settings.rollout_steps, callback=clock, reset_num_timesteps=False)
                    seconds = time.perf_counter() - start
                    if number > 0:
                        rates[name].append(settings.rollout_steps / seconds)
                        rollouts[name].append(settings.rollout_steps / clock.seconds)
                        shares[name].append(watches[name].seconds / seconds)
    finally:
        for watch in watches.values():
            watch.close()
        torch.set_num_threads(threads_before)
    return {
        name: {
            "steps_per_second": spread(rates[name]),
            "rollout_steps_per_second": spread(rollouts[name]),
            "environment_share": spread(shares[name]),
            "speedup_over_dummy": ratio(rates, name, "DummyVecEnv"),
            "rollout_speedup_over_dummy": ratio(rollouts, name, "DummyVecEnv"),
        }
        for name in ADAPTERS
    }


def _adapter(name: str, settings: Hyperparameters) -> VecEnv:
    if name == "SolitaireVecEnv":
        return make_vec_env(GAME, settings, seed=0, num_threads=1)
    singles: list[Callable[[], gym.Env[Any, Any]]] = [lambda: _single(settings)] * settings.environment.num_envs
    env = DummyVecEnv(singles) if name == "DummyVecEnv" else SubprocVecEnv(singles, start_method="fork")
    env.seed(0)
    return env


def _single(settings: Hyperparameters) -> gym.Env[Any, Any]:
    chosen = settings.environment
    env: gym.Env[Any, Any] = gym.make(ENV_IDS[GAME], reward=chosen.reward, avoid_repeats=chosen.avoid_repeats)
    return Monitor(env)


def _of_learner(
    settings: Hyperparameters, learner: Learner, num_envs: int | None, n_steps: int | None
) -> Hyperparameters:
    environment = dataclasses.replace(settings.environment, num_envs=num_envs or settings.environment.num_envs)
    ppo = dataclasses.replace(
        settings.ppo,
        n_steps=n_steps or settings.ppo.n_steps,
        n_epochs=learner.n_epochs or settings.ppo.n_epochs,
    )
    batch = min(learner.batch_size or ppo.batch_size, environment.num_envs * ppo.n_steps)
    policy = PolicySettings(network="layers", net_arch=learner.net_arch, activation="tanh")
    ppo = dataclasses.replace(ppo, batch_size=batch)
    return dataclasses.replace(settings, environment=environment, ppo=ppo, policy=policy)
