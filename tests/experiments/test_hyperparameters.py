"""The games' own files are valid; a wrong entry is named."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from experiments.hyperparameters import CONFIGS, hyperparameters_of, read_hyperparameters
from solitaire_env import GAMES


def test_every_game_has_a_file_and_every_file_a_game() -> None:
    assert {file.stem for file in CONFIGS.iterdir()} == {*GAMES, "long"}


@pytest.mark.parametrize("file", sorted(CONFIGS.rglob("*.toml")), ids=lambda file: str(file.relative_to(CONFIGS)))
def test_own_files_are_valid_and_survive_json(file: Path) -> None:
    read = read_hyperparameters(file)
    assert hyperparameters_of(json.loads(json.dumps(dataclasses.asdict(read))), "json") == read


@pytest.mark.parametrize(
    ("table", "entry", "value", "message"),
    [
        (None, "steps", 0, "test: steps is 0: allowed are whole numbers from 1 up"),
        (None, "setps", 5, "test: setps is unknown"),
        (None, "ppo", 5, "test: ppo is 5: allowed is a table"),
        ("environment", "reward", "money", "environment.reward is 'money': allowed are 'progress', 'win'"),
        ("environment", "avoid_repeats", 1, "environment.avoid_repeats is 1: allowed are true and false"),
        ("environment", "num_envs", True, "environment.num_envs is True: allowed are whole numbers"),
        ("ppo", "gamma", "0.9", "ppo.gamma is '0.9': allowed are numbers from 0 up"),
        ("ppo", "ent_coef", -1.0, "ppo.ent_coef is -1.0: allowed are numbers from 0 up"),
        ("ppo", "batch_size", 1000, "ppo.batch_size is 1000: it must divide"),
        ("policy", "network", "cnn", "policy.network is 'cnn': allowed are 'piles', 'cards', 'layers'"),
        ("policy", "net_arch", [256, 96], r"policy.net_arch is \[256, 96\]: 'piles' takes 3 numbers"),
        ("imitation", "positions", 0, "imitation.positions is 0: allowed are whole numbers"),
        ("policy", "net_arch", [], r"policy.net_arch is \[\]: allowed is a list"),
        ("policy", "net_arch", [0], r"policy.net_arch\[0\] is 0"),
        ("policy", "activation", "gelu", "policy.activation is 'gelu': allowed are 'tanh', 'relu'"),
    ],
)
def test_names_what_is_wrong(table: str | None, entry: str, value: Any, message: str) -> None:
    data = dataclasses.asdict(read_hyperparameters(CONFIGS / "coyote.toml"))
    (data if table is None else data[table])[entry] = value
    with pytest.raises(ValueError, match=message):
        hyperparameters_of(data, "test")


def test_names_what_is_missing(tmp_path: Path) -> None:
    data = dataclasses.asdict(read_hyperparameters(CONFIGS / "coyote.toml"))
    del data["ppo"]["gamma"]
    with pytest.raises(ValueError, match=r"test: ppo\.gamma is missing"):
        hyperparameters_of(data, "test")
    with pytest.raises(FileNotFoundError, match="no such file of hyperparameters"):
        read_hyperparameters(tmp_path / "none.toml")
    (tmp_path / "broken.toml").write_text("steps = ")
    with pytest.raises(ValueError, match=r"broken\.toml is not TOML"):
        read_hyperparameters(tmp_path / "broken.toml")
