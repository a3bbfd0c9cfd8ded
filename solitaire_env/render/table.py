"""Where everything lies on the drawn table: a rectangle for every place and every card.

Nothing is drawn here and pygame is not needed: the board is drawn by these rectangles, and a window
finds by them what was clicked. The upper row holds stock and waste at the left and the foundations
at the right; below them lie the reserve, if the game has one, and the piles.

A pile's cards overlap more the more there are. Where even the narrowest legible strips leave no
room a pile goes on in a further column beside the first, so that nothing is ever cut off. The size
of a card follows from the rules and the picture's size, so that it stays the same through a game;
only where further columns leave no room are the cards smaller.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from solitaire_env.position import UNKNOWN, Position
from solitaire_env.rules import Rules

SIZE = (800, 600)
"""Width and height of a picture in pixels, unless another size is asked for."""

_ASPECT = 1.4
_GAP = 0.12  # between neighbouring cards, in card widths; likewise below
_WIDEST_GAP = 0.4
_LEAST_GAP = 2  # pixels
_LEAST_WIDTH = 4  # pixels
_RESERVE_GAP = 0.4
_ROOMY_STEP = 0.4  # from a card to the next of its pile where there is room enough
_TALLEST = 0.19  # a card's height in heights of the picture: five rows of cards, so to speak
_LABEL = 0.032  # a line of small print, in heights of the picture
_WASTE_COLUMNS = 3
_WASTE_SHOWN = 3

PlaceKind = Literal["stock", "waste", "foundation", "reserve", "pile"]


class Rect(NamedTuple):
    """A rectangle in pixels, from the picture's upper left corner."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column of pixels beyond the rectangle."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row of pixels beyond the rectangle."""
        return self.y + self.height

    def holds(self, x: int, y: int) -> bool:
        """Tells whether a pixel lies in the rectangle."""
        return self.x <= x < self.right and self.y <= y < self.bottom


class Place(NamedTuple):
    """A place that may hold cards; ``number`` counts foundations and piles from 0."""

    kind: PlaceKind
    number: int = 0


class CardSpot(NamedTuple):
    """A card that can be seen.

    Attributes:
        place: The place that it belongs to.
        depth: Its index in that place's cards, the deepest being 0.
        card: Its text, or ``"??"`` when it lies face down.
        rect: The whole card.
        visible: The part of it that no later card covers.
    """

    place: Place
    depth: int
    card: str
    rect: Rect
    visible: Rect


@dataclasses.dataclass(frozen=True)
class Table:
    """The geometry of one position.

    Attributes:
        size: Width and height of the picture.
        card_size: Width and height of a card.
        label_height: Height of a line of small print. There is one below the upper row and one
            above the lower.
        slots: For each place of the game, in use or not, where its deepest card lies.
        cards: The cards that can be seen, in the order in which they are to be drawn.
    """

    size: tuple[int, int]
    card_size: tuple[int, int]
    label_height: int
    slots: Mapping[Place, Rect]
    cards: tuple[CardSpot, ...]

    def at(self, x: int, y: int) -> tuple[Place, int] | None:
        """Returns the place at a pixel and the card's depth there, -1 for no card; else None."""
        for spot in reversed(self.cards):
            if spot.rect.holds(x, y):
                return spot.place, spot.depth
        for place, rect in self.slots.items():
            if rect.holds(x, y):
                return place, -1
        return None

    def top(self, place: Place) -> Rect:
        """Returns where the top card of a place lies, or where a first one would."""
        spots = self.spots(place)
        return spots[-1].rect if spots else self.slots[place]

    def spots(self, place: Place) -> list[CardSpot]:
        """Returns the visible cards of a place, the deepest first."""
        return [spot for spot in self.cards if spot.place == place]


def index_size(card_width: int) -> tuple[int, int]:
    """Returns the width and height of a card's upper left corner that shows its rank and suit.

    That much of every card is always to be seen.
    """
    height = rank_height(card_width)
    return math.ceil(0.08 * card_width + 2.7 * height), math.ceil(0.08 * card_width + height)


def rank_height(card_width: int) -> int:
    """Returns the height of the letters in a card's corner, relatively larger on small cards."""
    return round(max(0.17 * card_width, min(0.24 * card_width, 11)))


def lay_out(rules: Rules, position: Position, size: tuple[int, int] = SIZE) -> Table:
    """Returns where everything lies.

    Args:
        rules: The rules of the game.
        position: The position, as ``Position.known`` gives it: a waste card that the player does
            not know is not shown.
        size: Width and height of the picture in pixels.
    """
    lower = [(Place("reserve"), position.reserve)] if rules.reserve else []
    lower += [(Place("pile", index), pile) for index, pile in enumerate(position.tableau)]
    heights = [len(pile) for _, pile in lower]
    grid = _Grid(rules, size, _card_width(rules, size))
    while grid.gap(heights) < _LEAST_GAP and grid.width > _LEAST_WIDTH:
        grid = _Grid(rules, size, grid.width - 1)

    slots: dict[Place, Rect] = {}
    cards: list[CardSpot] = []
    for index, x in enumerate(grid.foundation_columns()):
        place = Place("foundation", index)
        slots[place] = grid.card_at(x, grid.upper)
        cards += _top(place, position.foundations[index], slots[place])
    if rules.stock_size:
        stock, waste = Place("stock"), Place("waste")
        slots[stock] = grid.card_at(grid.margin, grid.upper)
        cards += _top(stock, [UNKNOWN] * len(position.stock), slots[stock])
        slots[waste] = grid.card_at(grid.margin + grid.pitch, grid.upper)
        cards += grid.fan(waste, position.waste, slots[waste])
    for (place, pile), x in zip(lower, grid.lower_columns(heights), strict=True):
        slots[place] = grid.card_at(x, grid.lower)
        cards += grid.column(place, pile, x)
    return Table(size, (grid.width, grid.height), grid.label, slots, tuple(cards))


def _card_width(rules: Rules, size: tuple[int, int]) -> int:
    """Returns the width of a card that suits the rules, whatever the position."""
    room = size[0] - 2 * _margin(size)
    widest = room / (_columns(rules) * (1 + _GAP) - _GAP)
    return max(_LEAST_WIDTH, int(min(widest, size[1] * _TALLEST / _ASPECT)))


def _columns(rules: Rules) -> float:
    """Returns how many cards the wider of the two rows holds side by side."""
    upper = rules.n_foundations + (1 + _WASTE_COLUMNS if rules.stock_size else 0)
    lower = rules.n_piles + (1 + _RESERVE_GAP if rules.reserve else 0)
    return max(upper, lower)


def _margin(size: tuple[int, int]) -> int:
    return max(2, size[0] // 50)


def _top(place: Place, pile: Sequence[str], slot: Rect) -> Iterator[CardSpot]:
    """Lays out a squared pile: only its top card is seen."""
    if pile:
        yield CardSpot(place, len(pile) - 1, pile[-1], slot, slot)


class _Grid:
    """The measures that follow from the rules, the picture's size and the width of a card."""

    def __init__(self, rules: Rules, size: tuple[int, int], width: int) -> None:
        self.rules = rules
        self.width, self.height = width, round(width * _ASPECT)
        self.margin = _margin(size)
        self.right = size[0] - self.margin
        self.bottom = size[1] - self.margin
        self.label = max(1, round(size[1] * _LABEL))
        room = self.right - self.margin - width
        self.pitch = int(min(room / (_columns(rules) - 1), width * (1 + _WIDEST_GAP)))
        self.upper = self.margin
        self.lower = self.upper + self.height + 2 * self.label + self.margin // 2
        # From a pile's column to its next, if it has several, and from a fanned card to the next.
        self.aside, down = index_size(width)
        self.rows = 1 + max(0, self.bottom - self.lower - self.height) // down

    def card_at(self, x: int, y: int) -> Rect:
        return Rect(x, y, self.width, self.height)

    def foundation_columns(self) -> list[int]:
        """Returns the left edges of the foundations: at the right, or without stock centred."""
        number = self.rules.n_foundations
        block = (number - 1) * self.pitch + self.width
        first = self.right - block
        if not self.rules.stock_size:
            first = (self.margin + first) // 2
        return [first + i * self.pitch for i in range(number)]

    def gap(self, heights: Sequence[int]) -> int:
        """Returns the gap between piles of such heights, the reserve first; below 0: no room."""
        room = self.right - self.margin - sum(map(self._column_width, heights))
        if self.rules.reserve:
            room -= self._reserve_gap
        # As many piles as foundations stand in the foundations' columns, fewer stand wider apart.
        fewer = self.rules.n_piles < self.rules.n_foundations
        widest = int(self.width * _WIDEST_GAP) if fewer else self.pitch - self.width
        return min(room // max(1, self.rules.n_piles - 1), widest)

    def lower_columns(self, heights: Sequence[int]) -> list[int]:
        """Returns the left edges of the reserve, if any, and the piles."""
        left, columns = self.margin, []
        widths = list(map(self._column_width, heights))
        if self.rules.reserve:
            columns.append(left)
            left += widths.pop(0) + self._reserve_gap
        gap = self.gap(heights)
        x = self._first_pile(left, sum(widths) + gap * (len(widths) - 1))
        for width in widths:
            columns.append(x)
            x += width + gap
        return columns

    def column(self, place: Place, pile: Sequence[str], x: int) -> Iterator[CardSpot]:
        """Lays out a pile downward, in as many columns as it needs."""
        step = int(self.width * _ROOMY_STEP)
        overlaps = min(len(pile), self.rows) - 1
        if overlaps > 0:
            step = min(step, (self.bottom - self.lower - self.height) // overlaps)
        for first in range(0, len(pile), self.rows):
            part = pile[first : first + self.rows]
            goes_on = first + self.rows < len(pile)
            for row, card in enumerate(part):
                rect = self.card_at(x, self.lower + row * step)
                seen_width = self.aside if goes_on else self.width
                seen_height = step if row < len(part) - 1 else self.height
                yield CardSpot(place, first + row, card, rect, Rect(rect.x, rect.y, seen_width, seen_height))
            x += self.aside

    def fan(self, place: Place, waste: Sequence[str], slot: Rect) -> Iterator[CardSpot]:
        """Fans the last cards of the waste: as many as a deal gives, where there is room."""
        room = self.foundation_columns()[0] - self.pitch // 2 - slot.right
        number = min(max(_WASTE_SHOWN, self.rules.cards_per_deal), 1 + max(0, room) // self.aside)
        first = max(0, len(waste) - number)
        while first < len(waste) - 1 and waste[first] == UNKNOWN:
            first += 1
        for depth in range(first, len(waste)):
            rect = self.card_at(slot.x + (depth - first) * self.aside, slot.y)
            seen_width = self.aside if depth < len(waste) - 1 else self.width
            yield CardSpot(place, depth, waste[depth], rect, Rect(rect.x, rect.y, seen_width, self.height))

    @property
    def _reserve_gap(self) -> int:
        return int(self.width * _RESERVE_GAP)

    def _column_width(self, height: int) -> int:
        return self.width + self.aside * ((max(1, height) - 1) // self.rows)

    def _first_pile(self, left: int, block: int) -> int:
        """Returns the left edge of the piles: centred below the foundations if they fit there."""
        foundations = self.foundation_columns()
        start, end = foundations[0], foundations[-1] + self.width
        if block > end - start or start < left:
            start, end = left, self.right
        return start + (end - start - block) // 2
