"""Games in several processes are the same games; the budget curve tells what was played and what it cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.image import imread

from agents.loading import load_agent
from experiments.evaluation import play
from experiments.parallel import play_in_processes
from experiments.search_curve import main


def test_processes_play_the_same_games() -> None:
    deals = range(1000, 1010)
    games, cost = play_in_processes("rules", "coyote", deals, processes=2, avoid_repeats=True)
    alone = play(load_agent("rules", "coyote"), "coyote", deals, avoid_repeats=True)
    for name in ("won", "foundation_cards", "lengths", "truncated"):
        assert (getattr(games, name) == getattr(alone, name)).all()
    assert list(games.deals) == list(deals)
    assert games.illegal_actions == 0
    assert 0 < cost.longest <= cost.seconds


def test_curve(tmp_path: Path) -> None:
    budgets = "width=64,looks=1,positions=100/positions=20000"
    asked = ["--game", "coyote", "--deals", "1000:1004", "--budgets", budgets, "--folder", str(tmp_path)]
    assert main(asked) == 0
    curve = json.loads((tmp_path / "coyote.json").read_text())
    assert [point["budget"] for point in curve["points"]] == budgets.split("/")
    for point in curve["points"]:
        assert point["games"] == 4
        assert point["wins"] == len(point["deals_won"]) == 4 * point["win_rate"]
        assert 0 < point["milliseconds_a_move"] <= point["milliseconds_longest_move"]
    assert curve["points"][1]["wins"] >= 3
    assert curve["command"].startswith("python -m experiments.search_curve --game coyote")
    assert imread(tmp_path / "curve.png").shape == (840, 1200, 4)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--game", "chess"], "game is 'chess': allowed are coyote"),
        (["--budgets", "samples=8/nonsense"], "cannot read 'nonsense' in a budget"),
        (["--processes", "0"], "processes is 0: allowed are"),
        (["--deals", "7"], "deals is '7': allowed is FIRST:END"),
    ],
)
def test_bad_input_is_named(asked: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*asked, "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")
    assert not list(tmp_path.iterdir())
