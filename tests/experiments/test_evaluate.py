"""Evaluation: the figures are those of the games, the same each time, whatever is played side by side."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from agents.loading import load_agent
from agents.protocol import AgentState
from experiments.evaluate import main
from experiments.evaluation import figures, of_solvable, play
from solitaire_env import ENV_IDS, GAMES


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["random", "rules"])
def test_equals_playing_one_game_after_another(game: str, name: str) -> None:
    """By the single environment as it is registered, its step limit included."""
    agent, deals = load_agent(name, game, seed=2), range(1000, 1006)
    games = play(agent, game, deals, avoid_repeats=agent.avoid_repeats, deterministic=True, games_at_once=4)
    env = gym.make(ENV_IDS[game], avoid_repeats=agent.avoid_repeats)
    for i, deal in enumerate(deals):
        observation, info = env.reset(options={"deal": deal})
        state, length, ended = None, 0, False
        while not ended:
            action, state = agent.predict(observation, state, np.array([length == 0]), True, info["action_mask"])
            observation, _, terminated, truncated, info = env.step(action)
            length += 1
            ended = terminated or truncated
        assert games.won[i] == info["is_success"]
        assert games.lengths[i] == length
        assert games.truncated[i] == (truncated and not terminated)
        assert games.foundation_cards[i] == sum(map(len, env.unwrapped.position.foundations))


@pytest.mark.parametrize("agent", ["random", "rules"])
def test_same_evaluation_twice_gives_the_same_file(agent: str, tmp_path: Path) -> None:
    """But for the command, which tells where it was written and how many games were played at once."""
    contents = []
    for number, size in (("1", "5"), ("2", "64")):
        file = tmp_path / f"{number}.json"
        asked = ["--agent", agent, "--stochastic", "--deals", "1000:1040", "--json", str(file), "--games-at-once", size]
        assert main(asked) == 0
        content = json.loads(file.read_text())
        assert str(file) in content.pop("command")
        contents.append(content)
    assert contents[0] == contents[1]


def test_what_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    assert main(["--game", "coyote", "--agent", "rules", "--deals", "1000:1050", "--json", str(file)]) == 0
    content = json.loads(file.read_text())
    assert content["games"] == 50
    assert content["wins"] == len(content["deals_won"]) == round(content["win_rate"] * 50)
    assert set(content["deals_won"]) <= set(range(1000, 1050))
    low, high = content["ci95"]
    assert 0.5 < low < content["win_rate"] < high < 1
    assert content["illegal_actions"] == 0
    assert 40 < content["mean_foundation"] < 52
    assert content["won_length_p95"] <= content["won_length_max"] <= content["max_episode_steps"]
    assert content["mean_length"] <= content["max_episode_steps"]
    assert content["avoid_repeats"] is True
    assert content["command"].startswith("python -m experiments.evaluate --game coyote --agent rules")
    assert content["versions"]["gymnasium"] == gym.__version__
    assert set(content["git"]) == {"commit", "dirty"}


class _Unmasked:
    """Plays the same action for ever, legal or not."""

    def predict(
        self,
        observation: np.ndarray,
        state: AgentState = None,
        episode_start: np.ndarray | None = None,  # noqa: ARG002
        deterministic: bool = False,  # noqa: ARG002
        action_masks: np.ndarray | None = None,  # noqa: ARG002
    ) -> tuple[np.ndarray, AgentState]:
        return np.full(len(observation), 1), state


def test_illegal_actions_are_counted_and_give_no_figures() -> None:
    games = play(_Unmasked(), "coyote", range(1000, 1002), avoid_repeats=False, games_at_once=2)
    assert games.illegal_actions > 0
    with pytest.raises(RuntimeError, match="illegal actions"):
        figures(games)


def test_no_game_won() -> None:
    games = play(load_agent("random", "swiss"), "swiss", range(1000, 1003), avoid_repeats=False)
    said = figures(games)
    assert said["wins"] == 0
    assert said["won_length_max"] is None
    assert said["deals_won"] == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--game", "chess"], "game is 'chess': allowed are coyote"),
        (["--deals", "5:5"], "deals is '5:5': allowed is FIRST:END"),
        (["--deals", "5"], "deals is '5': allowed is FIRST:END"),
        (["--deals", "-5:5"], "deals is '-5:5': allowed is FIRST:END"),
        (["--seed", "-1"], "seed is -1: allowed are"),
        (["--games-at-once", "0"], "games_at_once is 0: allowed are"),
        (["--json", "/no/such/folder/file.json"], "json is '/no/such/folder/file.json': no such folder"),
        (["--agent", "chance"], "agent is 'chance': allowed are 'random', 'rules', 'pretrained', 'search'"),
    ],
)
def test_bad_input_is_named(asked: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [f"{asked[0]}={asked[1]}"]
    assert main([*([] if "--agent" in asked else ["--agent", "rules"]), *given]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_bad_arguments_end_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--game", "coyote"])
    assert "--agent" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["--agent", "rules", "--seed", "one"])
    assert "--seed: invalid int value: 'one'" in capsys.readouterr().err


def test_processes_give_the_same_file(tmp_path: Path) -> None:
    contents = []
    for processes in ("1", "3"):
        file = tmp_path / f"{processes}.json"
        asked = ["--agent", "random", "--deals", "1000:1010", "--json", str(file), "--processes", processes]
        assert main(asked) == 0
        content = json.loads(file.read_text())
        content.pop("command")
        contents.append(content)
    assert contents[0] == contents[1]


def test_two_agents_on_the_same_deals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "both.json"
    asked = ["--agent", "rules", "--against", "random", "--deals", "1000:1040", "--json", str(file)]
    assert main(asked) == 0
    assert "McNemar p" in capsys.readouterr().out
    content = json.loads(file.read_text())
    rules, other = set(content["deals_won"]), set(content["against"]["deals_won"])
    of = content["against"]["paired"]
    counts = [of[key] for key in ("both", "only_this", "only_other", "neither")]
    assert counts == [len(rules & other), len(rules - other), len(other - rules), 40 - len(rules | other)]
    assert of["difference"] == pytest.approx((len(rules) - len(other)) / 40)
    assert of["ci95"][0] < of["difference"] < of["ci95"][1]


def test_share_of_the_solvable_deals(tmp_path: Path) -> None:
    lines = [[1000, "won", "3", "9"], [1001, "lost", "", "9"], [1002, "unknown", "", "9"], [1003, "won", "3", "9"]]
    (tmp_path / "coyote").mkdir()
    rows = "".join(",".join(map(str, line)) + "\n" for line in lines)
    (tmp_path / "coyote" / "validation.csv").write_text("deal,verdict,length,positions\n" + rows)
    (tmp_path / "coyote" / "validation_solutions.csv").write_text("deal,actions\n1000,AAAA\n1003,AAAA\n")
    of = of_solvable("coyote", range(1000, 1004), np.array([False, False, True, True]), tmp_path)
    assert (of["deals"], of["won"], of["undecided"], of["share"]) == (2, 1, 1, 0.5)
    with pytest.raises(RuntimeError, match=r"are won that .* calls lost"):
        of_solvable("coyote", range(1000, 1004), np.array([False, True, False, False]), tmp_path)
    assert of_solvable("swiss", range(1000, 1004), np.zeros(4, bool), tmp_path) is None
    assert of_solvable("coyote", range(5000, 5004), np.zeros(4, bool), tmp_path) is None
