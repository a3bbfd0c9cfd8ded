"""Playing by lines of text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from agents.rules import RulesAgent
from solitaire_env import GAMES
from solitaire_env.play.hints import Adviser
from solitaire_env.play.session import Session
from solitaire_env.play.terminal import TerminalGame
from tests.play.lines import WINNING


def no_adviser() -> Adviser:
    raise ImportError("nobody is here to ask")


def played(session: Session, lines: str, adviser: Callable[[], Adviser] = no_adviser) -> str:
    sink = io.StringIO()
    TerminalGame(session, adviser, source=io.StringIO(lines), sink=sink, colour=False).run()
    return sink.getvalue()


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_won_by_numbers(game: str) -> None:
    deal, actions = WINNING[game]
    guide = Session(game, deal=deal)
    lines = []
    for action in actions:
        lines.append(str(list(guide.legal_moves()).index(action) + 1))
        guide.play(action)
    session = Session(game, deal=deal)
    shown = played(session, "\n".join(lines))
    assert session.actions == actions
    assert shown.count("Game won") == 1
    assert f"Game won in {len(actions)} moves." in shown


def test_the_board_and_all_legal_moves_are_shown() -> None:
    session = Session("swiss", deal=7)
    shown = played(session, "")
    assert "foundations" in shown
    assert "stock       27 cards" in shown
    moves = re.findall(r"^ +(\d+)  (.+)$", shown, re.MULTILINE)
    legal = [session.describe(action) for action in session.legal_moves()]
    assert [(number, text) for number, text in moves if text in legal] == [
        (str(number), text) for number, text in enumerate(legal, start=1)
    ]


def test_undo_redo_restart_and_quit() -> None:
    session = Session("coyote", deal=7)
    shown = played(session, "1\n1\nu\nr\nU\ns\nu\nr\nr\nr\nq\n1\n")
    assert session.actions == (0, 0)
    assert shown.count("Nothing to undo.") == 1
    assert shown.count("Nothing to redo.") == 1


@pytest.mark.parametrize("line", ["0", "99", "-1", "x", "1 2", "²"])
def test_what_is_no_move_changes_nothing_and_is_named(line: str) -> None:
    session = Session("coyote", deal=7)
    shown = played(session, f"{line}\n\n")
    assert session.actions == ()
    assert f"{line!r} is no move: allowed are 1 to 2, u" in shown


def test_hints() -> None:
    session = Session("coyote", deal=7)
    assert "Hint: 2, pile 3 to the foundation: 2S" in played(session, "h\n", lambda: RulesAgent("coyote"))
    assert session.actions == ()
    assert "No hint: nobody is here to ask" in played(session, "h\n")


def test_the_position_is_printed_with_the_command_that_shows_it() -> None:
    session = Session("coyote", deal=7)
    shown = played(session, "1\np\n")
    assert session.position.to_text() in shown
    assert session.command in shown


def test_the_end_without_a_win_is_said() -> None:
    session = Session("coyote", deal=12)
    while 0 in session.legal_moves():
        session.play(0)
    while not session.stuck:
        session.play(min(session.legal_moves()))
    assert "No move is left after" in played(session, "h\n")
