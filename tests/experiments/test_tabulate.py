"""The README's table: made of the files of results, the same twice, put in its place and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
from experiments import tabulate
from experiments.evaluation import paired
from experiments.tabulate import (
    FIRST_LINE,
    LAST_LINE,
    PLAIN_PPO,
    PLAYERS,
    README,
    SEARCH,
    main,
    read_costs,
    read_results,
    table_of,
)
from solitaire_env import GAMES


def test_writes_the_table_in_its_place(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{FIRST_LINE}\nold\n{LAST_LINE}\nafter\n")
    asked = ["--deals", "1000:1006", "--results", str(tmp_path / "results"), "--readme", str(readme)]
    assert main(asked) == 0
    text = readme.read_text()
    assert text.startswith(f"before\n{FIRST_LINE}\n| | Coyote |")
    assert text.endswith(f"|\n{LAST_LINE}\nafter\n")
    assert "old" not in text
    assert main([*asked, "--processes", "2"]) == 0
    assert readme.read_text() == text
    for player in PLAYERS:
        for game in GAMES:
            content = json.loads((tmp_path / "results" / f"{player}_{game}.json").read_text())
            assert content["games"] == 6
            assert content["deterministic"] == (player != "random")
            assert f"--game {game} --agent {player} --deals 1000:1006" in content["command"]


def test_keeps_what_is_edited_while_games_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{FIRST_LINE}\nold\n{LAST_LINE}\n")
    play = tabulate._play

    def play_and_edit(*arguments: Any) -> dict[str, Any]:
        readme.write_text(readme.read_text().replace("before", "edited"))
        return play(*arguments)

    monkeypatch.setattr(tabulate, "_play", play_and_edit)
    assert main(["--deals", "1000:1002", "--results", str(tmp_path / "results"), "--readme", str(readme)]) == 0
    assert readme.read_text().startswith(f"edited\n{FIRST_LINE}\n| | Coyote |")


def test_a_readme_without_a_place_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("nothing")
    assert main(["--readme", str(tmp_path / "README.md"), "--results", str(tmp_path)]) == 2
    assert "has no place for the table" in capsys.readouterr().err


def test_the_own_readme_has_the_table_of_the_own_files() -> None:
    folder = README.parent / "experiments" / "results" / "test_suite"
    results = {}
    for player in (*PLAYERS, SEARCH, PLAIN_PPO):
        results |= read_results(folder, player)
    assert len(results) == (len(PLAYERS) + 1) * len(GAMES) + 1
    table = README.read_text().partition(FIRST_LINE)[2].partition(LAST_LINE)[0].strip()
    assert table == table_of(results, read_costs(folder))


def test_what_a_move_costs_is_in_the_table() -> None:
    folder = README.parent / "experiments" / "results" / "test_suite"
    results = {}
    for player in PLAYERS:
        results |= read_results(folder, player)
    costs = {"rules": dict.fromkeys(GAMES, 0.0123)}
    rows = table_of(results, costs).splitlines()
    row = next(i for i, line in enumerate(rows) if line.startswith("| rule player"))
    assert rows[row + 1] == "| ... milliseconds a move, one core | 0.012 | 0.012 | 0.012 | 0.012 |"
    assert len(rows) == 1 + len(table_of(results, {}).splitlines())


def test_a_search_player_of_some_games_alone_has_no_row() -> None:
    folder = README.parent / "experiments" / "results" / "test_suite"
    results = {}
    for player in (*PLAYERS, SEARCH):
        results |= read_results(folder, player)
    assert "| search player" in table_of(results, {})
    del results[SEARCH, "swiss"]
    assert "| search player" not in table_of(results, {})


def test_paired_counts() -> None:
    first = np.array([True, True, True, False, False, True])
    second = np.array([True, False, False, True, False, False])
    of = paired(first, second)
    assert (of["both"], of["only_this"], of["only_other"], of["neither"]) == (1, 3, 1, 1)
    assert of["difference"] == pytest.approx(2 / 6)
