"""``python -m solitaire_env``."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from solitaire_env import GAMES, Position
from solitaire_env.__main__ import load_adviser, main
from solitaire_env.play.session import Session

ROOT = Path(__file__).resolve().parents[2]


def output(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(shlex.split(command)) == 0
    return capsys.readouterr().out


def refusal(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that is printed instead of a traceback."""
    assert main(shlex.split(command)) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("command", ["play coyote --deal 7", "play coyote --deal 7 --text"])
def test_ctrl_c_ends_a_game_without_a_traceback(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame", reason="needs the extra render")

    def interrupt(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("solitaire_env.play.window.PlayWindow.run", interrupt)
    monkeypatch.setattr("solitaire_env.play.terminal.TerminalGame.run", interrupt)
    assert main(shlex.split(command)) == 130


@pytest.mark.parametrize("game", GAMES)
def test_a_position_goes_out_and_comes_in_as_text(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(f"show --game {game} --deal 7 --actions 0,0 --text", capsys).strip()
    session = Session(game, deal=7)
    session.play_all([0, 0])
    assert Position.from_text(text) == session.position
    assert output(f"show --game {game} --position '{text}' --text", capsys).strip() == text
    board = output(f"show --game {game} --position '{text}'", capsys)
    assert board.splitlines()[1:] == output(f"show --game {game} --deal 7 --actions 0,0", capsys).splitlines()[1:]


def test_the_board_of_a_deal_hides_the_stock(capsys: pytest.CaptureFixture[str]) -> None:
    board = output("show --deal 7", capsys)
    assert board.startswith("Coyote, deal 7\nfoundations")
    assert "stock       43 cards, 1 redeal left" in board
    assert "J♥" in board
    assert "\x1b" not in board  # no colours where no terminal is


def test_a_bug_report_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session("variegated_canfield", deal=11)
    for _ in range(40):
        session.play(list(session.legal_moves())[-1])
    program, *arguments = shlex.split(session.command)[2:]
    assert program == "solitaire_env"
    assert main([*arguments, "--text"]) == 0
    assert capsys.readouterr().out.strip() == session.position.to_text()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("show --deal -1", "deal is -1: allowed are whole numbers from 0"),
        ("show --position nonsense", "cannot read 'nonsense' in a position"),
        ("show --game swiss --position 'F=- T=- S=- W=- R=- redeals=0'", "a position needs every card"),
        ("show --deal 7 --actions 0,99", "action number 2: action is 99: legal here are 0, 6"),
        ("play coyote --text --hint nowhere", "agent is 'nowhere': allowed are 'random', 'rules'"),
    ],
)
def test_what_is_not_allowed_is_named(command: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refusal(command, capsys)


@pytest.mark.parametrize(
    "command", ["", "show", "show --deal x", "show --deal 7 --actions x", "play", "play whist", "show --game whist"]
)
def test_what_is_no_command_ends_with_the_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command))
    assert ended.value.code == 2
    assert "usage: python -m solitaire_env" in capsys.readouterr().err


def test_playing_in_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("h\n1\nq\n"))
    shown = output("play coyote --deal 7 --text", capsys)
    assert "Hint: 2, pile 3 to the foundation: 2S" in shown
    assert "stock       42 cards" in shown


def test_without_the_agents_folder_a_hint_says_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "agents"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(ImportError, match="agents come with the repository"):
        load_adviser("rules", "coyote")


def test_without_pygame_the_window_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pygame" or name.startswith("solitaire_env.")]:
        if name.split(".")[0] == "pygame" or ".render." in name or name == "solitaire_env.play.window":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert 'pip install "solitaire_env[render]"' in refusal("play coyote --deal 7", capsys)


def test_showing_and_text_play_bring_neither_pygame_nor_agents() -> None:
    program = """
import io, sys
from solitaire_env.__main__ import main
sys.stdin = io.StringIO("1\\nq\\n")
assert main(["show", "--deal", "7"]) == 0
assert main(["play", "coyote", "--deal", "7", "--text"]) == 0
for unwanted in ("pygame", "agents", "torch", "matplotlib", "experiments"):
    assert unwanted not in sys.modules, unwanted
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_window_opens_and_closes_from_the_command_line() -> None:
    pytest.importorskip("pygame", reason="the window needs pygame-ce: the extra `render`")
    program = """
import pygame
from solitaire_env.__main__ import main
pygame.display.init()
pygame.event.post(pygame.event.Event(pygame.QUIT))
raise SystemExit(main(["play", "swiss", "--deal", "7"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "SDL_VIDEODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
