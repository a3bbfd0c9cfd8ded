"""Coaching: what is learned of a game won, lost, or not to be won; the whole command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
from experiments import coach, imitate
from experiments.coach import Game, correct, play_games
from experiments.learning import make_model, make_vec_env
from experiments.suites import Label, write_suite
from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.solver import solve
from tests.experiments.test_imitate import SMALL

BUDGET = 25_000
SETTINGS = imitate.read_hyperparameters(imitate.CONFIGS / "coyote.toml")


def played(deal: int, actions: list[int]) -> Game:
    """The game that these actions make, as the coach would have seen it."""
    env = SolitaireEnv("coyote", avoid_repeats=True)
    observation, info = env.reset(options={"deal": deal})
    game = Game([], [], [], [], False)
    for action in actions:
        game.positions.append(env.position)
        game.observations.append(observation)
        game.masks.append(info["action_mask"].astype(bool))
        game.actions.append(action)
        observation, _, _, _, info = env.step(action)
    return game._replace(won=bool(info["is_success"]))


def test_a_game_won_is_learned_as_it_was_played() -> None:
    line = list(solve(1_000_000, GAMES["coyote"]).actions)
    lessons, could_be_won = correct("coyote", played(1_000_000, line), SETTINGS)
    assert could_be_won
    assert lessons.examples.actions.tolist() == line
    assert (lessons.weights == 1).all()


def test_a_game_lost_is_learned_as_far_as_it_was_good_and_then_by_the_solver() -> None:
    """A winning line is left after 40 moves, and nothing but deals follow."""
    line = list(solve(1_000_000, GAMES["coyote"]).actions)[:40]
    env = SolitaireEnv("coyote")
    env.reset(options={"deal": 1_000_000})
    for action in line:
        env.step(action)
    lost = [*line]
    while env.position.stock or env.position.redeals_left:
        lost.append(0)
        env.step(0)
    (examples, weights), could_be_won = correct("coyote", played(1_000_000, lost), SETTINGS)
    assert could_be_won
    actions = examples.actions.tolist()
    env.reset(options={"deal": 1_000_000})
    for i, action in enumerate(actions):
        assert examples.masks[i, action]
        _, _, terminated, _, info = env.step(action)
    assert terminated
    assert info["is_success"]
    kept = next(i for i, (a, b) in enumerate(zip(actions, lost, strict=False)) if a != b)
    assert kept >= 40
    assert (weights[:kept] == 1).all()
    # The solver says so: from there the game could be won, but not after the move that was played.
    env.reset(options={"deal": 1_000_000})
    for action in lost[:kept]:
        env.step(action)
    assert solve(env.position, GAMES["coyote"], max_positions=BUDGET).status == "won"
    assert weights[kept] == (1 if "??" in env.position.known("recall").stock else SETTINGS.coaching.weight_of_turn)


def test_of_a_deal_that_cannot_be_won_nothing_is_learned() -> None:
    lost = next(deal for deal in range(1_000_000, 1_000_200) if solve(deal, GAMES["coyote"]).status == "lost")
    assert correct("coyote", played(lost, [0, 0, 0]), SETTINGS) == (None, False)


def test_games_are_the_deals_played_by_the_policy() -> None:
    env = make_vec_env("coyote", SETTINGS, 0, 1)
    model = make_model(env, "coyote", SETTINGS, 0, None)
    games = play_games(model, "coyote", [1_000_000, 1_000_001], seed=3)
    for deal, game in zip((1_000_000, 1_000_001), games, strict=True):
        again = played(deal, game.actions)
        assert again.positions == game.positions
        assert all((a == b).all() for a, b in zip(again.observations, game.observations, strict=True))
        assert all((a == b).all() for a, b in zip(again.masks, game.masks, strict=True))
        assert again.won == game.won


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imitate, "HELD_OUT_LINES", 1)
    solved = [(deal, solve(deal, GAMES["coyote"], max_positions=BUDGET)) for deal in range(1_000_000, 1_000_004)]
    labels = [Label(deal, of.status, of.positions, of.actions) for deal, of in solved]
    write_suite(tmp_path / "lines", "coyote", "training", labels)
    (tmp_path / "small.toml").write_text(SMALL)
    asked = f"--config {tmp_path}/small.toml --runs {tmp_path}/runs --deals 1000:1004".split()
    assert imitate.main([*asked, "--lines", f"{tmp_path}/lines", "--name", "a", "--positions", "64"]) == 0
    assert coach.main([*asked, "--start", f"{tmp_path}/runs/a", "--name", "b"]) == 0
    run = tmp_path / "runs" / "b"
    rows = [json.loads(line) for line in (run / "coaching.jsonl").read_text().splitlines()]
    assert [row["round"] for row in rows] == [1, 2]
    assert all(0 <= row["won"] <= row["could_be_won"] <= 1 for row in rows)
    assert np.isfinite(rows[-1]["loss"])
    assert json.loads((run / "eval.json").read_text())["agents"]["trained"]["games"] == 4
    assert coach.main([*asked, "--start", f"{tmp_path}/none"]) == 2
