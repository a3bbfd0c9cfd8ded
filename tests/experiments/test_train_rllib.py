"""RLlib on the native vector environment: what a run leaves, a killed worker, SIGKILL for all of it and resumption."""

from __future__ import annotations

import csv
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs the extra ray")


from experiments import train_rllib
from experiments.train_rllib import last_checkpoint, main, steps_of
from tests.experiments.test_train import SMALL


@pytest.fixture
def asked(tmp_path: Path) -> list[str]:
    """A run of four updates in tmp_path/runs/small."""
    (tmp_path / "small.toml").write_text(SMALL)
    return (
        f"--config {tmp_path}/small.toml --runs {tmp_path}/runs --name small --deals 1000:1010 "
        "--checkpoint-every 1 --workers 2"
    ).split()


def progress(run: Path) -> list[dict[str, int]]:
    with (run / "progress.csv").open(newline="") as stream:
        return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(stream)]


def test_a_killed_worker_and_an_interruption_do_not_end_a_run(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, append = tmp_path / "runs" / "small", train_rllib.append_progress
    rows: list[Any] = []

    def kill_then_interrupt(folder: Path, row: Any) -> None:
        append(folder, row)
        rows.append(row)
        if len(rows) == 1:
            os.kill(worker_process(), signal.SIGKILL)
        if len(rows) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(train_rllib, "append_progress", kill_then_interrupt)
        assert main(asked) == 130
    assert len(rows) == 3
    checkpoint = last_checkpoint(run)
    assert checkpoint is not None
    assert steps_of(checkpoint) == rows[1][0]

    assert main(["--resume", str(run)]) == 0
    after = progress(run)
    assert after[:2] == [dict(zip(train_rllib.Progress._fields, row, strict=True)) for row in rows[:2]]
    assert after[-1]["steps"] >= 2048
    assert [path.name for path in run.glob("checkpoint*")] == [f"checkpoint-{after[-1]['steps']}"]
    result = json.loads((run / "eval.json").read_text())["agents"]["trained"]
    assert result["games"] == 10
    assert result["illegal_actions"] == 0
    assert main(["--resume", str(run)]) == 2


def worker_process() -> int:
    """The process of one of the workers that this process's Ray has."""
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if status.read_bytes().startswith(b"ray::SingleAgentEnvRunner") and descends(int(status.parent.name)):
                found.append(int(status.parent.name))
        except OSError:
            continue
    assert found, "no worker was found"
    return found[0]


def descends(process: int) -> bool:
    while process > 1:
        if process == os.getpid():
            return True
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return False


def test_module_never_plays_what_is_masked() -> None:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

    from agents.rllib import MaskedPPOModule

    envs = train_rllib.make_envs(
        {"game": "swiss", "num_envs": 4, "avoid_repeats": True, "reward": "win", "max_episode_steps": 9}
    )
    module = MaskedPPOModule(
        observation_space=envs.single_observation_space,
        action_space=envs.single_action_space,
        model_config=DefaultModelConfig(fcnet_hiddens=[8]),
    )
    observations, _ = envs.reset(seed=0)
    batch = {Columns.OBS: {name: torch.as_tensor(array) for name, array in observations.items()}}
    for forward in (module.forward_inference, module.forward_exploration, module.forward_train):
        logits = forward(batch)[Columns.ACTION_DIST_INPUTS].detach().numpy()
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        assert (weights[observations["action_mask"] == 0] == 0).all()
        assert (weights[observations["action_mask"] == 1] > 0).all()
    assert module.compute_values(batch).shape == (4,)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (["--game", "klondike"], "game is 'klondike'"),
        (["--workers", "0"], "workers is 0"),
        (["--workers", "3"], "workers is 3: it must divide num_envs, 16"),
        (["--deals", "999990:1000010"], "deals is '999990:1000010'"),
        (["--resume", "nowhere"], "no such file"),
        (["--config", "experiments/configs/coyote.toml"], "policy.network is 'piles': allowed is 'layers'"),
    ],
)
def test_bad_input_is_named(
    asked: list[str], changed: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*asked, *changed]) == 2
    assert message in capsys.readouterr().err
