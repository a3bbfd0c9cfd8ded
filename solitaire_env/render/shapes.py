"""The shapes on the cards: the four suits and the portraits of the court cards, as polygons.

A shape is drawn in a square that reaches from -1 to 1 in both directions, y pointing down. The
suits differ in outline, not only in colour: a heart has two humps and a point, a spade is pointed
at the top and has a foot, a diamond has four corners, a club is three balls on a foot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pygame

Point = tuple[float, float]
Colour = tuple[int, int, int]

INK: dict[str, Colour] = {
    "S": (27, 31, 42),
    "C": (27, 31, 42),
    "H": (206, 40, 34),
    "D": (206, 40, 34),
}
"""The colour of each suit's shape and letters; red is light enough to differ in grey, too."""

_ROBE: dict[str, Colour] = {
    "S": (52, 68, 112),
    "C": (46, 98, 92),
    "H": (201, 52, 44),
    "D": (214, 104, 40),
}
_HAIR: dict[str, Colour] = {"K": (110, 96, 84), "Q": (150, 82, 38), "J": (96, 62, 40)}
_GOLD, _DARK_GOLD = (240, 190, 66), (176, 124, 24)
_SKIN, _LINE = (250, 220, 190), (44, 40, 44)

_STEPS = 14  # straight pieces for each curve


def suit_shape(surface: pygame.Surface, suit: str, centre: Point, radius: float, colour: Colour) -> None:
    """Draws a suit; ``radius`` is half its height."""
    pen = Pen(surface, centre, radius)
    if suit == "C":
        for ball in ((0.0, -0.52), (-0.5, 0.16), (0.5, 0.16)):
            pen.disc(ball, 0.45, colour)
        pen.polygon([(-0.3, -0.3), (0.3, -0.3), (0.2, 0.4), (-0.2, 0.4)], colour)
        pen.polygon(
            _mirrored([(0.08, 0.1), *_curve((0.08, 0.1), (0.1, 0.7), (0.2, 0.9), (0.42, 1.0))]),
            colour,
        )
    elif suit == "D":
        side = _curve((0.0, -1.0), (0.18, -0.62), (0.46, -0.26), (0.78, 0.0))
        side += _curve((0.78, 0.0), (0.46, 0.26), (0.18, 0.62), (0.0, 1.0))
        pen.polygon(_mirrored(side), colour)
    elif suit == "H":
        side = _curve((0.0, -0.48), (0.12, -0.78), (0.3, -0.92), (0.52, -0.92))
        side += _curve((0.52, -0.92), (0.82, -0.92), (1.0, -0.68), (1.0, -0.36))
        side += _curve((1.0, -0.36), (1.0, 0.16), (0.36, 0.48), (0.0, 1.0))
        pen.polygon(_mirrored(side), colour)
    else:
        side = _curve((0.0, -1.0), (0.3, -0.56), (0.95, -0.22), (0.95, 0.24))
        side += _curve((0.95, 0.24), (0.95, 0.54), (0.74, 0.68), (0.52, 0.68))
        side += _curve((0.52, 0.68), (0.34, 0.68), (0.18, 0.6), (0.06, 0.44))
        side += _curve((0.08, 0.5), (0.1, 0.74), (0.2, 0.92), (0.42, 1.0))
        pen.polygon(_mirrored(side), colour)


class Pen:
    """Draws in a square that reaches from -1 to 1, wherever it lies on the surface."""

    def __init__(self, surface: pygame.Surface, centre: Point, radius: float) -> None:
        self._surface, self._centre, self._radius = surface, centre, radius

    def polygon(self, points: Sequence[Point], colour: Colour, outline: Colour | None = None) -> None:
        """Draws a filled polygon."""
        placed = [self._placed(point) for point in points]
        pygame.draw.polygon(self._surface, colour, placed)
        if outline is not None:
            pygame.draw.aalines(self._surface, outline, True, placed)
            pygame.draw.lines(self._surface, outline, True, placed, max(1, round(self._radius * 0.04)))

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """Draws a filled circle."""
        pygame.draw.circle(self._surface, colour, self._placed(centre), radius * self._radius)

    def _placed(self, point: Point) -> Point:
        return (
            self._centre[0] + point[0] * self._radius,
            self._centre[1] + point[1] * self._radius,
        )


def portrait(surface: pygame.Surface, rank: str, suit: str, centre: Point, radius: float) -> None:
    """Draws a king, queen or jack to the waist; the waist is the lower edge of the square."""
    pen = Pen(surface, centre, radius)
    robe, hair = _ROBE[suit], _HAIR[rank]
    if rank == "Q":  # long hair, behind everything
        side = _curve((0.0, -0.5), (0.5, -0.5), (0.42, 0.1), (0.62, 0.36))
        pen.polygon(_mirrored([*side, (0.0, 0.42)]), hair)
    elif rank == "J":
        side = _curve((0.0, -0.45), (0.46, -0.5), (0.46, -0.1), (0.46, 0.12))
        pen.polygon(_mirrored([*side, (0.0, 0.12)]), hair)
    shoulders = _curve((0.18, 0.26), (0.6, 0.34), (1.0, 0.5), (1.06, 1.0))
    pen.polygon(_mirrored([(0.0, 0.26), *shoulders, (0.0, 1.0)]), robe, _LINE)
    pen.polygon(_mirrored([(0.0, 0.3), (0.26, 0.3), (0.16, 1.0), (0.0, 1.0)]), _GOLD)
    pen.polygon(_mirrored([(0.0, 0.5), (0.34, 0.22), (0.44, 0.36), (0.0, 0.74)]), (255, 250, 240), _LINE)
    pen.polygon([(-0.1, 0.05), (0.1, 0.05), (0.13, 0.4), (0.0, 0.5), (-0.13, 0.4)], _SKIN)
    face = _curve((0.0, -0.5), (0.42, -0.5), (0.4, 0.22), (0.0, 0.28))
    pen.polygon(_mirrored(face), _SKIN, _LINE)
    for x in (-0.13, 0.13):
        pen.disc((x, -0.14), 0.045, _LINE)
    if rank == "K":
        beard = _curve((0.33, -0.18), (0.4, 0.2), (0.24, 0.5), (0.0, 0.56))
        pen.polygon(_mirrored([(0.0, 0.0), (0.16, -0.03), (0.26, -0.02), *beard]), hair, _LINE)
    pen.polygon([(-0.09, 0.1), (0.09, 0.1), (0.0, 0.15)], (190, 60, 60))
    _hat(pen, rank, suit)


def _hat(pen: Pen, rank: str, suit: str) -> None:
    if rank == "K":
        points = [(0.0, -0.92), (0.16, -0.62), (0.46, -0.88), (0.4, -0.36), (0.0, -0.3)]
        pen.polygon(_mirrored(points), _GOLD, _DARK_GOLD)
        for jewel in ((0.0, -0.94), (-0.46, -0.9), (0.46, -0.9)):
            pen.disc(jewel, 0.08, _ROBE[suit])
    elif rank == "Q":
        points = [
            (0.0, -0.86),
            (0.1, -0.6),
            (0.24, -0.74),
            (0.28, -0.56),
            (0.42, -0.62),
            (0.37, -0.34),
            (0.0, -0.4),
        ]
        pen.polygon(_mirrored(points), _GOLD, _DARK_GOLD)
        for jewel in ((0.0, -0.88), (-0.25, -0.76), (0.25, -0.76)):
            pen.disc(jewel, 0.065, _ROBE[suit])
    else:
        cap = [
            *_curve((-0.5, -0.3), (-0.5, -0.86), (0.3, -0.96), (0.5, -0.4)),
            (0.46, -0.28),
            (0.0, -0.4),
        ]
        pen.polygon(cap, _ROBE[suit], _LINE)
        feather = [
            (0.3, -0.4),
            *_curve((0.34, -0.5), (0.4, -0.9), (0.66, -1.0), (0.86, -0.86)),
            (0.66, -0.62),
        ]
        pen.polygon(feather, _GOLD, _DARK_GOLD)


def _curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    """Returns points of a cubic Bezier curve, its ends included."""
    points = []
    for step in range(_STEPS + 1):
        t = step / _STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        corners = (start, first, second, end)
        points.append(
            (
                math.fsum(w * c[0] for w, c in zip(weights, corners, strict=True)),
                math.fsum(w * c[1] for w, c in zip(weights, corners, strict=True)),
            )
        )
    return points


def _mirrored(right: Sequence[Point]) -> list[Point]:
    """Completes the right half of an outline, from top to bottom, by its mirror image."""
    return [*right, *((-x, y) for x, y in reversed(right))]
