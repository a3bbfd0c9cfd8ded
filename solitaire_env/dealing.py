"""Numbered deals: one integer is one deal, on every platform and with every library version, for ever (G1).

The generator is SplitMix64 with the deal number as its seed; each card index is drawn without bias, by rejection, in a
Fisher-Yates shuffle that goes from the last card down to the second. The deck before the shuffle is one deck after
another, suit by suit (S H D C), ace to king, without the cards that start on the foundations. The shuffled cards go
first to the reserve, then to the piles, one whole pile after another, and the rest, in order, to the stock: its first
card is drawn first. It rests on no random stream of NumPy.
"""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.layout import (
    AT_PILES,
    AT_TALON,
    BASE_RANK,
    DEALT_FOUNDATIONS,
    DECK_SIZE,
    DECKS,
    FOUNDATION_COUNTS,
    FOUNDATIONS,
    HEIGHTS,
    PILES,
    REDEALS,
    REDEALS_LEFT,
    RESERVE,
    RESERVE_DEALT,
    SIZES,
    STATE_HEAD,
    STATE_SIZE,
    STOCK,
    Spec,
    State,
)
from solitaire_env.stacks import address

FIRST_TRAINING_DEAL = 1_000_000
"""Deals below this number are for evaluation; a reset without a deal number never draws one."""

DEAL_LIMIT = 2**63 - 1
"""Deal numbers are 0 to ``DEAL_LIMIT - 1``."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""What SplitMix64 adds to its state for each number."""
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_HIGHEST = np.uint64(0xFFFFFFFFFFFFFFFF)


def new_deal(spec: Spec, deal: int) -> State:
    """Returns a state with deal number ``deal`` laid out."""
    state = np.zeros(spec[STATE_SIZE], np.int8)
    deal_cards(spec, state, deal)
    return state


@jit
def mix64(x: np.uint64) -> np.uint64:
    """SplitMix64's output function: a bijection of 64-bit words in which every input bit stirs every output bit."""
    x = np.uint64(x)
    x = (x ^ (x >> _S30)) * _MIX_1
    x = (x ^ (x >> _S27)) * _MIX_2
    return x ^ (x >> _S31)


@jit
def deal_cards(spec: Spec, state: State, deal: int) -> None:
    """Lays out deal number ``deal`` in ``state``; all of the row that counts is written."""
    state[:STATE_HEAD] = 0
    state[REDEALS_LEFT] = spec[REDEALS]
    deck = spec[AT_TALON]  # the talon has room for the whole deck: shuffle there, then take cards from its left
    size = 0
    for _ in range(spec[DECKS]):
        for card in range(52):
            if not (spec[DEALT_FOUNDATIONS] and card % 13 == spec[BASE_RANK]):
                state[deck + size] = card
                size += 1
    if spec[DEALT_FOUNDATIONS]:
        for foundation in range(spec[FOUNDATIONS]):
            state[FOUNDATION_COUNTS + foundation] = 1
    _shuffle(state, deck, size, deal)

    dealt = 0
    for height in range(spec[RESERVE_DEALT]):
        state[address(spec, RESERVE, height)] = state[deck + dealt]
        dealt += 1
    state[SIZES + RESERVE] = spec[RESERVE_DEALT]
    for pile in range(spec[PILES]):
        for height in range(spec[HEIGHTS + pile]):
            state[address(spec, pile, height)] = state[deck + dealt]
            dealt += 1
        state[SIZES + pile] = spec[HEIGHTS + pile]
    stock = size - dealt
    state[SIZES + STOCK] = stock
    gap = spec[DECK_SIZE] - size  # the stock lies at the right end of the talon
    if gap > 0:
        for at in range(spec[AT_PILES] - 1, spec[AT_PILES] - 1 - stock, -1):
            state[at] = state[at - gap]


@jit
def _shuffle(state: State, first: int, size: int, seed: int) -> None:
    word = np.uint64(seed)
    for last in range(size - 1, 0, -1):
        choices = np.uint64(last + 1)
        unbiased = _HIGHEST - _HIGHEST % choices  # a multiple of choices
        while True:
            word += GOLDEN
            draw = mix64(word)
            if draw < unbiased:
                break
        other = first + np.int64(draw % choices)
        card = state[first + last]
        state[first + last] = state[other]
        state[other] = card
