"""The pictures of the README."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from experiments.pictures import MOMENTS, draw_game, draw_window, longest_piles, main, write_picture
from solitaire_env import GAMES
from solitaire_env.play import bar
from solitaire_env.render.table import SIZE, lay_out
from tests.play.lines import WINNING
from tests.render.test_table import check

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
LONGEST = {"coyote": 12, "swiss": 52, "courtyard": 13, "variegated_canfield": 12}


@pytest.mark.parametrize("game", GAMES)
def test_the_longest_piles_are_a_position_of_the_game_and_nothing_is_cut_off(game: str) -> None:
    rules, position = GAMES[game], longest_piles(GAMES[game])
    position.to_state(rules)
    assert max(map(len, position.tableau)) == LONGEST[game]
    check(lay_out(rules, position.known("recall")), rules, position)


def test_the_moments_of_a_game() -> None:
    pictures = dict(draw_game("coyote", *WINNING["coyote"]))
    assert sorted(pictures) == sorted(MOMENTS)
    assert {picture.size for picture in pictures.values()} == {SIZE}
    assert len({picture.tobytes() for picture in pictures.values()}) == len(MOMENTS)


def test_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    assert draw_window("swiss", *WINNING["swiss"]).size == (SIZE[0], SIZE[1] + bar.HEIGHT)


def test_pictures_are_small_and_written_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_picture(Image.new("RGB", SIZE), tmp_path / "x.png")
    assert [path.name for path in tmp_path.iterdir()] == ["x.png"]
    assert main(["--out", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_the_readme_shows_every_picture_and_each_is_small() -> None:
    shown = (IMAGES.parents[1] / "README.md").read_text()
    for picture in IMAGES.iterdir():
        assert f"docs/images/{picture.name}" in shown
        assert picture.stat().st_size < 60_000
