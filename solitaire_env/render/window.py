"""A window on the screen that shows pictures, for the render mode ``"human"``."""

from __future__ import annotations

import contextlib

import pygame
from pygame import Window  # pygame-ce has it, the older pygame lacks it: then the import fails


class BoardWindow:
    """One window; every environment has its own, and none touches another's.

    pygame itself is never shut down here: somebody else may be using it.
    """

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._title, self._size = title, size
        self._clock = pygame.time.Clock()
        self._window = self._opened()

    def show(self, picture: pygame.Surface, fps: float) -> None:
        """Shows a picture, then waits until the next one is due at a frame rate."""
        try:
            self._draw(picture)
        except pygame.error:  # pygame.quit(), called elsewhere, took the window along
            self._window = self._opened()
            self._draw(picture)
        pygame.event.pump()  # lest the desktop takes the program for dead
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window; to do so twice, or after ``pygame.quit()``, does no harm."""
        with contextlib.suppress(pygame.error):
            self._window.destroy()

    def _opened(self) -> Window:
        pygame.display.init()
        return Window(self._title, self._size)

    def _draw(self, picture: pygame.Surface) -> None:
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
