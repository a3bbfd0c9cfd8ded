"""Playing in a terminal, by numbered moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from solitaire_env.play.hints import Adviser, ask
from solitaire_env.play.session import Session
from solitaire_env.render.text import board_text

HELP = "number: move   u: undo   r: redo   h: hint   s: restart   p: position as text   q: quit"


class TerminalGame:
    """A game in lines of text.

    Args:
        session: The game.
        adviser: Gives whoever gives hints; called when the first hint is asked for.
        source: Where the player's lines come from; its end ends the game.
        sink: Where everything is written.
        colour: Writes red cards in red.
    """

    def __init__(
        self, session: Session, adviser: Callable[[], Adviser], *, source: TextIO, sink: TextIO, colour: bool
    ) -> None:
        self._session = session
        self._load_adviser = adviser
        self._source, self._sink = source, sink
        self._colour = colour

    def run(self) -> None:
        """Plays until the player ends."""
        self._say(f"{self._session.title}\n{HELP}")
        show = True
        while True:
            if show:
                self._show()
            self._sink.write("> ")
            self._sink.flush()
            line = self._source.readline()
            word = line.strip().lower()
            if not line or word == "q":
                self._say("")
                return
            show = self._obey(word)

    def _show(self) -> None:
        session = self._session
        self._say("\n" + board_text(session.rules, session.known, colour=self._colour) + "\n")
        moves = f"{len(session.actions)} moves"
        if session.won:
            self._say(f"Game won in {moves}.")
        elif session.stuck:
            self._say(f"No move is left after {moves}: u takes the last one back, s starts again.")
        for number, action in enumerate(session.legal_moves(), start=1):
            self._say(f"{number:>3}  {session.describe(action)}")

    def _obey(self, word: str) -> bool:
        """Does what a line says; tells whether the board is to be shown again."""
        session = self._session
        turns = {"u": session.undo, "r": session.redo, "s": session.restart}
        if word in turns:
            if turns[word]():
                return True
            self._say({"u": "Nothing to undo.", "r": "Nothing to redo.", "s": "This is the start."}[word])
        elif word == "h":
            self._advise()
        elif word == "p":
            self._say(f"{session.position.to_text()}\n{session.command}")
        elif word:
            actions = list(session.legal_moves())
            if word.isdecimal() and 1 <= int(word) <= len(actions):
                session.play(actions[int(word) - 1])
                return True
            self._say(f"{word!r} is no move: allowed are 1 to {len(actions)}, u, r, h, s, p and q.")
        return False

    def _advise(self) -> None:
        session = self._session
        try:
            action = ask(self._load_adviser(), session) if session.legal_moves() else None
        except (ImportError, OSError, ValueError) as error:
            self._say(f"No hint: {error}")
            return
        if action is None:
            self._say("No hint: no move leads to where the game has not been.")
        else:
            number = list(session.legal_moves()).index(action) + 1
            self._say(f"Hint: {number}, {session.describe(action)}")

    def _say(self, text: str) -> None:
        self._sink.write(text + "\n")
