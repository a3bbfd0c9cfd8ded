from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import cloudpickle
import gymnasium as gym
import numpy as np
import pygame
import pytest
from gymnasium.error import DependencyNotInstalled
from gymnasium.utils.env_checker import check_env

from solitaire_env import ENV_IDS, GAMES, SolitaireEnv
from solitaire_env.render import window
from tests.render.scenes import won


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SolitaireEnv.metadata, "render_fps", 1000)


def new_env(render_mode: str, **kwargs: Any) -> SolitaireEnv:
    env = SolitaireEnv("swiss", render_mode=render_mode, **kwargs)
    env.reset(options={"deal": 7})
    return env


def play(env: SolitaireEnv, steps: int) -> None:
    for _ in range(steps):
        env.step(max(env.legal_moves()))


@pytest.mark.parametrize("game", GAMES)
def test_rgb_array_is_a_fresh_picture_of_the_declared_form(game: str) -> None:
    env = gym.make(ENV_IDS[game], render_mode="rgb_array")
    env.reset(options={"deal": 7})
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert (first.dtype, first.shape) == (np.uint8, (600, 800, 3))
    assert first.flags.c_contiguous
    kept = first.copy()
    again = env.render()
    assert not np.shares_memory(first, again)
    np.testing.assert_array_equal(first, again)
    again[:] = 0
    env.step(0)
    assert not np.array_equal(env.render(), kept)
    np.testing.assert_array_equal(first, kept)
    env.close()


def test_rgb_array_needs_neither_a_display_nor_an_initialised_pygame() -> None:
    pygame.quit()
    assert new_env("rgb_array").render() is not None
    assert not pygame.display.get_init()


def test_pictures_survive_that_somebody_quits_pygame() -> None:
    env = new_env("rgb_array")
    first = env.render()
    pygame.quit()
    np.testing.assert_array_equal(env.render(), first)


def test_the_last_move_stays_marked_through_an_illegal_action_and_goes_with_a_reset() -> None:
    env = new_env("rgb_array")
    start = env.render()
    play(env, 1)
    marked = env.render()
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    assert env.step(illegal)[4]["illegal_action"]
    np.testing.assert_array_equal(env.render(), marked)
    env.reset(options={"position": env.position})
    assert not np.array_equal(env.render(), marked)
    env.reset(options={"deal": 7})
    np.testing.assert_array_equal(env.render(), start)


def test_hidden_cards_do_not_show_at_any_level() -> None:
    for level in ("table", "recall", "open"):
        env = new_env("rgb_array", observation=level)
        play(env, 12)
        position = env.position
        env.reset(options={"position": position})
        first = env.render()
        text = position.to_text()
        stock = "".join(position.stock)
        turned = "".join(reversed(position.stock))
        env.reset(options={"position": text.replace(f"S={stock} ", f"S={turned} ")})
        assert env.position != position
        np.testing.assert_array_equal(env.render(), first)


@pytest.mark.parametrize("game", GAMES)
def test_the_end_of_a_game_is_announced(game: str) -> None:
    rules = GAMES[game]
    env = SolitaireEnv(game, render_mode="rgb_array")
    end = won(rules)
    king = end.foundations[-1][-1]
    before = end.to_text().replace(f"{king} T=-/", f" T={king}/")
    env.reset(options={"position": before})
    env.step(max(a for a, move in env.legal_moves().items() if move.kind == "pile_foundation"))
    assert env.position.foundations == end.foundations
    gold = (env.render()[300:, :] == (255, 190, 30)).all(axis=2)
    assert gold.sum() > 5000


@pytest.mark.parametrize("mode", ["rgb_array_list", "ansi_list"])
def test_list_modes_collect_what_was_rendered(mode: str) -> None:
    env = gym.make(ENV_IDS["swiss"], render_mode=mode)
    env.reset(seed=1)
    for _ in range(3):
        env.step(0)
    frames = env.render()
    assert isinstance(frames, list)
    assert len(frames) == 4
    kind = str if mode == "ansi_list" else np.ndarray
    assert all(isinstance(frame, kind) for frame in frames)
    assert env.render() == []
    env.close()


def test_record_video_writes_a_film(tmp_path: Any) -> None:
    pytest.importorskip("moviepy", reason="RecordVideo writes its films with moviepy")
    folder = tmp_path / "films"
    env = gym.make(ENV_IDS["coyote"], render_mode="rgb_array")
    env = gym.wrappers.RecordVideo(env, str(folder), episode_trigger=lambda _: True)
    env.reset(seed=1)
    for _ in range(8):
        env.step(0)
    env.close()
    films = list(folder.glob("*.mp4"))
    assert len(films) == 1
    assert films[0].stat().st_size > 1000


def test_human_mode_shows_by_itself_and_render_returns_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[bytes] = []
    show = window.BoardWindow.show

    def spy(self: window.BoardWindow, picture: pygame.Surface, fps: float) -> None:
        shown.append(pygame.image.tobytes(picture, "RGB"))
        show(self, picture, fps)

    monkeypatch.setattr(window.BoardWindow, "show", spy)
    env = gym.make(ENV_IDS["swiss"], render_mode="human")
    env.reset(options={"deal": 7})
    assert len(shown) == 1
    env.step(0)
    assert len(shown) == 2
    assert env.render() is None
    assert shown[2] == shown[1] != shown[0]
    twin = new_env("rgb_array")
    twin.step(0)
    assert shown[2] == twin.render().tobytes()
    env.close()


def test_human_mode_keeps_the_frame_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SolitaireEnv.metadata, "render_fps", 20)
    env = new_env("human")
    start = time.perf_counter()
    play(env, 4)
    assert time.perf_counter() - start >= 0.15
    env.close()


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array", "human"])
def test_close_is_safe_twice_and_before_any_reset(mode: str | None) -> None:
    env = SolitaireEnv("swiss", render_mode=mode)
    env.close()
    env.reset()
    env.close()
    env.close()


def test_close_harms_no_other_environment() -> None:
    first, second = new_env("human"), new_env("human")
    picture = new_env("rgb_array")
    first.close()
    play(second, 2)
    play(picture, 2)
    assert picture.render() is not None
    second.close()
    first.reset()  # a window can be opened again
    first.close()


def quit_and_init() -> None:
    pygame.quit()
    pygame.init()


def display_quit_and_init() -> None:
    pygame.display.quit()
    pygame.display.init()


@pytest.mark.parametrize("end", [pygame.quit, pygame.display.quit, quit_and_init, display_quit_and_init])
def test_human_mode_survives_that_somebody_shuts_pygame_down(end: Callable[[], None]) -> None:
    """A window that was lost this way must not take along a new one that got its memory: hence many."""
    for _ in range(30):
        env, other = new_env("human"), new_env("human")
        end()
        play(env, 1)
        other.close()
        play(env, 1)
        end()
        env.close()


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda env: pickle.loads(pickle.dumps(env)),
        lambda env: cloudpickle.loads(cloudpickle.dumps(env)),
    ],
    ids=["deepcopy", "pickle", "cloudpickle"],
)
def test_a_copy_in_mid_game_goes_on_alike(mode: str, copied: Any) -> None:
    env = new_env(mode)
    play(env, 5)
    twin = copied(env)
    np.testing.assert_equal(twin.render(), env.render())
    for _ in range(10):
        action = max(env.legal_moves())
        for here, there in zip(env.step(action), twin.step(action), strict=True):
            np.testing.assert_equal(there, here)
    np.testing.assert_equal(twin.render(), env.render())
    env.close()
    twin.step(0)
    twin.close()


@pytest.mark.parametrize("game", GAMES)
def test_gymnasiums_checker_finds_nothing_amiss(game: str) -> None:
    env = gym.make(ENV_IDS[game], render_mode="rgb_array", disable_env_checker=True)
    check_env(env.unwrapped)
    env.close()


def test_pygame_is_not_imported_without_a_picture_mode() -> None:
    program = """
import sys, gymnasium as gym, solitaire_env
for mode in (None, "ansi"):
    env = gym.make("Solitaire/Coyote-v0", render_mode=mode)
    env.reset(seed=1)
    env.step(0)
    env.render()
    env.close()
assert not [name for name in sys.modules if name.split(".")[0] == "pygame"]
env = gym.make("Solitaire/Coyote-v0", render_mode="rgb_array")
assert "pygame" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_pygame_the_error_names_the_command(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.split(".")[0] == "pygame":
            monkeypatch.delitem(sys.modules, name)
    for name in ("board", "faces", "felt", "lettering", "shapes", "window"):
        monkeypatch.delitem(sys.modules, f"solitaire_env.render.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "solitaire_env\[render\]"'):
        SolitaireEnv(render_mode=mode)
    SolitaireEnv(render_mode="ansi").reset()


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'gif'.*rgb_array"):
        SolitaireEnv(render_mode="gif")
