"""What fits where: foundations, runs and spaces, refills and moves that change nothing. All compiled."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.layout import (
    AT_PILES,
    BASE_RANK,
    BIT_NUMBER,
    DE_BRUIJN,
    DECKS,
    FOUNDATION_COUNTS,
    FOUNDATIONS,
    MAY_LIE_ON,
    MOVES,
    MOVES_ANY_SUFFIX,
    MOVES_SINGLE,
    MOVES_TOP_OR_RUN,
    PILE_CAPACITY,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_NONE,
    REFILL_RESERVE,
    REFILL_STOCK,
    RESERVE,
    SIZES,
    STOCK,
    WASTE,
    Spec,
    State,
)
from solitaire_env.stacks import address


@jit
def foundation_for(spec: Spec, state: State, card: int) -> int:
    """The foundation that takes the card, or -1. Of two equal ones the first (G9), so that the longer stays first."""
    suit = card // 13
    needed = card - 13 * suit - spec[BASE_RANK]
    if needed < 0:
        needed += 13
    first = suit * spec[DECKS]
    for foundation in range(first, first + spec[DECKS]):
        if state[FOUNDATION_COUNTS + foundation] == needed:
            return foundation
    return -1


@jit
def suit_of(spec: Spec, foundation: int) -> int:
    """The suit of a foundation."""
    return foundation >> (spec[DECKS] - 1)  # a division would cost as much as the rest of a move's legality


@jit
def foundation_top(spec: Spec, state: State, foundation: int) -> int:
    """The top card of a foundation that is not empty."""
    rank = spec[BASE_RANK] + state[FOUNDATION_COUNTS + foundation] - 1
    if rank >= 13:
        rank -= 13
    return suit_of(spec, foundation) * 13 + rank


@jit
def foundation_may_return(spec: Spec, state: State, foundation: int) -> bool:
    """Whether the foundation's top card may be taken back; of two equal ones only the second is a source (G9)."""
    at = FOUNDATION_COUNTS + foundation
    last_of_suit = foundation & (spec[DECKS] - 1) == spec[DECKS] - 1
    return (state[at] > 0) & (last_of_suit | (state[at + 1] != state[at]))  # without branches, as good as random


@jit
def foundation_cards(spec: Spec, state: State) -> int:
    """Number of cards on all foundations."""
    total = 0
    for foundation in range(spec[FOUNDATIONS]):
        total += state[FOUNDATION_COUNTS + foundation]
    return total


@jit
def first_space(spec: Spec, state: State) -> int:
    """The first empty pile, the one offered of several (G8), or -1."""
    for pile in range(spec[PILES]):
        if state[SIZES + pile] == 0:
            return pile
    return -1


@jit
def run_length(spec: Spec, state: State, pile: int) -> int:
    """Number of cards in the longest suffix of a pile in which each card may lie on the one beneath it."""
    height = state[SIZES + pile]
    if height == 0:
        return 0
    at = spec[AT_PILES] + pile * spec[PILE_CAPACITY]
    bottom = height - 1
    while bottom > 0 and (spec[MAY_LIE_ON + state[at + bottom - 1]] >> state[at + bottom]) & 1:
        bottom -= 1
    return height - bottom


@jit
def suffix_may_move(spec: Spec, state: State, pile: int, run: int, count: int) -> bool:
    """Whether the top ``count`` cards of a pile whose run has ``run`` cards may leave it together (C4, S5, V4)."""
    moves = spec[MOVES]
    if count > run or count < 1:
        return False
    if moves == MOVES_ANY_SUFFIX or count == 1:
        return True
    if moves == MOVES_SINGLE or count != run:
        return False
    return moves == MOVES_TOP_OR_RUN or run == state[SIZES + pile]


@jit
def slot_of(spec: Spec, state: State, pile: int, run: int, count: int, fitting: int) -> int:
    """How many shorter movable suffixes of the pile begin with a card of the bit set ``fitting``."""
    top = address(spec, pile, state[SIZES + pile] - 1)
    slot = 0
    for shorter in range(1, count):
        if suffix_may_move(spec, state, pile, run, shorter) and (fitting >> state[top + 1 - shorter]) & 1:
            slot += 1
    return slot


@jit
def cards_in_slot(spec: Spec, state: State, pile: int, slot: int, fitting: int) -> int:
    """Number of cards in the ``slot``-th movable suffix, shortest first, that begins with one of ``fitting``.

    There must be one, as there is for a legal action.
    """
    top = address(spec, pile, state[SIZES + pile] - 1)
    if spec[MOVES] != MOVES_ANY_SUFFIX:
        return 1 if slot == 0 and (fitting >> state[top]) & 1 else run_length(spec, state, pile)
    count = 1
    while True:
        if (fitting >> state[np.uint64(top + 1 - count)]) & 1:
            if slot == 0:
                return count
            slot -= 1
        count += 1


@jit
def refill_follows(spec: Spec, state: State) -> bool:
    """Whether a pile that is emptied now would be filled again at once (Y5, V5)."""
    refill = spec[REFILL]
    if refill == REFILL_NONE:
        return False
    if refill == REFILL_RESERVE:
        return state[SIZES + RESERVE] > 0
    return state[SIZES + STOCK] > 0 or (refill != REFILL_STOCK and state[SIZES + WASTE] > 0)


@jit
def swaps_twins(spec: Spec, state: State, source: int, target: int, count: int) -> int:
    """Whether moving the cards only exchanges the roles of two piles that are alike beneath them (G8, two decks)."""
    left = state[SIZES + source] - count
    if left != state[SIZES + target]:
        return False
    a, b = address(spec, source, 0), address(spec, target, 0)
    for height in range(left - 1, -1, -1):
        if state[a + height] != state[b + height]:
            return False
    return True


@jit
def bit_count(bits: int) -> int:
    """Number of cards in a bit set."""
    bits -= (bits >> 1) & 0x5555555555555555  # in two bits, how many of the two were set; without a loop, whose end
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)  # could not be foreseen
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    bits += bits >> 8
    bits += bits >> 16
    return (bits + (bits >> 32)) & 0x7F


@jit
def bit_number(spec: Spec, bits: int) -> int:
    """The number of the lowest bit that is set, of bits 0 to 15; without a loop, whose end could not be foreseen."""
    return spec[BIT_NUMBER + (((bits & -bits) * DE_BRUIJN & 0xFFFF) >> 12)]


@jit
def needed_cards(spec: Spec, state: State) -> int:
    """Bit set of the cards that a foundation takes next."""
    needed = np.int64(0)
    for foundation in range(spec[FOUNDATIONS]):
        count = np.int64(state[FOUNDATION_COUNTS + foundation])
        rank = spec[BASE_RANK] + count
        if rank >= 13:
            rank -= 13
        card = suit_of(spec, foundation) * 13 + rank
        needed |= np.int64(count < 13) << card
    return needed


@jit
def may_deal(state: State) -> bool:
    """Whether cards may be dealt (G3) or the waste turned over (G4)."""
    return state[SIZES + STOCK] > 0 or (state[SIZES + WASTE] > 0 and state[REDEALS_LEFT] != 0)
