"""What the player does with mouse and keys, and what follows: the game's side of the window, without pygame."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from solitaire_env.play.hints import Adviser, ask
from solitaire_env.play.pointing import Grip, aimed_at, cards_at, dealing, grip_at, places_of, targets
from solitaire_env.play.session import Session
from solitaire_env.position import UNKNOWN, Position
from solitaire_env.render.table import Place, Rect, Table, lay_out

Point = tuple[int, int]

_SUIT_NAMES = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_DRAG_FROM = 6  # pixels that the mouse may tremble in a click


@dataclasses.dataclass
class Drag:
    """Cards on their way.

    Attributes:
        grip: Which.
        cards: Their texts, the deepest first.
        start: Where the deepest of them lay.
        pressed: Where the mouse took hold of them.
        at: Where it is now.
    """

    grip: Grip
    cards: tuple[str, ...]
    start: Rect
    pressed: Point
    at: Point

    @property
    def under_way(self) -> bool:
        """Whether the mouse has gone farther than a hand trembles."""
        return max(abs(self.at[0] - self.pressed[0]), abs(self.at[1] - self.pressed[1])) >= _DRAG_FROM

    @property
    def rect(self) -> Rect:
        """Where the deepest of the cards is now."""
        x, y = self.at[0] - self.pressed[0], self.at[1] - self.pressed[1]
        return Rect(self.start.x + x, self.start.y + y, self.start.width, self.start.height)


class Controls:
    """Turns presses, drags and commands into moves of a session.

    A card is taken by a click and goes where the next click is, or it is dragged; clicked twice it goes to its
    foundation. A click on the stock deals, one on an empty pile puts the stock's top card there where that is allowed.
    Whatever is not legal changes nothing.

    Args:
        session: The game.
        size: Width and height of the table in pixels.
        adviser: Gives whoever gives hints; called when the first hint is asked for.

    Attributes:
        session: The game.
        size: Width and height of the table in pixels; may be set when the window changes.
        grip: The cards that are taken, None for none.
        drag: Cards under the mouse while its button is held, None else.
        hint: The action that was last advised, None once something else is done.
    """

    def __init__(self, session: Session, size: Point, adviser: Callable[[], Adviser]) -> None:
        self.session = session
        self.size = size
        self.grip: Grip | None = None
        self.drag: Drag | None = None
        self.hint: int | None = None
        self._load_adviser = adviser
        self._adviser: Adviser | None = None
        self._pressed = False
        self._told = ""
        self._commands: dict[str, Callable[[], None]] = {
            "undo": self._undo,
            "redo": self._redo,
            "hint": self._advise,
            "restart": self._restart,
            "new": self._deal_anew,
            "deal": self._deal,
            "drop": self.let_go,
        }

    @property
    def words(self) -> str:
        """What there is to say: how the last thing that was done went, or how the game stands."""
        if self._told:
            return self._told
        moves = len(self.session.actions)
        if self.session.won:
            return f"Won in {moves} moves."
        if self.session.stuck:
            return "No move is left: undo, restart or deal anew."
        return f"{self.session.title}, move {moves}"

    @property
    def announcement(self) -> str:
        """What the table says of the game's end, empty before it."""
        if self.session.won:
            return "Game won"
        return "No move left" if self.session.stuck else ""

    @property
    def shown(self) -> Position:
        """The position to be drawn: what the player knows, without the cards that are being dragged."""
        known = self.session.known
        if self.drag is None or not self.drag.under_way:
            return known
        return without(known, self.drag.grip)

    @property
    def table(self) -> Table:
        """Where everything lies at present."""
        return lay_out(self.session.rules, self.shown, self.size)

    @property
    def targets(self) -> dict[Place, int]:
        """Where the cards that are taken may go."""
        return {} if self.grip is None else self._targets(self.grip)

    @property
    def hinted(self) -> tuple[Grip | None, Place] | None:
        """Which cards the hint takes, None for a redeal, and where it puts them; None without a hint."""
        if self.hint is None:
            return None
        return places_of(self.session.rules, self.session.position, self.session.legal_moves()[self.hint])

    def command(self, name: str) -> None:
        """Does one of: undo, redo, hint, restart, new (a new deal), deal (from the stock), drop (what is taken).

        Raises:
            KeyError: There is no such command.
        """
        action = self._commands[name]
        self._told = ""
        if name != "hint":
            self.let_go()
        action()

    def let_go(self) -> None:
        """Puts back what is taken; forgets the hint."""
        self.grip = self.drag = self.hint = None
        self._pressed = False

    def press(self, at: Point) -> None:
        """The mouse button goes down."""
        self._told = ""
        self._pressed = True
        self.drag = self._drag_from(at)

    def move(self, at: Point) -> None:
        """The mouse moves, its button held or not."""
        if self.drag is None:
            return
        self.drag.at = at
        if self.drag.under_way:
            self.grip, self.hint = self.drag.grip, None

    def release(self, at: Point) -> None:
        """The mouse button goes up."""
        if not self._pressed:
            return
        self._pressed = False
        self.move(at)
        if self.drag is not None and self.drag.under_way:
            self._drop(self.drag)
        else:
            self.drag = None
            self._click(at)

    def _click(self, at: Point) -> None:
        hit = self.table.at(*at)
        taken, aims, self.grip, self.hint = self.grip, self.targets, None, None
        if hit is None:
            return
        place, depth = hit
        position = self.session.position
        if taken is not None:
            action = aimed_at(position, aims, place)
            if action is not None:
                self.session.play(action)
                return
        if place.kind == "stock":
            self._deal()
            return
        grip = grip_at(position, place, depth)
        if grip is None:
            if place.kind == "pile":
                self._play_to(Grip(Place("stock"), 1), place, "")
        elif grip == taken:
            self._play_to(grip, Place("foundation"), "")  # the second click
        elif self._targets(grip):
            self.grip = grip
        else:
            self._told = f"{_names(cards_at(position, place)[-grip.count :])} can go nowhere."

    def _drop(self, drag: Drag) -> None:
        """Plays the cards that were dragged onto a place, or lets them snap back."""
        place = self._place_under(drag.rect)
        self.let_go()
        if place is not None and place != drag.grip.place:
            self._play_to(drag.grip, place, f"{_names(drag.cards)} cannot go there.")

    def _play_to(self, grip: Grip, place: Place, refusal: str) -> None:
        action = aimed_at(self.session.position, self._targets(grip), place)
        if action is None:
            self._told = refusal
        else:
            self.session.play(action)

    def _drag_from(self, at: Point) -> Drag | None:
        table = self.table
        hit = table.at(*at)
        grip = None if hit is None else grip_at(self.session.position, *hit)
        if grip is None:
            return None
        cards = cards_at(self.session.position, grip.place)[-grip.count :]
        if grip.place.kind == "stock":
            cards = (UNKNOWN,)
        spot = table.spots(grip.place)[-grip.count]
        return Drag(grip, cards, spot.rect, at, at)

    def _place_under(self, rect: Rect) -> Place | None:
        """Returns the place that a rectangle covers most of: of its top card, or of its slot where no card lies."""
        table = self.table
        areas = {place: _common_area(rect, table.top(place)) for place in table.slots}
        best = max(areas, key=lambda place: areas[place])
        return best if areas[best] > 0 else None

    def _targets(self, grip: Grip) -> dict[Place, int]:
        return targets(self.session.rules, self.session.position, self.session.legal_moves(), grip)

    def _undo(self) -> None:
        self._told = "" if self.session.undo() else "There is nothing to undo."

    def _redo(self) -> None:
        self._told = "" if self.session.redo() else "There is nothing to redo."

    def _restart(self) -> None:
        self.session.restart()

    def _deal_anew(self) -> None:
        self.session = Session(self.session.game)

    def _deal(self) -> None:
        action = dealing(self.session.legal_moves())
        if action is None:
            self._told = "There is nothing to deal."
        else:
            self.session.play(action)

    def _advise(self) -> None:
        """Shows what the adviser would play; plays it when that is shown already."""
        if self.hint is not None:
            action = self.hint
            self.let_go()
            self.session.play(action)
            return
        self.let_go()
        if self.announcement:
            return
        try:
            self._adviser = self._adviser or self._load_adviser()
        except (ImportError, OSError, ValueError) as error:
            self._told = f"No hint: {error}"
            return
        self.hint = ask(self._adviser, self.session)
        if self.hint is None:
            self._told = "No hint: every move leads back to where the game has been."
        else:
            self._told = f"Hint: {self.session.describe(self.hint)}"


def without(position: Position, grip: Grip) -> Position:
    """Returns the position without the cards of a grip."""
    left = cards_at(position, grip.place)[: -grip.count]
    if grip.place.kind == "pile":
        piles = list(position.tableau)
        piles[grip.place.number] = left
        return dataclasses.replace(position, tableau=tuple(piles))
    if grip.place.kind == "foundation":
        piles = list(position.foundations)
        piles[grip.place.number] = left
        return dataclasses.replace(position, foundations=tuple(piles))
    others: dict[str, Any] = {grip.place.kind: left}
    return dataclasses.replace(position, **others)


def _common_area(one: Rect, other: Rect) -> int:
    width = min(one.right, other.right) - max(one.x, other.x)
    height = min(one.bottom, other.bottom) - max(one.y, other.y)
    return max(0, width) * max(0, height)


def _names(cards: Sequence[str]) -> str:
    """Returns cards in words: the first, and how many more."""
    rank, suit = cards[0][0], cards[0][1]
    first = "The card" if cards[0] == UNKNOWN else f"{rank.replace('T', '10')} of {_SUIT_NAMES[suit]}"
    return first if len(cards) == 1 else f"{first} with {len(cards) - 1} more"
