"""The trained player: plays as its model does, by masks, the same in any batch; says what is wrong with a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO

from agents.ppo import CONFIG_FILE, MODEL_FILE, PPOAgent, load_ppo
from experiments.evaluation import play
from solitaire_env.sb3 import SolitaireVecEnv


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    env = SolitaireVecEnv("coyote", 4, seed=0)
    return MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, seed=0, device="cpu").learn(256)


@pytest.fixture
def run(model: MaskablePPO, tmp_path: Path) -> Path:
    model.save(tmp_path / MODEL_FILE)
    (tmp_path / CONFIG_FILE).write_text(json.dumps({"game": "coyote", "avoid_repeats": True}))
    return tmp_path


def test_plays_as_its_model(model: MaskablePPO) -> None:
    agent = PPOAgent(model.policy, avoid_repeats=False)
    env = SolitaireVecEnv("coyote", 32, seed=3)
    observations = env.reset()
    for _ in range(30):
        masks = np.array(env.env_method("action_masks"))
        actions, _ = agent.predict(observations, deterministic=True, action_masks=masks)
        expected, _ = model.predict(observations, deterministic=True, action_masks=masks)
        assert (actions == expected).all()
        observations, *_ = env.step(actions)


def test_weights_are_the_probabilities_of_the_model(model: MaskablePPO) -> None:
    env = SolitaireVecEnv("coyote", 8, seed=3)
    observations, masks = env.reset(), np.array(env.env_method("action_masks"))
    weights = PPOAgent(model.policy, avoid_repeats=False).action_weights(observations, masks)
    inputs, _ = model.policy.obs_to_tensor(observations)
    expected = model.policy.get_distribution(inputs, action_masks=masks).distribution.probs.detach().numpy()
    assert weights / weights.sum(axis=1, keepdims=True) == pytest.approx(expected, abs=1e-6)
    assert (weights[~masks] == 0).all()


@pytest.mark.parametrize("deterministic", [True, False])
def test_results_do_not_depend_on_the_batch(run: Path, deterministic: bool) -> None:
    results = [
        play(
            load_ppo(run, "coyote", seed=5),
            "coyote",
            range(1000, 1024),
            avoid_repeats=True,
            deterministic=deterministic,
            games_at_once=size,
        )
        for size in (1, 7, 24)
    ]
    for result in results[1:]:
        assert (result.lengths == results[0].lengths).all()
        assert (result.foundation_cards == results[0].foundation_cards).all()
    assert results[0].illegal_actions == 0


def test_loads_from_the_folder_and_from_the_file(run: Path) -> None:
    assert load_ppo(run, "coyote").avoid_repeats
    assert load_ppo(run / MODEL_FILE, "coyote").avoid_repeats


def test_says_what_is_missing(run: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere: no such run folder or model file"):
        load_ppo(tmp_path / "nowhere", "coyote")
    (run / MODEL_FILE).rename(run / "other.zip")
    with pytest.raises(FileNotFoundError, match=r"model\.zip: no such model file"):
        load_ppo(run, "coyote")
    (run / CONFIG_FILE).unlink()
    with pytest.raises(FileNotFoundError, match=r"config\.json: no such file; a model needs"):
        load_ppo(run / "other.zip", "coyote")


@pytest.mark.parametrize("content", ["{", "[]", '{"game": "coyote"}', '{"game": 1, "avoid_repeats": true}'])
def test_refuses_a_foreign_config(run: Path, content: str) -> None:
    (run / CONFIG_FILE).write_text(content)
    with pytest.raises(ValueError, match=r"config\.json is (not JSON|no config of a run)"):
        load_ppo(run, "coyote")


def test_refuses_a_foreign_model(run: Path) -> None:
    (run / MODEL_FILE).write_text("no zip")
    with pytest.raises(ValueError, match=r"model\.zip is no MaskablePPO model"):
        load_ppo(run, "coyote")
    env = SolitaireVecEnv("coyote", 2)
    PPO("MlpPolicy", env, n_steps=32, batch_size=64, device="cpu").save(run / MODEL_FILE)
    with pytest.raises(ValueError, match=r"model\.zip is no MaskablePPO model"):
        load_ppo(run, "coyote")


def test_refuses_a_model_of_another_game(run: Path) -> None:
    with pytest.raises(ValueError, match="was trained on coyote, not on swiss"):
        load_ppo(run, "swiss")
    (run / CONFIG_FILE).write_text(json.dumps({"game": "swiss", "avoid_repeats": True}))
    with pytest.raises(ValueError, match="does not fit swiss"):
        load_ppo(run, "swiss")
