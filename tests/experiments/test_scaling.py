"""What the page on scaling reckons with is measured and written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")

from experiments.scaling import main
from solitaire_env import GAMES

SMALL = ["--deals", "1", "--games", "4", "--parcels", "20", "--labels", "300"]


def test_all_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("experiments.scaling.LIMITS", dict.fromkeys(GAMES, 2_000))
    assert main([*SMALL, "--out", str(tmp_path)]) == 0
    result = json.loads((tmp_path / "scaling.json").read_text())
    assert set(result["games"]) == set(GAMES)
    for of_game in result["games"].values():
        of = of_game["labelling"]
        assert of["positions_per_second"] > 0
        assert of["deals_per_second"] == pytest.approx(of["positions_per_second"] / of["positions_per_deal"])
        for agent in ("rules", "pretrained"):
            assert of_game[agent]["steps_per_second"] > of_game[agent]["games_per_second"] > 0
    assert result["keeping"]["bytes_in_files"] > 100, "a solution of Coyote has over 100 letters"
    assert result["keeping"]["bytes_in_memory"] > 1_000
    assert result["parcels"] is None
    assert "experiments.scaling" in result["command"]
    assert "coyote: labelling: positions_per_second" in capsys.readouterr().out


def test_parcels_over_ray() -> None:
    pytest.importorskip("ray", reason="needs the extra ray")
    from experiments.scaling import hand_out

    figures = hand_out(20, "local")
    assert figures["per_second"] > 0


def test_refuses_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--games", "0", "--out", str(tmp_path)]) == 2
    assert "games is 0" in capsys.readouterr().err
