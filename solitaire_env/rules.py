"""A game of this family as data: ``Rules``, frozen and validated."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal, get_args

from solitaire_env.cards import CARDS_PER_DECK, RANKS, SUITS

Start = Literal["empty", "dealt"]
Build = Literal["suit", "alternating"]
Corner = Literal["none", "ring", "both", "ace_high"]
Moves = Literal["any_suffix", "top_or_run", "top_or_pile", "single"]
Spaces = Literal["any", "ace", "none"]
Refill = Literal["none", "stock", "reserve", "waste_then_stock"]

CHOICES: dict[str, tuple[str, ...]] = {
    "foundations": get_args(Start),
    "base_rank": tuple(RANKS),
    "build": get_args(Build),
    "corner": get_args(Corner),
    "moves": get_args(Moves),
    "spaces": get_args(Spaces),
    "refill": get_args(Refill),
}
"""The values that each field of text may take, in the order in which the kernel numbers them."""

MAX_PILES = 16
MAX_REDEALS = 100


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """Everything that makes one game of the family differ from another.

    Every field takes JSON values (a list serves for a tuple, ``null`` for ``None``), so a variant can be asked for
    by ``gymnasium.make(id, rules={"spaces": "any"})``.

    Attributes:
        decks: Decks of 52 cards, 1 or 2.
        pile_heights: Cards dealt to each tableau pile, all face up; its length is the number of piles (1 to 16).
        reserve: Cards dealt face up to the reserve; only its top may be played, and nothing is ever put on it.
        foundations: ``"dealt"`` starts every foundation with its base card, ``"empty"`` with nothing.
        base_rank: The rank that a foundation starts with; it is built up in suit, turning from K to A if need be,
            to 13 cards.
        build: Tableau piles build down in ``"suit"`` or in ``"alternating"`` colours.
        corner: What goes beyond the ordinary downward step (A on 2, 2 on 3 ... Q on K): ``"none"``; ``"ring"`` adds
            K on A; ``"both"`` adds K on A and A on K; ``"ace_high"`` makes the ace the highest card, so that K goes on
            A and the ace on nothing.
        moves: What may leave a pile for another: ``"any_suffix"`` of its run; ``"top_or_run"``, its top card or the
            whole run; ``"top_or_pile"``, its top card or, when the pile is one run, the whole pile; ``"single"``, its
            top card.
        spaces: What may fill an empty pile: ``"any"`` card or run, only an ``"ace"`` or a run whose deepest card is
            one, or ``"none"``.
        refill: Where a pile that a move has just emptied is filled from at once, while there are cards.
        stock_to_space: The stock's top card may be put, unseen, into an empty pile.
        cards_per_deal: Cards that go from the stock to the waste in one deal; the last deal gives what is left.
        redeals: Times that the waste may be turned over into an empty stock; ``None`` is unlimited.
        foundation_returns: The top card of a foundation may go back to a pile where it fits.

    Raises:
        ValueError: A field is of the wrong kind or out of range, or two fields contradict each other; the message
            names the field, its value and what is allowed.
    """

    decks: int
    pile_heights: tuple[int, ...]
    reserve: int = 0
    foundations: Start
    base_rank: str = "A"
    build: Build
    corner: Corner = "none"
    moves: Moves = "any_suffix"
    spaces: Spaces
    refill: Refill = "none"
    stock_to_space: bool = False
    cards_per_deal: int = 1
    redeals: int | None = 0
    foundation_returns: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.pile_heights, list):
            object.__setattr__(self, "pile_heights", tuple(self.pile_heights))
        self._check_kinds()
        self._check_deal()
        self._check_combination()

    @property
    def deck_size(self) -> int:
        """Number of cards in the game, 52 or 104."""
        return self.decks * CARDS_PER_DECK

    @property
    def n_piles(self) -> int:
        """Number of tableau piles."""
        return len(self.pile_heights)

    @property
    def n_foundations(self) -> int:
        """Number of foundations: one a suit and deck, 4 or 8."""
        return self.decks * len(SUITS)

    @property
    def dealt_foundation_cards(self) -> int:
        """Number of cards that start on the foundations."""
        return self.n_foundations if self.foundations == "dealt" else 0

    @property
    def stock_size(self) -> int:
        """Number of cards in the stock at the start."""
        return self.deck_size - self.dealt_foundation_cards - self.reserve - sum(self.pile_heights)

    def replace(self, **overrides: Any) -> Rules:
        """Returns a copy with the given fields replaced.

        Raises:
            ValueError: A name is no field of ``Rules``, or the result is not valid.
        """
        names = [field.name for field in dataclasses.fields(self)]
        for name in overrides:
            if name not in names:
                raise ValueError(f"rules have no field {name!r}: the fields are {', '.join(names)}")
        return dataclasses.replace(self, **overrides)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON-able values; ``Rules(**rules.to_dict())`` gives the rules back."""
        return {**dataclasses.asdict(self), "pile_heights": list(self.pile_heights)}

    def _check_kinds(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ValueError(f"{name} is {value!r}: allowed are {', '.join(map(repr, allowed))}")
        for name in ("stock_to_space", "foundation_returns"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise ValueError(f"{name} is {value!r}: allowed are True and False")
        _check_int("decks", self.decks, 1, 2)
        _check_int("reserve", self.reserve, 0, self.deck_size)
        _check_int("cards_per_deal", self.cards_per_deal, 1, self.deck_size)
        if self.redeals is not None:
            _check_int("redeals", self.redeals, 0, MAX_REDEALS, " or None, for unlimited")
        if not isinstance(self.pile_heights, tuple) or not 1 <= len(self.pile_heights) <= MAX_PILES:
            raise ValueError(f"pile_heights is {self.pile_heights!r}: allowed are 1 to {MAX_PILES} whole numbers")
        for height in self.pile_heights:
            _check_int("pile_heights", height, 0, self.deck_size)

    def _check_deal(self) -> None:
        if self.stock_size < 0:
            raise ValueError(
                f"pile_heights and reserve take {sum(self.pile_heights) + self.reserve} cards: "
                f"only {self.deck_size - self.dealt_foundation_cards} are there to be dealt"
            )

    def _check_combination(self) -> None:
        if self.refill == "reserve" and self.reserve == 0:
            raise ValueError("refill is 'reserve', but reserve is 0: there is nothing to refill from")
        if self.refill in ("stock", "waste_then_stock") and self.stock_size == 0:
            raise ValueError(f"refill is {self.refill!r}, but the deal leaves no stock to refill from")
        if self.stock_to_space and self.spaces != "any":
            raise ValueError(
                f"stock_to_space is True, but spaces is {self.spaces!r}: an unseen card needs spaces to be 'any'"
            )
        if self.stock_to_space and self.stock_size == 0:
            raise ValueError("stock_to_space is True, but the deal leaves no stock")
        if self.redeals != 0 and self.stock_size == 0:
            raise ValueError(f"redeals is {self.redeals!r}, but the deal leaves no stock to deal again")


def _check_int(name: str, value: object, low: int, high: int, also: str = "") -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}: allowed are whole numbers from {low} to {high}{also}")


def override(rules: Rules, overrides: Mapping[str, Any] | None) -> Rules:
    """Returns the rules with JSON-able overrides applied, as ``gymnasium.make(..., rules=...)`` takes them.

    Raises:
        ValueError: ``overrides`` is no mapping, names an unknown field, or gives rules that are not valid.
    """
    if overrides is None:
        return rules
    if not isinstance(overrides, Mapping):
        raise ValueError(f"rules is {overrides!r}: allowed is a mapping from fields of Rules to values")
    return rules.replace(**overrides)
