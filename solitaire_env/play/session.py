"""A game that a person plays: moves forth and back from one deal, whatever shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.actions import Move
from solitaire_env.env import SolitaireEnv
from solitaire_env.games import game_title
from solitaire_env.position import Position, as_position
from solitaire_env.rules import Rules


class View(NamedTuple):
    """What an agent is given of a position.

    Attributes:
        observation: Of the level ``"recall"``, uint8, as of ``SolitaireEnv``.
        mask: Bool, the legal actions; with or without those that lead back, as asked for.
    """

    observation: NDArray[np.uint8]
    mask: NDArray[np.bool_]


class Session:
    """A game in progress.

    Every position on the way is kept, so that going back restores all of it: cards that a refill or a deal of three
    moved, and redeals.

    Args:
        game: The name of a game.
        deal: Number of a deal; by default one is drawn, as for training, that no evaluation uses.
        position: Starts from a position or its text instead.

    Raises:
        ValueError: An argument is not allowed; the message names it.
    """

    def __init__(self, game: str, *, deal: int | None = None, position: Position | str | None = None) -> None:
        self.game = game
        self._env, self._scout = SolitaireEnv(game), SolitaireEnv(game)
        if deal is not None and position is not None:
            raise ValueError("deal and position exclude each other")
        given = {"deal": deal, "position": None if position is None else as_position(position)}
        start = {name: value for name, value in given.items() if value is not None}
        observation, info = self._env.reset(options=start)
        self.deal: int | None = None if position is not None else info["deal"]
        self._observation = observation
        self._won: bool = info["is_success"]
        self._positions = [self._env.position]
        self._actions: list[int] = []
        self._at = 0

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._env.rules

    @property
    def title(self) -> str:
        """The game and its deal in words."""
        return f"{game_title(self.game)}, " + ("from a position" if self.deal is None else f"deal {self.deal}")

    @property
    def position(self) -> Position:
        """The present position, hidden cards included."""
        return self._positions[self._at]

    @property
    def known(self) -> Position:
        """The present position as the player knows it."""
        return self.position.known("recall")

    @property
    def previous(self) -> Position | None:
        """What the player knew of the position before the last move; None at the start."""
        return self._positions[self._at - 1].known("recall") if self._at else None

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions that lead from the start to here."""
        return tuple(self._actions[: self._at])

    @property
    def command(self) -> str:
        """The command that shows this position again, such as for a bug report."""
        start = f"--deal {self.deal}" if self.deal is not None else f"--position '{self._positions[0].to_text()}'"
        actions = f" --actions {','.join(map(str, self.actions))}" if self._at else ""
        return f"python -m solitaire_env show --game {self.game} {start}{actions}"

    @property
    def won(self) -> bool:
        """Whether every card is on the foundations."""
        return self._won

    @property
    def stuck(self) -> bool:
        """Whether the game is lost: no move is left."""
        return not self._won and not self.legal_moves()

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to take back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a move that was taken back."""
        return self._at < len(self._actions)

    def legal_moves(self) -> dict[int, Move]:
        """Returns the legal actions with what each does."""
        return self._env.legal_moves()

    def describe(self, action: int) -> str:
        """Returns a legal action in words."""
        return self._env.describe(action)

    def play(self, action: int) -> None:
        """Plays an action; what had been taken back is forgotten.

        Raises:
            ValueError: The action is not legal here; nothing changes.
        """
        legal = self._env.legal_moves()
        if action not in legal:
            raise ValueError(f"action is {action!r}: legal here are {', '.join(map(str, legal)) or 'none'}")
        self._observation, _, _, _, info = self._env.step(action)
        self._won = info["is_success"]
        del self._actions[self._at :], self._positions[self._at + 1 :]
        self._actions.append(action)
        self._positions.append(self._env.position)
        self._at += 1

    def play_all(self, actions: Sequence[int]) -> None:
        """Plays actions one after another.

        Raises:
            ValueError: One is not legal where it comes; the message counts it. Those before it stay played.
        """
        for number, action in enumerate(actions, start=1):
            try:
                self.play(action)
            except ValueError as error:
                raise ValueError(f"action number {number}: {error}") from None

    def undo(self) -> bool:
        """Takes the last move back; tells whether there was one."""
        return self._go_to(self._at - 1)

    def redo(self) -> bool:
        """Plays again what was last taken back; tells whether there was something."""
        return self._go_to(self._at + 1)

    def restart(self) -> bool:
        """Goes back to the start, from where ``redo`` leads forth again; tells whether that is elsewhere."""
        return self._at > 0 and self._go_to(0)

    def view(self, *, avoid_repeats: bool) -> View:
        """Returns what an agent is given of the position.

        Args:
            avoid_repeats: Masks moves into positions that were seen on the way here, as in an environment of that
                name; the order of piles does not count.
        """
        mask = self._env.action_masks()
        if avoid_repeats:
            seen = {position.canonical() for position in self._positions[: self._at + 1]}
            for action in np.flatnonzero(mask).tolist():
                self._scout.reset(options={"position": self.position})
                self._scout.step(action)
                mask[action] = self._scout.position.canonical() not in seen
        return View(self._observation, mask)

    def _go_to(self, at: int) -> bool:
        if not 0 <= at < len(self._positions):
            return False
        self._observation, info = self._env.reset(options={"position": self._positions[at]})
        self._won = info["is_success"]
        self._at = at
        return True
