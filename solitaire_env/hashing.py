"""A 64-bit hash of a position that ignores the order of the piles and which copy of a card is where.

Each card stirs in as one mixed word of its code, location and height, and words are added. A pile's words are added
first and their sum is mixed again, without the pile's index, so that exchanging piles changes nothing. Copies share a
code. What the player knows of the stock is no part of the position. Two given positions collide with a probability of
about 2^-64.
"""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.dealing import mix64
from solitaire_env.layout import (
    FOUNDATION,
    FOUNDATION_COUNTS,
    FOUNDATIONS,
    PILES,
    REDEALS_LEFT,
    RESERVE,
    SIZES,
    STOCK,
    WASTE,
    Spec,
    State,
)
from solitaire_env.stacks import address

# Every stack gets a number of its own above the 128 heights and 64 cards; piles share number 0.
_PLACE = 1 << 13
_PILE_SALT = np.uint64(0xD1B54A32D192ED03)


@jit
def card_word(place: int, height: int, card: int) -> np.uint64:
    """The word of a card (a count, for foundations) at a height of a place."""
    return mix64(np.uint64(1 + np.int64(place) * _PLACE + np.int64(height) * 64 + np.int64(card)))


@jit
def pile_word(total: np.uint64) -> np.uint64:
    """The word of a pile whose cards' words add up to ``total``; an empty pile counts 0."""
    return mix64(total ^ _PILE_SALT)


@jit
def pile_total(spec: Spec, state: State, pile: int, height: int) -> np.uint64:
    """Sum of the words of the lowest ``height`` cards of a pile."""
    total = np.uint64(0)
    at = address(spec, pile, 0)
    for h in range(height):
        total += card_word(0, h, state[at + h])
    return total


@jit
def position_hash(spec: Spec, state: State) -> np.uint64:
    """The hash of a position, uint64."""
    total = card_word(FOUNDATION + FOUNDATION, 0, state[REDEALS_LEFT] + 1)
    for foundation in range(spec[FOUNDATIONS]):
        total += card_word(FOUNDATION + foundation, 0, state[FOUNDATION_COUNTS + foundation])
    for pile in range(spec[PILES]):
        height = state[SIZES + pile]
        if height > 0:
            total += pile_word(pile_total(spec, state, pile, height))
    for location in (RESERVE, WASTE, STOCK):
        for height in range(state[SIZES + location]):
            total += card_word(location, height, state[address(spec, location, height)])
    return total
