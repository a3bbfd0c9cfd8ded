"""Training: what a run leaves behind, interruption and resumption, and that it never sees a held-out deal."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
from matplotlib.image import imread
from sb3_contrib import MaskablePPO

from agents.ppo import load_model
from experiments import evaluate
from experiments.hyperparameters import CONFIGS, read_hyperparameters
from experiments.learning import Recorder, make_model, make_vec_env, seed_for
from experiments.runs import read_progress
from experiments.train import main
from solitaire_env import GAMES
from solitaire_env.dealing import FIRST_TRAINING_DEAL

SMALL = """
steps = 2048
[environment]
num_envs = 16
avoid_repeats = true
reward = "progress"
max_episode_steps = 400
[imitation]
positions = 1000
batch_size = 64
learning_rate = 1e-3
lines_at_once = 4
[ppo]
n_steps = 32
batch_size = 128
n_epochs = 1
gamma = 0.99
gae_lambda = 0.95
clip_range = 0.2
ent_coef = 0.0
vf_coef = 0.5
max_grad_norm = 0.5
learning_rate = 1e-3
final_learning_rate = 1e-4
value_updates = 1
[policy]
network = "layers"
net_arch = [16]
activation = "relu"
"""


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    """A run of four updates, checkpoints after each, in tmp_path/runs/small."""
    (tmp_path / "small.toml").write_text(SMALL)
    return (
        f"--config {tmp_path}/small.toml --runs {tmp_path}/runs --name small --deals 1000:1010 --checkpoint-every 1"
    ).split()


def interrupt_in_update(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Lets Ctrl-C come in the middle of an update."""
    update, calls = MaskablePPO.train, []

    def train(model: MaskablePPO) -> None:
        calls.append(None)
        if len(calls) == number:
            raise KeyboardInterrupt
        update(model)

    monkeypatch.setattr(MaskablePPO, "train", train)


def test_what_a_run_leaves_behind(asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*asked, "--seed", "3"]) == 0
    run = tmp_path / "runs" / "small"
    config = json.loads((run / "config.json").read_text())
    assert config["arguments"]["seed"] == 3
    assert config["hyperparameters"]["ppo"]["n_steps"] == 32
    assert config["hyperparameters"]["steps"] == 2048
    assert set(config["git"]) == {"commit", "dirty"}
    assert {"python", "torch", "solitaire_env"} <= set(config["versions"])
    assert "experiments.train" in config["command"]

    result = json.loads((run / "eval.json").read_text())
    assert set(result["agents"]) == {"random play", "rule player", "trained"}
    for figures in result["agents"].values():
        assert figures["games"] == 10
        assert figures["illegal_actions"] == 0
    printed = capsys.readouterr().out
    assert "95 % interval" in printed
    assert all(name in printed for name in result["agents"])

    progress = read_progress(run)
    assert [row.steps for row in progress] == [512, 1024, 1536, 2048]
    assert sum(row.episodes for row in progress) > 0
    assert imread(run / "curve.png").shape[2] == 4
    assert load_model(run / "model.zip", "coyote").num_timesteps == 2048
    assert not list(run.glob("*.part"))
    assert list((run / "tensorboard").rglob("events.*"))

    file = tmp_path / "again.json"
    assert evaluate.main(["--agent", str(run), "--deals", "1000:1010", "--json", str(file)]) == 0
    again, trained = json.loads(file.read_text()), result["agents"]["trained"]
    assert {key: again[key] for key in trained} == trained


@pytest.mark.parametrize("network", ['"layers"\nnet_arch = [16]', '"piles"\nnet_arch = [32, 16, 8]'])
def test_plain_ppo_learns_without_masks_and_plays_by_them(asked: list[str], tmp_path: Path, network: str) -> None:
    (tmp_path / "small.toml").write_text(SMALL.replace('"layers"\nnet_arch = [16]', network))
    assert main([*asked, "--no-masks"]) == 0
    run = tmp_path / "runs" / "small"
    result = json.loads((run / "eval.json").read_text())["agents"]["trained"]
    assert result["games"] == 10
    assert result["illegal_actions"] == 0
    # A fresh policy without masks asks for illegal actions most of the time, and its games end by the step limit.
    played = read_progress(run)
    assert sum(row.wins for row in played) == 0
    assert all(row.length == 400 * row.episodes for row in played)


def test_interrupted_and_resumed(asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "runs" / "small"
    with pytest.MonkeyPatch.context() as patch:
        interrupt_in_update(patch, 3)
        assert main(asked) == 130
    assert f"--resume {run}" in capsys.readouterr().err
    assert load_model(run / "model.zip", "coyote").num_timesteps == 1024
    assert [row.steps for row in read_progress(run)] == [512, 1024, 1536]
    config = (run / "config.json").read_text()

    assert main(["--resume", str(run)]) == 0
    model = load_model(run / "model.zip", "coyote")
    assert model.num_timesteps == 2048
    assert model._n_updates == 4
    assert [row.steps for row in read_progress(run)] == [512, 1024, 1536, 2048]
    assert (run / "config.json").read_text() == config
    assert json.loads((run / "eval.json").read_text())["agents"]["trained"]["games"] == 10

    assert main(["--resume", str(run)]) == 2
    assert "that run is finished" in capsys.readouterr().err


def test_interrupted_in_the_first_update(asked: list[str], tmp_path: Path) -> None:
    """There is a checkpoint from the start."""
    with pytest.MonkeyPatch.context() as patch:
        interrupt_in_update(patch, 1)
        assert main(asked) == 130
    assert main(["--resume", str(tmp_path / "runs" / "small")]) == 0


def test_interrupted_before_the_evaluation_was_written(asked: list[str], tmp_path: Path) -> None:
    run = tmp_path / "runs" / "small"
    assert main(asked) == 0
    (run / "eval.json").unlink()
    model = (run / "model.zip").read_bytes()
    assert main(["--resume", str(run)]) == 0
    assert (run / "eval.json").exists()
    assert (run / "model.zip").read_bytes() == model


def test_the_step_limit_loses() -> None:
    """Told of a truncation, PPO would add the value of a game that was put off; see ``LimitLoses``."""
    settings = read_hyperparameters(CONFIGS / "swiss.toml")
    env = make_vec_env("swiss", settings, seed=0, num_threads=1)
    env.reset()
    generator, limited = np.random.default_rng(0), 0
    for _ in range(settings.environment.max_episode_steps):
        masks = np.array(env.env_method("action_masks"))
        _, _, _, infos = env.step((masks * generator.random(masks.shape)).argmax(axis=1))
        ended = [info for info in infos if "episode" in info]
        limited += sum(info["episode"]["l"] == settings.environment.max_episode_steps for info in ended)
        assert not any(info["TimeLimit.truncated"] for info in ended)
    assert limited > 0


@pytest.mark.parametrize("game", GAMES)
def test_training_draws_training_deals_only(game: str) -> None:
    settings = read_hyperparameters(CONFIGS / f"{game}.toml")
    env = make_vec_env(game, settings, seed=0, num_threads=1)
    rng = np.random.default_rng(0)
    deals: list[int] = []
    env.reset()
    deals += [info["deal"] for info in env.reset_infos]
    for _ in range(400):
        masks = np.array(env.env_method("action_masks"))
        _, _, dones, infos = env.step((masks * rng.random(masks.shape)).argmax(axis=1))
        deals += [infos[i]["deal"] for i in np.flatnonzero(dones)]
    assert len(set(deals)) > settings.environment.num_envs
    assert min(deals) >= FIRST_TRAINING_DEAL


def test_a_held_out_deal_stops_the_training(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, "coyote", 100, 100)
    recorder.model = SimpleNamespace(num_timesteps=1)  # type: ignore[assignment]
    recorder.locals = {"infos": [{}, {"episode": {"l": 1}, "deal": FIRST_TRAINING_DEAL - 1}]}
    with pytest.raises(RuntimeError, match="was dealt deal 999999, kept for evaluation"):
        recorder.on_step()


def test_a_resumed_run_has_another_seed() -> None:
    assert seed_for(7, 0) == 7
    assert len({seed_for(seed, steps) for seed in (0, 1) for steps in (0, 512, 1024)}) == 6


def test_folders_are_never_shared(asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs" / "small").mkdir(parents=True)
    assert main(asked) == 2
    assert "name is 'small'" in capsys.readouterr().err
    unnamed: list[Any] = [word for word in asked if word not in ("--name", "small")]
    for _ in range(2):
        assert main([*unnamed, "--steps", "512"]) == 0
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"small", "coyote-seed0", "coyote-seed0-2"}


@pytest.mark.parametrize(
    ("asked_for", "message"),
    [
        ("--game chess", "game is 'chess'"),
        ("--steps 0", "steps is 0"),
        ("--seed=-1", "seed is -1"),
        ("--threads 0", "threads is 0"),
        ("--checkpoint-every 0", "checkpoint_every is 0"),
        ("--deals 999999:1000001", "deals is '999999:1000001': those from 1000000 on are trained on"),
        ("--config none.toml", "none.toml: no such file of hyperparameters"),
        ("--resume nowhere", "nowhere/config.json: no such file"),
        ("--resume nowhere --seed 3", "seed is 3, but a resumed run keeps its own arguments"),
    ],
)
def test_bad_input_is_named(asked_for: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [] if "--resume" in asked_for else ["--runs", str(tmp_path)]
    assert main([*asked_for.split(), *runs]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")
    assert not list(tmp_path.iterdir())


def test_what_is_not_a_number_ends_training(asked: list[str]) -> None:
    settings = read_hyperparameters(Path(asked[asked.index("--config") + 1]))
    env = make_vec_env("coyote", settings, seed=0, num_threads=1)
    model = make_model(env, "coyote", settings, seed=0, tensorboard=None)
    model.policy.action_net.weight.data.fill_(np.nan)
    with pytest.raises(RuntimeError, match="nan"):
        model.learn(settings.rollout_steps)
    env.close()
