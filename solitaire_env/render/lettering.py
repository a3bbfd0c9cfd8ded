"""Words and figures in pictures, in the font that comes with pygame."""

from __future__ import annotations

import functools

import pygame

from solitaire_env.render.shapes import Colour

_ALL_RANKS = "A234567890JK"  # the Q's tail hangs below the line and does not count for the height
_BAND_SIZE = 200


@functools.lru_cache(maxsize=512)
def words(text: str, size: int, colour: Colour) -> pygame.Surface:
    """Returns words in a font of so many pixels; the picture is kept, so it must not be changed."""
    return _font(size).render(text, True, colour)


def figures(text: str, height: int, colour: Colour) -> pygame.Surface:
    """Returns a card's rank in letters of just that height in pixels, without space around them."""
    top, band = _band()
    drawn = _font(round(_BAND_SIZE * height / band)).render(text, True, colour)
    box = drawn.get_bounding_rect()
    scale = height / band
    first = round(top * scale)
    box.top, box.height = first, max(height, box.bottom - first)
    return drawn.subsurface(box.clip(drawn.get_rect()))


@functools.lru_cache(maxsize=1)
def _band() -> tuple[int, int]:
    """Returns top and height of capitals and figures in the font's standard size."""
    box = _font(_BAND_SIZE).render(_ALL_RANKS, True, (0, 0, 0)).get_bounding_rect()
    return box.top, box.height


def _font(size: int) -> pygame.font.Font:
    # Not kept: a font is of no use any more once somebody has called pygame.quit().
    pygame.font.init()
    return pygame.font.Font(None, size)
