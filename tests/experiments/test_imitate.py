"""Imitation: the solver's moves are learned, never from held-out deals; PPO goes on from the policy."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
import torch
from sb3_contrib import MaskablePPO

from agents.ppo import load_model
from experiments import imitate, train
from experiments.suites import Label, read_suite, write_suite
from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.solver import solve

SMALL = """
steps = 1024
[environment]
num_envs = 16
avoid_repeats = true
reward = "progress"
max_episode_steps = 400
[imitation]
positions = 3000
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
network = "piles"
net_arch = [32, 16, 8]
activation = "relu"
"""


def lines(first: int, number: int) -> list[Label]:
    solved = [(deal, solve(deal, GAMES["coyote"], max_positions=25_000)) for deal in range(first, first + number)]
    return [Label(deal, of.status, of.positions, of.actions) for deal, of in solved]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(imitate, "HELD_OUT_LINES", 2)
    write_suite(tmp_path / "lines", "coyote", "training", lines(1_000_000, 9))
    (tmp_path / "small.toml").write_text(SMALL)
    return (
        f"--config {tmp_path}/small.toml --lines {tmp_path}/lines --runs {tmp_path}/runs --name pupil --deals 1000:1004"
    ).split()


def rows(run: Path) -> list[dict[str, float]]:
    with (run / "imitation.csv").open(newline="") as stream:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]


def weights(model: MaskablePPO) -> dict[str, torch.Tensor]:
    return {key: value.clone() for key, value in model.policy.state_dict().items()}


def test_learns_the_moves_and_ppo_goes_on(asked: list[str], tmp_path: Path) -> None:
    assert imitate.main(asked) == 0
    run = tmp_path / "runs" / "pupil"
    progress = rows(run)
    assert progress[-1]["held_out_loss"] < 0.7 * progress[0]["loss"]
    assert progress[-1]["held_out_agreement"] > 0.8
    assert json.loads((run / "config.json").read_text())["hyperparameters"]["imitation"]["positions"] == 3000
    assert json.loads((run / "eval.json").read_text())["agents"]["trained"]["games"] == 4
    assert load_model(run / "model.zip", "coyote").num_timesteps >= 3000

    further = ["--config", f"{tmp_path}/small.toml", "--runs", f"{tmp_path}/runs", "--deals", "1000:1004"]
    more = ["--start", str(run), "--checkpoint-every", "1", "--name"]
    before = weights(load_model(run / "model.zip", "coyote"))
    assert train.main([*further, *more, "value", "--steps", "512"]) == 0
    after = weights(load_model(tmp_path / "runs" / "value" / "model.zip", "coyote"))
    changed = {key for key in before if not torch.equal(before[key], after[key])}
    assert changed == {key for key in before if key.startswith("value_net")}
    assert train.main([*further, *more, "both"]) == 0
    after = weights(load_model(tmp_path / "runs" / "both" / "model.zip", "coyote"))
    assert any(not torch.equal(before[key], after[key]) for key in before if key.startswith("action_net"))


def test_interrupted_and_resumed(asked: list[str], tmp_path: Path) -> None:
    run, measure, calls = tmp_path / "runs" / "pupil", imitate.measure, []

    def interrupt(model: MaskablePPO, examples: imitate.Examples) -> tuple[float, float]:
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return measure(model, examples)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imitate, "measure", interrupt)
        assert imitate.main(asked) == 130
    kept = rows(run)
    assert len(kept) == 2
    assert load_model(run / "model.zip", "coyote").num_timesteps == kept[-1]["positions"]
    assert imitate.main(["--resume", str(run)]) == 0
    assert rows(run)[:2] == kept
    assert rows(run)[-1]["positions"] >= 3000


def test_a_row_without_its_checkpoint_is_written_once(asked: list[str], tmp_path: Path) -> None:
    """The row comes before the checkpoint: what an interruption between the two leaves is learned, and told, again."""
    run, save, calls = tmp_path / "runs" / "pupil", imitate.save_model, []

    def interrupt(folder: Path, model: MaskablePPO) -> None:
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt
        save(folder, model)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imitate, "save_model", interrupt)
        assert imitate.main(asked) == 130
    cut = rows(run)
    assert len(cut) == 3
    assert load_model(run / "model.zip", "coyote").num_timesteps == cut[1]["positions"]
    assert imitate.main(["--resume", str(run)]) == 0
    whole = rows(run)
    positions = [row["positions"] for row in whole]
    assert positions == sorted(set(positions))
    assert whole[:2] == cut[:2]
    assert positions[2] == cut[2]["positions"]


@pytest.mark.parametrize(
    "line", ["2x0,0.5,0.5,0.5,0.5", "200,0.5,0.5,0.5", "200,0.5,0.5,0.5,0.5,0.5", "200,0.5,half,0.5,1"]
)
def test_foreign_progress_ends_it_with_a_line(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    assert imitate.main([*asked, "--positions", "64"]) == 0
    run = tmp_path / "runs" / "pupil"
    (run / "eval.json").unlink()
    with (run / "imitation.csv").open("a") as stream:
        stream.write(line + "\n")
    assert imitate.main(["--resume", str(run)]) == 2
    error = capsys.readouterr().err
    assert re.search(r"error: .*imitation\.csv, line 3, is no progress of a run", error)
    assert "Traceback" not in error


def test_examples_are_what_a_player_sees(asked: list[str], tmp_path: Path) -> None:
    label = next(x for x in read_suite(tmp_path / "lines", "coyote", "training") if x.actions)
    examples = imitate.play_lines("coyote", [label])
    assert examples.actions.tolist() == list(label.actions)
    env = SolitaireEnv("coyote", avoid_repeats=True)
    observation, info = env.reset(options={"deal": label.deal})
    for i, action in enumerate(label.actions):
        assert (observation == examples.observations[i]).all()
        assert (info["action_mask"].astype(bool) == examples.masks[i]).all()
        observation, _, terminated, _, info = env.step(np.int64(action))
    assert terminated
    assert info["is_success"]


def test_refuses_held_out_deals(asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_suite(tmp_path / "lines", "coyote", "training", lines(1_000, 5))
    assert imitate.main(asked) == 2
    assert "deal 1000 is kept for evaluation" in capsys.readouterr().err


def test_refuses_lines_of_another_game(asked: list[str], tmp_path: Path) -> None:
    label = lines(1_000_000, 1)[0]
    with pytest.raises(RuntimeError, match=r"not legal at its step|does not win"):
        imitate.play_lines("coyote", [label._replace(deal=label.deal + 1)])


def test_start_must_fit(asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert imitate.main([*asked, "--positions", "64"]) == 0
    run = tmp_path / "runs" / "pupil"
    assert train.main(["--start", str(run), "--runs", f"{tmp_path}/runs"]) == 2
    assert "its game and networks are coyote, {'network': 'piles', 'net_arch': [32, 16, 8]" in capsys.readouterr().err
