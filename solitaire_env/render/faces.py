"""Pictures of single cards: 52 faces and a back, drawn large, scaled down smoothly, and kept."""

from __future__ import annotations

import functools

import pygame

from solitaire_env.position import UNKNOWN
from solitaire_env.render.lettering import figures
from solitaire_env.render.shapes import INK, portrait, suit_shape
from solitaire_env.render.table import index_size, rank_height

_SCALE = 4  # faces are drawn so many times larger, for smooth edges
_PAPER, _EDGE = (253, 252, 248), (138, 142, 148)
_PANEL = (247, 240, 222)
_BACK, _BACK_LINE, _BACK_DOT = (38, 72, 128), (120, 158, 214), (214, 228, 248)

_LEFT, _MIDDLE, _RIGHT = -1, 0, 1
# Where the pips of a number card lie: the column, and the height from 0 at the top to 1.
_PIPS: dict[str, list[tuple[int, float]]] = {
    "2": [(_MIDDLE, 0), (_MIDDLE, 1)],
    "3": [(_MIDDLE, 0), (_MIDDLE, 1 / 2), (_MIDDLE, 1)],
    "4": [(x, y) for x in (_LEFT, _RIGHT) for y in (0, 1)],
}
_PIPS["5"] = [*_PIPS["4"], (_MIDDLE, 1 / 2)]
_PIPS["6"] = [*_PIPS["4"], (_LEFT, 1 / 2), (_RIGHT, 1 / 2)]
_PIPS["7"] = [*_PIPS["6"], (_MIDDLE, 1 / 4)]
_PIPS["8"] = [*_PIPS["7"], (_MIDDLE, 3 / 4)]
_PIPS["9"] = [(x, y / 3) for x in (_LEFT, _RIGHT) for y in range(4)] + [(_MIDDLE, 1 / 2)]
_PIPS["T"] = [*_PIPS["9"][:-1], (_MIDDLE, 1 / 6), (_MIDDLE, 5 / 6)]


@functools.lru_cache(maxsize=512)
def card_picture(card: str, size: tuple[int, int]) -> pygame.Surface:
    """Returns the picture of a card, ``"??"`` for a back; it is kept, so it must not be changed."""
    large = pygame.Surface((size[0] * _SCALE, size[1] * _SCALE), pygame.SRCALPHA)
    large.fill((*_EDGE, 0))  # the colour of the border, lest the rounded corners be scaled toward black
    width, height = large.get_size()
    corner = round(width * 0.09)
    pygame.draw.rect(large, _EDGE, (0, 0, width, height), border_radius=corner)
    line = _SCALE
    paper = (line, line, width - 2 * line, height - 2 * line)
    pygame.draw.rect(large, _PAPER, paper, border_radius=corner - line)
    if card == UNKNOWN:
        _draw_back(large)
    else:
        # The lower half is the upper one turned round, as on a pack of cards.
        _draw_half(large, card, size[0])
        turned = pygame.transform.rotate(large, 180)
        large.blit(turned, (0, height // 2), (0, height // 2, width, height - height // 2))
        _draw_centre(large, card, size[0])
    return pygame.transform.smoothscale(large, size)


def _draw_half(large: pygame.Surface, card: str, card_width: int) -> None:
    """Draws what the upper half of a face shows: corner, pips or portrait."""
    rank, suit = card[0], card[1]
    width, height = large.get_size()
    _draw_corner(large, card, card_width)
    _, index_height = index_size(card_width)
    top = index_height * _SCALE
    if rank in "JQK":
        side = round(width * 0.2)
        frame = pygame.Rect(side, top, width - 2 * side, height - 2 * top)
        pygame.draw.rect(large, _PANEL, frame)
        radius = (height / 2 - top) / 2
        large.set_clip(frame)
        portrait(large, rank, suit, (width / 2, top + radius * 1.06), radius)
        small = width * 0.075
        suit_shape(large, suit, (frame.left + small * 1.3, top + small * 1.45), small, INK[suit])
        large.set_clip(None)
        pygame.draw.rect(large, INK[suit], frame, max(1, _SCALE // 2))
    for pip in _PIPS.get(rank, []):
        if pip[1] < 1 / 2:
            _draw_pip(large, card, card_width, pip)


def _draw_centre(large: pygame.Surface, card: str, card_width: int) -> None:
    """Draws what lies in the middle of a face."""
    rank, suit = card[0], card[1]
    width, height = large.get_size()
    if rank == "A":
        suit_shape(large, suit, (width / 2, height / 2), width * 0.26, INK[suit])
    for pip in _PIPS.get(rank, []):
        if pip[1] == 1 / 2:
            _draw_pip(large, card, card_width, pip)
    if rank in "JQK":
        side = round(width * 0.2)
        belt = round(height * 0.012)
        pygame.draw.rect(large, INK[suit], (side, height // 2 - belt, width - 2 * side, 2 * belt))


def _draw_pip(large: pygame.Surface, card: str, card_width: int, pip: tuple[int, float]) -> None:
    """Draws one of the suit's shapes of a number card."""
    rank, suit = card[0], card[1]
    width, height = large.get_size()
    top = index_size(card_width)[1] * _SCALE
    radius = width * 0.1
    first = top + radius * 1.2
    if rank in "9T":  # four in a column
        radius = min(radius, (height - 2 * first) / 3 * 0.46)
    centre = (width / 2 + pip[0] * width * 0.23, first + pip[1] * (height - 2 * first))
    suit_shape(large, suit, centre, radius, INK[suit])


def _draw_corner(large: pygame.Surface, card: str, card_width: int) -> None:
    """Draws rank and suit side by side in the corner that overlapping cards leave to be seen."""
    rank, suit = card[0], card[1]
    letters = figures("10" if rank == "T" else rank, rank_height(card_width) * _SCALE, INK[suit])
    tall = rank_height(card_width) * _SCALE
    if rank == "T":
        letters = pygame.transform.smoothscale(letters, (round(letters.get_width() * 0.9), letters.get_height()))
    edge = round(0.06 * large.get_width())
    large.blit(letters, (edge, edge))
    centre = (edge + letters.get_width() + tall * 0.62, edge + tall / 2)
    suit_shape(large, suit, centre, tall * 0.5, INK[suit])


def _draw_back(large: pygame.Surface) -> None:
    """Draws a lattice in a frame."""
    width, height = large.get_size()
    side = round(width * 0.07)
    frame = pygame.Rect(side, side, width - 2 * side, height - 2 * side)
    pygame.draw.rect(large, _BACK, frame, border_radius=side)
    large.set_clip(frame.inflate(-side, -side))
    step = width / 6
    line = max(1, round(width * 0.012))
    for i in range(-12, 24):
        x = width / 2 + (i - 6) * step
        pygame.draw.line(large, _BACK_LINE, (x, 0), (x + height, height), line)
        pygame.draw.line(large, _BACK_LINE, (x, 0), (x - height, height), line)
    large.set_clip(None)
    pygame.draw.rect(large, _BACK_DOT, frame.inflate(-side, -side), line * 2, border_radius=side // 2)
