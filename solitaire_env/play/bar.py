"""The bar below the table: what there is to say, and buttons."""

from __future__ import annotations

import pygame

from solitaire_env.render.felt import pill
from solitaire_env.render.lettering import words
from solitaire_env.render.shapes import Colour
from solitaire_env.render.table import Rect

HEIGHT = 64
"""Of the bar, in pixels."""

BUTTONS = {
    "undo": "Undo (U)",
    "redo": "Redo (R)",
    "hint": "Hint (H)",
    "restart": "Restart (S)",
    "new": "New deal (N)",
}
"""Command and inscription of each button, from left to right."""

_GROUND: Colour = (14, 48, 38)
_TEXT: Colour = (255, 255, 255)
_BUTTON: Colour = (204, 228, 214)
_BUTTON_TEXT: Colour = (16, 40, 32)
_OFF: Colour = (64, 104, 88)
_MARGIN, _GAP = 10, 8
_LETTERS = 20  # pixels of a line


def button_rects(width: int, top: int) -> dict[str, Rect]:
    """Returns where the buttons of a bar are.

    Args:
        width: Of the bar.
        top: Its upper edge.
    """
    each = (width - 2 * _MARGIN - (len(BUTTONS) - 1) * _GAP) // len(BUTTONS)
    return {
        command: Rect(_MARGIN + number * (each + _GAP), top + HEIGHT // 2, each, HEIGHT // 2 - _GAP)
        for number, command in enumerate(BUTTONS)
    }


def draw_bar(surface: pygame.Surface, top: int, said: str, usable: set[str]) -> None:
    """Draws the bar across the surface.

    Args:
        surface: Where to draw.
        top: The bar's upper edge.
        said: One line of text; what does not fit is cut off at the end.
        usable: The commands whose buttons do something at present.
    """
    width = surface.get_width()
    surface.fill(_GROUND, (0, top, width, HEIGHT))
    text = words(said, _LETTERS, _TEXT)
    room = pygame.Rect(_MARGIN, top, width - 2 * _MARGIN, HEIGHT // 2)
    surface.blit(text, text.get_rect(midleft=room.midleft), (0, 0, room.width, text.get_height()))
    for command, rect in button_rects(width, top).items():
        on = command in usable
        surface.blit(pill(rect[2:], _BUTTON if on else _OFF), rect[:2])
        inscription = words(BUTTONS[command], _LETTERS, _BUTTON_TEXT)
        surface.blit(inscription, inscription.get_rect(center=pygame.Rect(rect).center))
