"""The picture of a position: a table of felt with real-looking cards.

What is drawn follows from the rules, the position, the position before the last move and the
picture's size, and from nothing else. Needs pygame, but no display, and pygame need not be
initialised.
"""

from __future__ import annotations

import pygame

from solitaire_env.cards import SUITS
from solitaire_env.position import Position
from solitaire_env.render import felt
from solitaire_env.render.faces import card_picture
from solitaire_env.render.lettering import words
from solitaire_env.render.marks import marks
from solitaire_env.render.shapes import Colour
from solitaire_env.render.table import Place, Rect, Table, lay_out
from solitaire_env.rules import Rules

_PRINT: Colour = (204, 228, 214)
_PALE: Colour = (130, 182, 156)
_DARK: Colour = (24, 28, 34)
_STOCK_PILL: Colour = (20, 40, 74)
_WHITE: Colour = (255, 255, 255)
_SMALL_PRINT = 13  # pixels of a line: smaller print is left out, nobody could read it


def draw_board(
    surface: pygame.Surface,
    rules: Rules,
    position: Position,
    *,
    previous: Position | None = None,
    message: str = "",
) -> None:
    """Draws a position, filling the surface.

    The stock is shown face down with its size, the waste by its size and its last cards.

    Args:
        surface: Where to draw.
        rules: The rules of the game.
        position: What the player knows (``Position.known``): waste cards written ``"??"`` are not
            shown.
        previous: What the player knew of the position before the last move; what that move changed
            is marked.
        message: A few words to be shown prominently, such as that the game is won.
    """
    table = lay_out(rules, position, surface.get_size())
    surface.blit(felt.felt(table.size), (0, 0))
    for place, rect in table.slots.items():
        surface.blit(_empty(rules, position, place, table), rect[:2])
    for spot in table.cards:
        draw_card(surface, spot.card, spot.rect)
    if previous is not None:
        for rect, whole in marks(table, position, previous):
            draw_frame(surface, table, rect, whole=whole)
    _print_numbers(surface, rules, position, table)
    if message:
        _print_message(surface, table, message)


def draw_frame(
    surface: pygame.Surface, table: Table, rect: Rect, *, whole: bool = True, colour: Colour = felt.MARK
) -> None:
    """Draws a frame around cards, or only its corners."""
    line = max(1, table.size[1] // 170)
    framed = felt.frame(rect[2:], round(table.card_size[0] * 0.09), line, whole=whole, colour=colour)
    surface.blit(framed, (rect.x - line, rect.y - line))


def draw_card(surface: pygame.Surface, card: str, rect: Rect) -> None:
    """Draws a card with its shadow; ``"??"`` is a back."""
    shadow = felt.shadow(rect[2:])
    surface.blit(shadow, shadow.get_rect(center=pygame.Rect(rect).center))
    surface.blit(card_picture(card, rect[2:]), rect[:2])


def _empty(rules: Rules, position: Position, place: Place, table: Table) -> pygame.Surface:
    if place.kind == "foundation":
        return felt.foundation_place(table.card_size, SUITS[place.number // rules.decks], rules.base_rank)
    if place.kind == "stock":
        return felt.stock_place(table.card_size, position.redeals_left != 0)
    return felt.empty_place(table.card_size)


def _print_numbers(surface: pygame.Surface, rules: Rules, position: Position, table: Table) -> None:
    """Prints how many cards lie where that is not to be seen, redeals and the piles' numbers."""
    line = table.label_height
    size = min(line, max(_SMALL_PRINT, round(table.card_size[0] * 0.29)))
    if line < _SMALL_PRINT:
        return
    for place, rect in table.slots.items():
        if place.kind == "pile":
            text = words(str(place.number), size, _PALE)
            surface.blit(text, text.get_rect(center=(rect.x + rect.width // 2, rect.y - line // 2)))
        elif place.kind == "reserve":
            text = words(f"reserve {len(position.reserve)}", size, _PRINT)
            surface.blit(text, text.get_rect(midleft=(rect.x, rect.y - line // 2)))
    below = table.slots[Place("foundation")].bottom + line // 2 + 2
    if rules.stock_size:
        if position.stock:
            _print_stock(surface, table.slots[Place("stock")], len(position.stock))
        x = _print_redeals(surface, position, (table.slots[Place("stock")].x, below), size)
        text = words(f"waste {len(position.waste)}", size, _PRINT)
        x = max(table.slots[Place("waste")].x, x + size // 2)
        surface.blit(text, text.get_rect(midleft=(x, below)))
    right = table.slots[Place("foundation", rules.n_foundations - 1)].right
    text = words(f"{position.foundation_cards} / {rules.deck_size}", size, _PRINT)
    surface.blit(text, text.get_rect(midright=(right, below)))


def _print_redeals(surface: pygame.Surface, position: Position, at: tuple[int, int], size: int) -> int:
    """Prints the redeals left from a point rightward; returns where the print ends."""
    left = position.redeals_left
    number = {None: "", 0: "no "}.get(left, f"{left} ")
    text = words(f"{number}{'redeal' if left in (0, 1) else 'redeals'}", size, _PRINT)
    box = text.get_rect(midleft=at)
    if left is None:  # the font has no sign for it
        sign = felt.infinity(size // 2, _PRINT)
        surface.blit(sign, sign.get_rect(midleft=at))
        box.left += sign.get_width() + size // 4
    surface.blit(text, box)
    return box.right


def _print_stock(surface: pygame.Surface, rect: Rect, size: int) -> None:
    """Prints the stock's size on its back."""
    height = round(rect.width * 0.42)
    middle = pygame.Rect(rect).center
    ground = felt.pill((round(rect.width * 0.64), height), _STOCK_PILL)
    surface.blit(ground, ground.get_rect(center=middle))
    number = words(str(size), height, _WHITE)
    surface.blit(number, number.get_rect(center=middle))


def _print_message(surface: pygame.Surface, table: Table, message: str) -> None:
    """Prints a message between the rows or, when no card lies in the lower one, large in it."""
    upper, lower = table.slots[Place("foundation", 0)], table.slots[Place("pile", 0)]
    if any(spot.place.kind in ("pile", "reserve") for spot in table.cards):
        size = round(table.label_height * 1.1)
        middle = ((upper.x + table.size[0]) // 2, upper.bottom + round(size * 0.65))
    else:
        size = table.label_height * 3
        middle = (table.size[0] // 2, (lower.bottom + table.size[1]) // 2)
    text = words(message, max(1, size), _DARK)
    ground = felt.pill((text.get_width() + 2 * size, round(size * 1.2)), felt.MARK)
    surface.blit(ground, ground.get_rect(center=middle))
    surface.blit(text, text.get_rect(center=(middle[0], middle[1] + round(size * 0.06))))
