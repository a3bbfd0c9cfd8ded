"""Who is measured: our environments in their forms, and other people's."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import SubprocVecEnv

from experiments.speed.player import Player
from experiments.speed.players import (
    CopyPlayer,
    OpenSpielPlayer,
    SinglePlayer,
    StableBaselinesPlayer,
    VectorPlayer,
)
from solitaire_env import ENV_IDS
from solitaire_env.registration import MAX_EPISODE_STEPS

SIZES = (1, 64, 1_024, 16_384, 65_536)
"""Numbers of envs that the vector environment is measured with."""

SIZE = 1_024
"""The number of envs that others are compared with."""

LARGE = 65_536
"""The number of envs at which memory is all that counts."""

PROCESSES = 16
"""Envs, and so processes, of the vector environments that are built from single ones."""

BASELINES = {"openspiel": "OpenSpiel", "taxi": "Taxi", "envpool_taxi": "envpool Taxi"}
"""Those to whom ratios are given: contender and its name in a heading."""


class Contender(NamedTuple):
    """One line of the table.

    Attributes:
        key: Its name in the JSON.
        label: What the table says.
        envs: Games side by side.
        threads: Threads, or processes, that play them.
        make: Makes the player, warmed up.
    """

    key: str
    label: str
    envs: int
    threads: int
    make: Callable[[], Player]


def vector_key(size: int, threads: int = 1, **options: bool) -> str:
    """Returns the key of the vector environment with so many envs, threads, and options that are no default."""
    parts = [f"vector/n={size}", f"threads={threads}" if threads > 1 else ""]
    parts += [f"{name}={value}" for name, value in options.items()]
    return "/".join(part for part in parts if part)


def copy_key(size: int, *, fresh: bool) -> str:
    """Returns the key of the copy of what the vector environment hands out a step."""
    return f"copy/n={size}/{'fresh' if fresh else 'reused'}"


def solitaire_contenders(game: str, sizes: tuple[int, ...], spread_over: int | None) -> Iterator[Contender]:
    """Yields our environments, those with processes first: a process is best forked before there are threads.

    Args:
        game: The game.
        sizes: Numbers of envs of the vector environment.
        spread_over: Calls over which games are spread before they are measured; None for as many as the step limit.
    """
    env_id, spread = ENV_IDS[game], MAX_EPISODE_STEPS[game] if spread_over is None else spread_over

    def single() -> gym.Env[Any, Any]:
        return gym.make(env_id)

    def of_singles(mode: str, **options: Any) -> Player:
        return VectorPlayer(gym.make_vec(env_id, PROCESSES, vectorization_mode=mode, vector_kwargs=options))

    def vector(size: int, **options: Any) -> Callable[[], Player]:
        def make() -> Player:
            few = VectorPlayer(gym.make_vec(env_id, min(size, SIZE), **options), spread_over=spread)
            if size <= SIZE:
                return few
            player = VectorPlayer(gym.make_vec(env_id, size, **options))
            player.lay_out(few.positions())  # which takes less time than to spread so many
            few.close()
            return player

        return make

    def subproc() -> Player:
        return StableBaselinesPlayer(SubprocVecEnv([single] * PROCESSES, start_method="fork"))

    yield Contender(
        f"async/n={PROCESSES}",
        "ours, AsyncVectorEnv",
        PROCESSES,
        PROCESSES,
        lambda: of_singles("async", context="fork"),
    )
    yield Contender(f"subproc/n={PROCESSES}", "ours, SubprocVecEnv", PROCESSES, PROCESSES, subproc)
    yield Contender(f"sync/n={PROCESSES}", "ours, SyncVectorEnv", PROCESSES, 1, lambda: of_singles("sync"))
    yield Contender("single", "ours, gym.make", 1, 1, lambda: SinglePlayer(single()))
    for threads in (1, 2):
        for size in sizes:
            if size >= threads:
                key, make = vector_key(size, threads), vector(size, num_threads=threads)
                yield Contender(key, "ours, gym.make_vec", size, threads, make)
    for size in (SIZE, LARGE):
        if size in sizes:
            label = "ours, make_vec copy=False"
            yield Contender(vector_key(size, copy=False), label, size, 1, vector(size, copy=False))
    if SIZE in sizes:
        key, label = vector_key(SIZE, avoid_repeats=True), "ours, make_vec avoid_repeats=True"
        yield Contender(key, label, SIZE, 1, vector(SIZE, avoid_repeats=True))


def copy_contenders(game: str, sizes: tuple[int, ...]) -> Iterator[Contender]:
    """Yields plain copies of what a step of our vector environment hands out."""
    each = bytes_handed_out(game)

    def copy(size: int, fresh: bool) -> Callable[[], Player]:
        return lambda: CopyPlayer(size, each, fresh=fresh)

    for size in (SIZE, LARGE):
        for fresh in (True, False):
            if size in sizes:
                label = f"copying as much, into {'new' if fresh else 'old'} memory"
                yield Contender(copy_key(size, fresh=fresh), label, size, 1, copy(size, fresh))


def bytes_handed_out(game: str) -> int:
    """Returns how many bytes of arrays a step of our vector environment hands out an env."""
    size = 64
    envs = gym.make_vec(ENV_IDS[game], size)
    _, infos = envs.reset(seed=0)
    actions = infos["action_mask"].argmax(axis=1)
    *arrays, infos = envs.step(actions)
    envs.close()
    given: list[np.ndarray[Any, Any]] = [np.asarray(array) for array in (*arrays, *infos.values())]
    return sum(array.nbytes for array in given) // size


def compile_kernel() -> None:
    """Compiles our environments, or loads them compiled, so that processes forked later need not, each for itself."""
    for avoid_repeats in (False, True):
        for env in (
            gym.make(ENV_IDS["coyote"], avoid_repeats=avoid_repeats),
            gym.make_vec(ENV_IDS["coyote"], 1, avoid_repeats=avoid_repeats),
        ):
            _, info = env.reset(seed=0)
            action = info["action_mask"].argmax(axis=-1)
            env.step(action)
            env.close()


def other_contenders() -> tuple[list[Contender], list[str]]:
    """Returns other people's environments that are installed, and notes on those that are not."""
    found, notes = [], []
    hint = 'not installed, skipped; `pip install "solitaire_env[bench]"` brings it'
    if importlib.util.find_spec("pyspiel"):
        found.append(Contender("openspiel", "OpenSpiel solitaire, numpy observer", 1, 1, OpenSpielPlayer))
    else:
        notes.append(f"open_spiel: {hint}")
    if importlib.util.find_spec("envpool"):
        found.append(Contender("envpool_taxi", "envpool Taxi-v3", SIZE, 1, _envpool_taxi))
    else:
        notes.append(f"envpool: {hint}")
    found.append(Contender("taxi", "Gymnasium Taxi-v4, gym.make", 1, 1, lambda: SinglePlayer(gym.make("Taxi-v4"))))
    found.append(
        Contender("cartpole", "Gymnasium CartPole-v1, gym.make", 1, 1, lambda: SinglePlayer(gym.make("CartPole-v1")))
    )
    return found, notes


def _envpool_taxi() -> Player:
    import envpool

    # One seed for all that it does, given here; at a reset it would warn.
    env: Any = envpool.make("Taxi-v3", env_type="gymnasium", num_envs=SIZE, num_threads=1, seed=0)
    return VectorPlayer(env, seed=None)
