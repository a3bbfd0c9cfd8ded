"""Curves and bars: shares over the right episodes, groups read as written, pictures drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
from matplotlib.image import imread

from experiments.compare import draw_bars, main, read_groups, win_rates
from experiments.runs import Progress, append_progress


def test_groups() -> None:
    assert read_groups("a = x, y; b=z") == {"a": ["x", "y"], "b": ["z"]}
    for wrong in ("", "a", "a=", "=x", "a=x,;b=y"):
        with pytest.raises(ValueError, match="allowed is NAME=RUN"):
            read_groups(wrong)


def test_win_rates_are_of_the_episodes_between() -> None:
    progress = [Progress(100, 10, 1, 0, 0), Progress(200, 30, 9, 0, 0), Progress(300, 0, 0, 0, 0)]
    rates = win_rates(progress, np.array([0, 200, 300, 400]))
    assert rates[0] == 10 / 40
    assert np.isnan(rates[1:]).all()


def test_draws_groups_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in "abc":
        (tmp_path / run).mkdir()
        for step in range(1, 6):
            append_progress(tmp_path / run, Progress(step * 100, 20, step, 0, 0))
    groups = f"two={tmp_path}/a,{tmp_path}/b;one={tmp_path}/c"
    assert main(["--groups", groups, "--file", str(tmp_path / "curves.png")]) == 0
    assert imread(tmp_path / "curves.png").shape[2] == 4
    assert main(["--groups", f"none={tmp_path}/d", "--file", str(tmp_path / "none.png")]) == 2
    assert "is no run with progress" in capsys.readouterr().err


def test_draws_bars(tmp_path: Path) -> None:
    shares = {"coyote": {"a": (0.5, 0.4, 0.6), "b": (0.0, 0.0, 0.1)}, "swiss": {"a": (1.0, 0.9, 1.0), "b": None}}
    draw_bars(shares, "title", tmp_path / "bars.png")
    assert imread(tmp_path / "bars.png").shape[2] == 4
