"""What an environment shows in the render modes ``"rgb_array"`` and ``"human"``.

This file can be imported without pygame; making a ``View`` cannot.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from solitaire_env.position import Position
from solitaire_env.render.table import SIZE
from solitaire_env.rules import Rules

if TYPE_CHECKING:
    from solitaire_env.render.window import BoardWindow

PICTURE_MODES = ("rgb_array", "human")
"""The render modes that need pygame."""


class View:
    """Draws positions and, in mode ``"human"``, shows them in a window of its own.

    A copy, also one that is pickled, has no window until it first shows something.

    Args:
        mode: One of ``PICTURE_MODES``.
        fps: Pictures a second in the window.
        size: Width and height of a picture in pixels.

    Raises:
        DependencyNotInstalled: pygame-ce is not installed.
    """

    def __init__(self, mode: str, fps: float, size: tuple[int, int] = SIZE) -> None:
        self._mode, self._fps, self._size = mode, fps, size
        self._window: BoardWindow | None = None
        # pygame greets on its first import, amid the output of a program that only wants pictures.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            importlib.import_module("solitaire_env.render.board")
            if mode == "human":
                importlib.import_module("solitaire_env.render.window")
        except ImportError as error:
            raise DependencyNotInstalled(
                f'render_mode {mode!r} needs pygame-ce: run `pip install "solitaire_env[render]"`'
            ) from error

    def show(
        self, rules: Rules, position: Position, previous: Position | None, message: str = ""
    ) -> NDArray[np.uint8] | None:
        """Draws a position; the arguments are those of ``solitaire_env.render.board.draw_board``.

        Returns:
            A new picture, uint8 of shape (height, width, 3); None in mode ``"human"``.
        """
        import pygame

        from solitaire_env.render.board import draw_board

        surface = pygame.Surface(self._size, depth=32)
        draw_board(surface, rules, position, previous=previous, message=message)
        if self._mode == "rgb_array":
            pixels = pygame.surfarray.array3d(surface)  # column by column
            return np.ascontiguousarray(pixels.transpose(1, 0, 2))
        if self._window is None:
            from solitaire_env.render.window import BoardWindow

            self._window = BoardWindow("Solitaire", self._size)
        self._window.show(surface, self._fps)
        return None

    def close(self) -> None:
        """Closes the window, if there is one; more than once does no harm."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}
