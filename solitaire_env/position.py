"""A position that a person can read: ``Position``, its text, and the way to and from a state row."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from solitaire_env.cards import CARDS_PER_DECK, RANKS, RANKS_PER_SUIT, SUITS, card_code, card_suit, card_text
from solitaire_env.layout import (
    FOUNDATION_COUNTS,
    OUT_OF_ORDER_CARDS,
    PILE_CAPACITY,
    REDEALS_LEFT,
    RESERVE,
    SIZES,
    STATE_SIZE,
    STOCK,
    STOCK_SEEN,
    UNLIMITED,
    WASTE,
    State,
    compile_rules,
    may_lie_on,
    stack,
)
from solitaire_env.rules import Rules

Cards = tuple[str, ...]

UNKNOWN = "??"
"""Stands for a card that a player does not know."""

_KEYS = ("F", "T", "S", "W", "R", "redeals", "seen")


@dataclasses.dataclass(frozen=True)
class Position:
    """A position of any game of the family: who lies where, hidden cards included.

    A card is written like ``"TD"``; in a pile the last card is the top, and the stock's last card is drawn next.

    Attributes:
        foundations: 4 or 8 piles, suit by suit (S H D C), of two foundations of a suit the longer first.
        tableau: The piles, possibly empty.
        stock: The cards still to be dealt.
        waste: The cards dealt and not played.
        reserve: The reserve.
        redeals_left: How often the waste may still be turned over; ``None`` is unlimited.
        stock_seen: Whether the waste has been turned over, so that the player knows the stock. In a position that is
            handed in, fewer redeals than the game starts with say as much.
    """

    foundations: tuple[Cards, ...]
    tableau: tuple[Cards, ...]
    stock: Cards
    waste: Cards
    reserve: Cards
    redeals_left: int | None
    stock_seen: bool = False

    def to_text(self) -> str:
        """Returns the position in one line that ``from_text`` reads, such as for a bug report.

        ``F=`` foundations and ``T=`` tableau, piles separated by ``/``; ``S=`` stock, ``W=`` waste, ``R=`` reserve;
        ``-`` stands for no cards; then ``redeals=`` a number or ``unlimited``, and ``seen=`` yes or no.
        """
        redeals = "unlimited" if self.redeals_left is None else str(self.redeals_left)
        return (
            f"F={_piles_text(self.foundations)} T={_piles_text(self.tableau)} S={_pile_text(self.stock)} "
            f"W={_pile_text(self.waste)} R={_pile_text(self.reserve)} "
            f"redeals={redeals} seen={'yes' if self.stock_seen else 'no'}"
        )

    @classmethod
    def from_text(cls, text: str) -> Position:
        """Reads what ``to_text`` wrote; ``seen`` may be left out.

        Raises:
            ValueError: A part is missing, doubled, unknown or not understood; the message shows it.
        """
        parts: dict[str, str] = {}
        for part in text.split():
            key, equals, value = part.partition("=")
            if not equals or key not in _KEYS or key in parts:
                raise ValueError(
                    f"cannot read {part!r} in a position: each of {', '.join(_KEYS)} is given once, as KEY=VALUE"
                )
            parts[key] = value
        for key in _KEYS[:-1]:
            if key not in parts:
                raise ValueError(f"a position's text lacks {key}=: {text!r}")
        redeals, seen = parts["redeals"], parts.get("seen", "no")
        if redeals != "unlimited" and not (redeals.isascii() and redeals.isdigit()):
            raise ValueError(f"redeals={redeals!r} in a position: allowed are whole numbers and 'unlimited'")
        if seen not in ("yes", "no"):
            raise ValueError(f"seen={seen!r} in a position: allowed are 'yes' and 'no'")
        return cls(
            foundations=tuple(_read_pile(pile) for pile in parts["F"].split("/")),
            tableau=tuple(_read_pile(pile) for pile in parts["T"].split("/")),
            stock=_read_pile(parts["S"]),
            waste=_read_pile(parts["W"]),
            reserve=_read_pile(parts["R"]),
            redeals_left=None if redeals == "unlimited" else int(redeals),
            stock_seen=seen == "yes",
        )

    @property
    def foundation_cards(self) -> int:
        """Number of cards on all foundations."""
        return sum(len(pile) for pile in self.foundations)

    def canonical(self) -> tuple[Any, ...]:
        """Returns a hashable value that is equal for positions which differ only in the order of piles."""
        return (
            tuple(sorted(self.foundations)),
            tuple(sorted(self.tableau)),
            self.stock,
            self.waste,
            self.reserve,
            self.redeals_left,
        )

    def known(self, level: Literal["table", "recall", "open"]) -> Position:
        """Returns what a player of a knowledge level knows of the position (K1 to K3), other cards written ``"??"``."""
        stock, waste = self.stock, self.waste
        if level == "table" or (level == "recall" and not self.stock_seen):
            stock = (UNKNOWN,) * len(stock)
        if level == "table":
            waste = (UNKNOWN,) * (len(waste) - 1) + waste[-1:]
        return dataclasses.replace(self, stock=stock, waste=waste)

    @classmethod
    def from_state(cls, rules: Rules, state: State) -> Position:
        """Reads a state row (int8, laid out by ``rules``)."""
        spec = compile_rules(rules)

        def cards(location: int) -> Cards:
            return tuple(card_text(int(c)) for c in stack(spec, state, location, int(state[SIZES + location])))

        foundations = []
        for f in range(rules.n_foundations):
            count = int(state[FOUNDATION_COUNTS + f])
            foundations.append(foundation_pile(rules, f // rules.decks, count))
        redeals = int(state[REDEALS_LEFT])
        return cls(
            foundations=tuple(foundations),
            tableau=tuple(cards(p) for p in range(rules.n_piles)),
            stock=cards(STOCK),
            waste=cards(WASTE),
            reserve=cards(RESERVE),
            redeals_left=None if redeals == UNLIMITED else redeals,
            stock_seen=bool(state[STOCK_SEEN]),
        )

    def to_state(self, rules: Rules) -> State:
        """Returns the state row (int8) of the position.

        Raises:
            ValueError: The position is none of this game; the message gives the reason.
        """
        self._check_cards(rules)
        spec = compile_rules(rules)
        state = np.zeros(spec[STATE_SIZE], np.int8)
        state[FOUNDATION_COUNTS : FOUNDATION_COUNTS + rules.n_foundations] = self._foundation_counts(rules)
        self._check_redeals(rules)
        state[REDEALS_LEFT] = UNLIMITED if self.redeals_left is None else self.redeals_left
        turned_over = self.redeals_left is not None and self.redeals_left != rules.redeals
        state[STOCK_SEEN] = self.stock_seen or turned_over
        if len(self.tableau) != rules.n_piles:
            raise ValueError(f"the tableau has {len(self.tableau)} piles: this game has {rules.n_piles}")
        if len(self.reserve) > rules.reserve:
            raise ValueError(f"the reserve holds {len(self.reserve)} cards: at most {rules.reserve} in this game")
        if rules.stock_size == 0 and (self.stock or self.waste):
            raise ValueError("stock and waste hold cards: this game has neither")
        stacks = [*enumerate(self.tableau), (RESERVE, self.reserve), (WASTE, self.waste), (STOCK, self.stock)]
        for location, pile in stacks:
            if location < RESERVE:
                _check_pile(rules, location, pile, int(spec[PILE_CAPACITY]))
            state[SIZES + location] = len(pile)
            stack(spec, state, location, len(pile))[:] = [card_code(card) for card in pile]
        return state

    def _check_cards(self, rules: Rules) -> None:
        """Refuses a position whose cards are not exactly those of the game's decks."""
        piles: list[Iterable[str]] = [*self.foundations, *self.tableau, self.stock, self.waste, self.reserve]
        count = Counter(card_code(card) for pile in piles for card in pile)
        missing = [card_text(c) for c in range(CARDS_PER_DECK) for _ in range(rules.decks - count[c])]
        doubled = [card_text(c) for c in range(CARDS_PER_DECK) for _ in range(count[c] - rules.decks)]
        if missing or doubled:
            reasons = [
                f"{word} {' '.join(cards)}" for word, cards in (("missing:", missing), ("too many:", doubled)) if cards
            ]
            raise ValueError(
                f"a position needs every card of {rules.decks} deck(s) just once a deck: {'; '.join(reasons)}"
            )

    def _foundation_counts(self, rules: Rules) -> list[int]:
        """Returns the counts in the state's order, whatever order the foundations are given in."""
        if len(self.foundations) != rules.n_foundations:
            raise ValueError(f"there are {len(self.foundations)} foundations: this game has {rules.n_foundations}")
        by_suit: list[list[int]] = [[] for _ in SUITS]
        for pile in self.foundations:
            if pile:
                suit = card_suit(card_code(pile[0]))
                if tuple(pile) != foundation_pile(rules, suit, len(pile)):
                    raise ValueError(f"foundation {_pile_text(pile)} does not build up in suit from {rules.base_rank}")
                by_suit[suit].append(len(pile))
        for suit, counts in enumerate(by_suit):
            if len(counts) > rules.decks:
                raise ValueError(f"there are {len(counts)} foundations of suit {SUITS[suit]}: at most {rules.decks}")
        return [n for counts in by_suit for n in sorted(counts + [0] * (rules.decks - len(counts)), reverse=True)]

    def _check_redeals(self, rules: Rules) -> None:
        left = self.redeals_left
        if rules.redeals is None:
            if left is not None:
                raise ValueError(f"redeals_left is {left!r}: redeals are unlimited in this game, so it must be None")
            return
        if not isinstance(left, int) or isinstance(left, bool) or not 0 <= left <= rules.redeals:
            raise ValueError(f"redeals_left is {left!r}: allowed are 0 to {rules.redeals}")
        if self.stock_seen and rules.redeals == left:
            raise ValueError(
                f"stock_seen is True, but all {rules.redeals} redeals are left: the waste was never turned over"
            )


def as_position(value: Position | str) -> Position:
    """Returns a position given as one or as its text.

    Raises:
        ValueError: The text cannot be read, or the value is neither.
    """
    if isinstance(value, Position):
        return value
    if isinstance(value, str):
        return Position.from_text(value)
    raise ValueError(f"position is {value!r}: allowed are a Position and its text")


def foundation_pile(rules: Rules, suit: int, count: int) -> Cards:
    """Returns the lowest ``count`` cards of a foundation of a suit."""
    base = RANKS.index(rules.base_rank)
    return tuple(RANKS[(base + i) % RANKS_PER_SUIT] + SUITS[suit] for i in range(count))


def _check_pile(rules: Rules, index: int, pile: Sequence[str], capacity: int) -> None:
    """Refuses a pile that could outgrow the room that the state has for it."""
    if capacity == rules.deck_size:
        return
    codes = [card_code(card) for card in pile]
    ordered_from = len(codes) - 1
    while ordered_from > 0 and may_lie_on(rules, codes[ordered_from], codes[ordered_from - 1]):
        ordered_from -= 1
    allowed = max(rules.pile_heights) + OUT_OF_ORDER_CARDS - 1
    if ordered_from > allowed:
        raise ValueError(f"pile {index} has {ordered_from} cards beneath its run: at most {allowed} in this game")


def _pile_text(pile: Sequence[str]) -> str:
    return "".join(pile) or "-"


def _piles_text(piles: Sequence[Sequence[str]]) -> str:
    return "/".join(_pile_text(pile) for pile in piles)


def _read_pile(text: str) -> Cards:
    if text == "-":
        return ()
    if len(text) % 2 or not text:
        raise ValueError(f"cannot read the cards {text!r}: two letters a card, '-' for none")
    return tuple(card_text(card_code(text[i : i + 2])) for i in range(0, len(text), 2))
