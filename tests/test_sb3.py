"""The adapter for stable-baselines3, and MaskablePPO on every kind of vector environment of each game."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="needs the extra train")
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv, VecMonitor

from solitaire_env import ENV_IDS, GAMES, SolitaireEnv
from solitaire_env.sb3 import SolitaireVecEnv


@pytest.mark.parametrize("game", GAMES)
def test_equals_dummy_vec_env_step_by_step(game: str) -> None:
    """Observations, rewards, dones and what the infos of ended episodes say; masks after every step."""
    n, limit = 6, 70
    native = SolitaireVecEnv(game, n, seed=5, max_episode_steps=limit, avoid_repeats=True)

    def single() -> gym.Env:
        return Monitor(gym.make(ENV_IDS[game], max_episode_steps=limit, avoid_repeats=True))

    dummy = DummyVecEnv([single] * n)
    dummy.seed(5)
    assert np.array_equal(native.reset(), dummy.reset())
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(300):
        masks = get_action_masks(native)
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, get_action_masks(dummy))
        actions = (rng.random(masks.shape) * masks).argmax(1)
        observations, rewards, dones, infos = native.step(actions)
        expected = dummy.step(actions)
        assert np.array_equal(observations, expected[0])
        assert rewards.dtype == expected[1].dtype == np.float32
        assert np.allclose(rewards, expected[1])
        assert np.array_equal(dones, expected[2])
        for i in np.flatnonzero(dones):
            ends += 1
            mine, theirs = infos[i], expected[3][i]
            assert np.array_equal(mine["terminal_observation"], theirs["terminal_observation"])
            for key in ("is_success", "TimeLimit.truncated", "deal"):
                assert mine[key] == theirs[key], key
            assert mine["episode"]["l"] == theirs["episode"]["l"]
            assert mine["episode"]["r"] == pytest.approx(theirs["episode"]["r"], abs=2e-6)
    assert ends > n


def test_asks_and_answers_of_a_vec_env() -> None:
    env = SolitaireVecEnv("coyote", 3, seed=1)
    env.reset()
    assert is_masking_supported(env)
    assert env.get_attr("rules", indices=[0, 2]) == [GAMES["coyote"]] * 2
    assert len(env.env_method("action_masks", indices=1)) == 1
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3
    with pytest.raises(AttributeError, match="cannot set"):
        env.set_attr("rules", None)
    env.set_options({"deal": 4})
    env.reset()
    single = SolitaireEnv("coyote")
    single.reset(options={"deal": 4})
    assert env.env_method("positions") == [single.position] * 3
    env.reset()
    assert env.env_method("positions") != [single.position] * 3
    env.close()


def test_default_limit_is_that_of_the_id() -> None:
    for game, env_id in ENV_IDS.items():
        env = SolitaireVecEnv(game, 1, rules={"redeals": None})
        env.reset()
        steps = 0
        done = False
        while not done:  # with unlimited redeals, dealing never ends
            _, _, dones, infos = env.step(np.zeros(1, np.int64))
            steps += 1
            done = bool(dones[0])
        assert infos[0]["TimeLimit.truncated"]
        assert steps == gym.spec(env_id).max_episode_steps


def make_single(game: str) -> gym.Env:
    return gym.make(ENV_IDS[game])


class _Maker:
    """A function that a worker process can be sent."""

    def __init__(self, game: str, monitor: bool) -> None:
        self.game, self.monitor = game, monitor

    def __call__(self) -> gym.Env:
        env = make_single(self.game)
        return Monitor(env) if self.monitor else env


def vec_envs(game: str, kind: str) -> VecEnv:
    if kind == "native":
        return SolitaireVecEnv(game, 4)
    if kind == "native-monitor":
        with pytest.warns(UserWarning, match="already wrapped"):  # the adapter has episode statistics of its own
            return VecMonitor(SolitaireVecEnv(game, 4))
    if kind == "subproc":
        return SubprocVecEnv([_Maker(game, False)] * 2, start_method="spawn")
    return DummyVecEnv([_Maker(game, kind == "monitor")] * 4)


@pytest.mark.parametrize("kind", ["native", "native-monitor", "dummy", "monitor", "subproc"])
@pytest.mark.parametrize("game", GAMES)
def test_maskable_ppo_trains_and_never_plays_illegally(game: str, kind: str) -> None:
    """Two updates with torch's validation of distributions on; then an evaluation with masks."""
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(True)
    env = vec_envs(game, kind)
    try:
        model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=2, seed=0, device="cpu")
        model.learn(2 * 32 * env.num_envs)
        assert model._n_updates == 2 * 2
        assert model.rollout_buffer.observations.dtype == np.uint8
    finally:
        env.close()
    illegal: list[bool] = []

    def note(local: dict[str, Any], _: dict[str, Any]) -> None:
        illegal.append(local["info"]["illegal_action"])

    evaluation = Monitor(gym.make(ENV_IDS[game], max_episode_steps=80))
    evaluate_policy(model, evaluation, n_eval_episodes=2, callback=note)
    assert illegal
    assert not any(illegal)
