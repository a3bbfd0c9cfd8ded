"""A window on the screen that shows pictures, for the render mode ``"human"``."""

from __future__ import annotations

import weakref

import pygame
from pygame import Window  # pygame-ce has it, the older pygame lacks it: then the import fails


class BoardWindow:
    """One window; every environment has its own, and none touches another's.

    pygame itself is never shut down here: somebody else may be using it. If somebody else shuts it down the window goes
    with it, and the next picture opens a new one.
    """

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._title, self._size = title, size
        self._clock = pygame.time.Clock()
        self._window: Window | None = None

    def show(self, picture: pygame.Surface, fps: float) -> None:
        """Shows a picture, then waits until the next one is due at a frame rate."""
        self._forget_if_lost()
        if self._window is None:
            pygame.display.init()
            self._window = Window(self._title, self._size)
            _OPEN.add(self)
            pygame.register_quit(_close_all)
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
        pygame.event.pump()  # lest the desktop takes the program for dead
        self._clock.tick(fps)

    def close(self) -> None:
        """Closes the window; to do so twice, or after ``pygame.quit()``, does no harm."""
        self._forget_if_lost()
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _forget_if_lost(self) -> None:
        """Forgets a window that went when somebody else shut pygame's display down.

        The object of a lost window refers to memory that anybody's next window may take, and would destroy that one.
        """
        if self._window is None:
            return
        try:
            self._window.get_surface()
        except pygame.error:
            if pygame.display.get_init():  # shut down and started again: too late to be got rid of safely
                _LOST.append(self._window)
            self._window = None


_OPEN: weakref.WeakSet[BoardWindow] = weakref.WeakSet()
_LOST: list[Window] = []


def _close_all() -> None:
    for window in list(_OPEN):
        window.close()
