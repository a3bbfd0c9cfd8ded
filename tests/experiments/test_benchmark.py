"""The benchmark runs and leaves what it promises; how fast anything was is no matter for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
import gymnasium as gym
from matplotlib.image import imread

from experiments import benchmark
from experiments.benchmark import Extent, main
from experiments.speed import contenders
from experiments.speed.contenders import bytes_handed_out, vector_key
from experiments.speed.figures import targets
from experiments.speed.player import Chooser
from experiments.speed.players import VectorPlayer
from experiments.speed.rounds import ratio, spread
from solitaire_env import ENV_IDS

TINY = Extent(
    rounds=2,
    seconds=0.001,
    sizes=(1, 64, 1_024),
    spread_over=2,
    training_rounds=1,
    training_envs=4,
    training_steps=8,
    starts=1,
    cold=False,
)

# Threads of libraries are idle while the benchmark forks; Python 3.12 and later warn all the same.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def without_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the extra bench be absent."""
    monkeypatch.setattr(contenders.importlib.util, "find_spec", lambda _: None)


def test_what_a_run_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_others(monkeypatch)
    monkeypatch.setattr(benchmark, "QUICK", TINY)
    assert main(["--quick", "--games", "swiss", "--out", str(tmp_path)]) == 0
    result = json.loads((tmp_path / "benchmark.json").read_text())
    assert {"cpu", "cores", "load_average", "load_average_at_the_end"} <= set(result["machine"])
    assert {"python", "numba", "solitaire_env"} <= set(result["versions"])
    assert set(result["git"]) == {"commit", "dirty"}
    assert len(result["skipped"]) == 2

    assert list(result["games"]) == ["swiss"]
    swiss = result["games"]["swiss"]
    rows = swiss["contenders"]
    assert {"single", "taxi", "cartpole", "sync/n=16", "async/n=16", "subproc/n=16"} <= set(rows)
    assert {vector_key(1), vector_key(64, 2), vector_key(1_024, copy=False)} <= set(rows)
    for row in rows.values():
        rate = row["steps_per_second"]
        assert len(rate["rounds"]) == 2
        assert 0 < rate["q1"] <= rate["median"] <= rate["q3"]
        assert row["ratio_to"]["taxi"] > 0
        assert row["ratio_to"]["openspiel"] is None
    assert set(swiss["relative_cost"]) == {"64", "1024"}
    dearest = max(swiss["relative_cost"].values())
    assert swiss["off_a_line"] == pytest.approx((dearest - 1) / (dearest + 1))
    assert set(swiss["copy_bound"]) == {vector_key(1_024), vector_key(1_024, copy=False)}
    kept = swiss["bytes_per_env"]
    assert kept["plain"]["total"] < kept["avoid_repeats"]["total"]
    assert kept["plain"]["observations"] == 1_000

    assert list(result["training"]) == ["full", "default", "light"]
    for adapters in result["training"].values():
        assert set(adapters) == {"SolitaireVecEnv", "DummyVecEnv", "SubprocVecEnv"}
        for row in adapters.values():
            assert 0 < row["environment_share"]["median"] < 1
        assert adapters["DummyVecEnv"]["speedup_over_dummy"] == 1
    assert len(result["startup"]["warm_seconds"]["rounds"]) == 1
    assert {row["game"] for row in result["targets"]} == {"swiss", "coyote", None}

    assert imread(tmp_path / "benchmark.png").shape[2] == 4
    assert not list(tmp_path.glob("*.part"))
    printed = capsys.readouterr().out
    assert 'envpool: not installed, skipped; `pip install "solitaire_env[bench]"` brings it' in printed
    assert "ours, gym.make_vec" in printed
    assert "MaskablePPO" in printed


@pytest.mark.parametrize(("package", "key"), [("pyspiel", "openspiel"), ("envpool", "envpool_taxi")])
def test_other_peoples(package: str, key: str) -> None:
    pytest.importorskip(package, reason="needs the extra bench")
    others, _ = contenders.other_contenders()
    player = next(contender for contender in others if contender.key == key).make()
    assert player.play(0.01).steps > 0
    player.close()


@pytest.mark.parametrize("n_actions", [1, 5])
def test_draws_are_legal_and_even(n_actions: int) -> None:
    masks = np.zeros((4_000, n_actions + 2), np.int8)
    masks[1:, 1:-1] = 1
    actions = Chooser(4_000, n_actions + 2)(masks)
    assert actions[0] == 0
    counts = np.bincount(actions[1:], minlength=n_actions + 2)
    assert counts[0] == counts[-1] == 0
    assert counts[1:-1].min() > 0.8 * 4_000 / n_actions


def test_vector_play_is_legal_and_counts_no_autoreset() -> None:
    env = gym.make_vec(ENV_IDS["coyote"], 64, max_episode_steps=20)
    seen: list[Any] = []
    step = env.step

    def watched(actions: Any) -> Any:
        seen.append(step(actions))
        return seen[-1]

    env.step = watched  # type: ignore[method-assign]
    player = VectorPlayer(env, spread_over=10)
    del seen[:-1]
    steps = sum(player.play(0.0).steps for _ in range(50))
    ended = [terminated | truncated for _, _, terminated, truncated, _ in seen]
    assert not any(infos["illegal_action"].any() for *_, infos in seen)
    # Of the envs that the last spreading call ended, a mask may have begun some anew.
    again = sum(int(flags.sum()) for flags in ended[1:-1])
    assert again > 64
    assert 0 <= 50 * 64 - again - steps <= int(ended[0].sum())
    # Games are in different phases: they do not all end in one call.
    assert max(int(flags.sum()) for flags in ended) < 64


def test_many_games_go_on_from_those_of_few() -> None:
    few = VectorPlayer(gym.make_vec(ENV_IDS["swiss"], 8, max_episode_steps=20), spread_over=19)
    positions = few.positions()
    assert 0 < len(positions) <= 8
    many = gym.make_vec(ENV_IDS["swiss"], 20)
    player = VectorPlayer(many)
    player.lay_out(positions)
    laid_out = many.positions()  # type: ignore[attr-defined]
    assert laid_out == [positions[i % len(positions)] for i in range(20)]
    assert player.play(0.0).steps == 20


def test_bytes_handed_out() -> None:
    rewards, flags, infos = 8, 2, 8 + 1 + 1 + 4
    assert bytes_handed_out("coyote") == 846 + 35 + rewards + flags + infos


def test_ratios_are_taken_within_a_round() -> None:
    rates = {"ours": [20.0, 2.0, 40.0], "theirs": [10.0, 1.0, 10.0]}
    assert ratio(rates, "ours", "theirs") == 2
    assert ratio(rates, "ours", "absent") is None
    assert spread([1.0, 2.0, 3.0]) == {"median": 2, "q1": 1.5, "q3": 2.5, "rounds": [1, 2, 3]}


def test_targets_missed_are_told() -> None:
    startup = {"warm_seconds": spread([2.5]), "cold_seconds": {"both": 29.0, "message": "compiling"}}
    found = {row["what"]: row["met"] for row in targets({"startup": startup})}
    assert found == {
        "warm import, make, reset, seconds": False,
        "cold compile, seconds": True,
        "cold compile, lines to stderr": True,
    }


@pytest.mark.parametrize(
    ("asked_for", "message"),
    [
        ("--games chess", "games is 'chess'"),
        ("--parts play,rest", "parts is 'play,rest'"),
        ("--out nowhere", "out is 'nowhere': no such folder"),
    ],
)
def test_bad_input_is_named(asked_for: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked_for.split()) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")
