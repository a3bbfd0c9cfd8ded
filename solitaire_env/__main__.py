"""The command line: ``python -m solitaire_env play coyote`` and ``python -m solitaire_env show --deal 7``."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import sys
from collections.abc import Sequence
from typing import cast

from gymnasium.error import DependencyNotInstalled

from solitaire_env.games import GAMES
from solitaire_env.play.hints import Adviser
from solitaire_env.play.session import Session
from solitaire_env.play.terminal import TerminalGame
from solitaire_env.render.text import board_text

DEFAULT_HINT = "rules"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit status: 0, 2 for arguments that are not allowed, 130 after Ctrl-C."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "show":
            show(arguments)
        else:
            play(arguments)
    except (ValueError, OSError, ImportError, DependencyNotInstalled) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def show(arguments: argparse.Namespace) -> None:
    """Prints a position: a board, or with ``--text`` the line that ``--position`` reads.

    Raises:
        ValueError: The deal, the position or an action is not allowed; the message names it.
    """
    session = _session(arguments)
    if arguments.text:
        print(session.position.to_text())
    else:
        print(session.title)
        print(board_text(session.rules, session.known, colour=sys.stdout.isatty()))


def play(arguments: argparse.Namespace) -> None:
    """Plays a game, in the window or with ``--text`` in the terminal.

    Raises:
        ValueError: The deal, the position or an action is not allowed; the message names it.
        DependencyNotInstalled: The window needs pygame-ce, which is not installed.
        ImportError: The hints that were asked for need more than is installed.
        OSError: The agent that was to give hints is not there.
    """
    session = _session(arguments)
    # One that was asked for is loaded at once, lest a misspelt path be noticed in the middle of a game.
    adviser = functools.lru_cache(maxsize=1)(lambda: load_adviser(arguments.hint or DEFAULT_HINT, arguments.game))
    if arguments.hint is not None:
        adviser()
    if arguments.text:
        TerminalGame(session, adviser, source=sys.stdin, sink=sys.stdout, colour=sys.stdout.isatty()).run()
        return
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        from solitaire_env.play.window import PlayWindow
    except ImportError as error:
        raise DependencyNotInstalled(
            'the window needs pygame-ce: run `pip install "solitaire_env[render]"`, or play with --text'
        ) from error
    from solitaire_env.play.controls import Controls
    from solitaire_env.render.table import SIZE

    window = PlayWindow(Controls(session, SIZE, adviser))
    try:
        window.run()
    finally:
        window.close()


def load_adviser(name: str, game: str) -> Adviser:
    """Returns an agent of the folder ``agents``, which comes with the repository and not with the package.

    Args:
        name: As of ``agents.loading.load_agent``: such as ``"rules"``, ``"pretrained"``, or the path of a model.
        game: The game that it is to play.

    Raises:
        ImportError: There is no such folder, or the agent needs a library that is not installed.
        OSError: The path does not exist.
        ValueError: The file there is no agent for this game.
    """
    try:
        # By name: the package itself knows no agents, and can be used without them.
        loading = importlib.import_module("agents.loading")
    except ModuleNotFoundError as error:
        if error.name not in ("agents", "agents.loading"):
            raise
        raise ImportError("agents come with the repository: start from its root folder") from error
    return cast("Adviser", loading.load_agent(name, game))


def _session(arguments: argparse.Namespace) -> Session:
    session = Session(arguments.game, deal=arguments.deal, position=arguments.position)
    session.play_all(arguments.actions)
    return session


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m solitaire_env", description="Four games of patience.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    played = commands.add_parser("play", help="play a game by mouse or keys")
    played.add_argument("game", choices=list(GAMES), help=", ".join(GAMES), metavar="GAME")
    played.add_argument("--text", action="store_true", help="play in the terminal, by numbered moves")
    played.add_argument("--hint", help=f"who gives hints: rules, or the path of a model (default: {DEFAULT_HINT})")
    shown = commands.add_parser("show", help="print a deal or position")
    shown.add_argument("--game", choices=list(GAMES), default="coyote", help=", ".join(GAMES), metavar="GAME")
    shown.add_argument("--text", action="store_true", help="in one line, as --position takes it; hidden cards too")
    for command in (played, shown):
        start = command.add_mutually_exclusive_group(required=command is shown)
        start.add_argument("--deal", type=int, help="number of the deal", metavar="N")
        start.add_argument("--position", help="a position, as show --text prints it", metavar="TEXT")
        command.add_argument("--actions", type=_actions, default=(), help="played first: 0,0,4", metavar="LIST")
    return parser


def _actions(text: str) -> tuple[int, ...]:
    words = text.replace(",", " ").split()
    if not all(word.isdecimal() for word in words):
        raise argparse.ArgumentTypeError(f"{text!r}: allowed are action numbers with commas between them")
    return tuple(map(int, words))


if __name__ == "__main__":
    sys.exit(main())
