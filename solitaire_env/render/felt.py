"""What lies beneath and around the cards: felt, empty places, shadows, frames that mark a move.

Each is drawn once for a size, large, and scaled down smoothly; the pictures are kept, so they must
not be changed.
"""

from __future__ import annotations

import functools
import math

import pygame

from solitaire_env.render.lettering import figures
from solitaire_env.render.shapes import Colour, suit_shape

MARK: Colour = (255, 190, 30)
"""The colour of what the last move changed."""

_TOP, _BOTTOM = (36, 116, 88), (22, 84, 64)
_PLACE, _PLACE_LINE, _SIGN = (24, 90, 68), (84, 146, 118), (74, 138, 110)
_DARK: Colour = (16, 40, 32)
_SCALE = 4
_ROUNDING = 0.09  # of corners, in card widths

Size = tuple[int, int]


@functools.lru_cache(maxsize=8)
def felt(size: Size) -> pygame.Surface:
    """Returns the bare table, a little darker toward the player."""
    surface = pygame.Surface(size)
    for y in range(size[1]):
        part = y / max(1, size[1] - 1)
        colour = [round(a + (b - a) * part) for a, b in zip(_TOP, _BOTTOM, strict=True)]
        surface.fill(colour, (0, y, size[0], 1))
    return surface


@functools.lru_cache(maxsize=8)
def empty_place(size: Size) -> pygame.Surface:
    """Returns the place of a card."""
    large = _large(size, _PLACE_LINE)
    corner = round(_ROUNDING * large.get_width())
    pygame.draw.rect(large, _PLACE_LINE, large.get_rect(), border_radius=corner)
    inner = large.get_rect().inflate(-2 * _SCALE, -2 * _SCALE)
    pygame.draw.rect(large, _PLACE, inner, border_radius=corner - _SCALE)
    return pygame.transform.smoothscale(large, size)


@functools.lru_cache(maxsize=64)
def foundation_place(size: Size, suit: str, base_rank: str) -> pygame.Surface:
    """Returns the empty place of a foundation: it shows the suit and the rank to start with."""
    large = _large(size, _SIGN)
    width, height = large.get_size()
    suit_shape(large, suit, (width / 2, height * 0.4), width * 0.24, _SIGN)
    rank = figures("10" if base_rank == "T" else base_rank, round(width * 0.22), _SIGN)
    large.blit(rank, rank.get_rect(center=(width / 2, height * 0.78)))
    return _on_place(large, size)


@functools.lru_cache(maxsize=16)
def stock_place(size: Size, may_redeal: bool) -> pygame.Surface:
    """Returns the empty place of the stock: a turning arrow while redeals are left, or a cross."""
    large = _large(size, _SIGN)
    width, height = large.get_size()
    middle, radius, line = (width / 2, height / 2), width * 0.25, width * 0.08

    def at(degrees: float, distance: float) -> tuple[float, float]:
        angle = math.radians(degrees)
        return middle[0] + distance * math.cos(angle), middle[1] + distance * math.sin(angle)

    if may_redeal:
        angles = range(-20, 266, 5)
        inner, outer = radius - line / 2, radius + line / 2
        arc = [at(a, outer) for a in angles] + [at(a, inner) for a in reversed(angles)]
        pygame.draw.polygon(large, _SIGN, arc)
        tip = [at(262, radius - 1.7 * line), at(262, radius + 1.7 * line), at(310, radius)]
        pygame.draw.polygon(large, _SIGN, tip)
    else:
        for turn in (45, 135):
            across = [at(turn + a, radius) for a in (-9, 9, 171, 189)]
            pygame.draw.polygon(large, _SIGN, across)
    return _on_place(large, size)


@functools.lru_cache(maxsize=8)
def shadow(size: Size) -> pygame.Surface:
    """Returns the shadow of a card, a pixel wider on every side."""
    spread = max(1, size[0] // 40)
    outer = (size[0] + 2 * spread, size[1] + 2 * spread)
    small = pygame.Surface(outer, pygame.SRCALPHA)
    for step in range(spread, -1, -1):
        layer = pygame.Surface(outer, pygame.SRCALPHA)
        box = layer.get_rect().inflate(-2 * (spread - step), -2 * (spread - step))
        corner = round(_ROUNDING * size[0]) + step
        pygame.draw.rect(layer, (*_DARK, 70 // (spread + 1)), box, border_radius=corner)
        small.blit(layer, (0, 0))
    return small


@functools.lru_cache(maxsize=64)
def frame(size: Size, rounding: int, line: int, *, whole: bool, colour: Colour = MARK) -> pygame.Surface:
    """Returns a frame about something of a size, wider on every side by the thickness of the line.

    Args:
        size: Of what is framed.
        rounding: Radius of its corners.
        line: Thickness in pixels.
        whole: The whole frame, else only its corners.
        colour: Of the frame.
    """
    outer = (size[0] + 2 * line, size[1] + 2 * line)
    large = _large(outer, colour)
    corner = (rounding + line) * _SCALE
    pygame.draw.rect(large, colour, large.get_rect(), line * _SCALE, border_radius=corner)
    if not whole:
        width, height = large.get_size()
        reach = min(width, height) * 0.26
        large.fill((*colour, 0), (reach, 0, width - 2 * reach, height))
        large.fill((*colour, 0), (0, reach, width, height - 2 * reach))
    return pygame.transform.smoothscale(large, outer)


@functools.lru_cache(maxsize=64)
def pill(size: Size, colour: Colour) -> pygame.Surface:
    """Returns a ground for words, round at both ends."""
    large = _large(size, colour)
    pygame.draw.rect(large, colour, large.get_rect(), border_radius=large.get_height() // 2)
    return pygame.transform.smoothscale(large, size)


@functools.lru_cache(maxsize=8)
def infinity(height: int, colour: Colour) -> pygame.Surface:
    """Returns the sign for without limit."""
    large = _large((round(height * 1.8), height), colour)
    radius = large.get_height() / 2
    for x in (radius, large.get_width() - radius):
        pygame.draw.circle(large, colour, (x, radius), radius, max(1, round(radius * 0.36)))
    return pygame.transform.smoothscale(large, (round(height * 1.8), height))


def _large(size: Size, colour: Colour) -> pygame.Surface:
    """Returns a large transparent surface, coloured lest edges be scaled toward black."""
    large = pygame.Surface((size[0] * _SCALE, size[1] * _SCALE), pygame.SRCALPHA)
    large.fill((*colour, 0))
    return large


def _on_place(sign: pygame.Surface, size: Size) -> pygame.Surface:
    surface = empty_place(size).copy()
    surface.blit(pygame.transform.smoothscale(sign, size), (0, 0))
    return surface
