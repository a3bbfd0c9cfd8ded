"""How promising a position looks."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.fitting import foundation_cards
from solitaire_env.layout import (
    BASE_RANK,
    DECKS,
    FOUNDATION_COUNTS,
    MAY_LIE_ON,
    PILES,
    REDEALS_LEFT,
    RESERVE,
    SIZES,
    STOCK,
    WASTE,
)
from solitaire_env.stacks import address

(
    W_FOUNDATION,
    W_WASTE,
    W_WASTE_CONFLICT,
    W_PILE_CONFLICT,
    W_SPACE,
    W_JUNCTION,
    W_RESERVE,
    W_RUN,
    W_DEPTH,
    W_LOW,
    W_WASTE_EARLY,
    N_WEIGHTS,
) = range(12)


@jit
def _stack_conflicts(spec, state, location):
    """Cards that lie on an earlier-needed card of their own suit."""
    size = np.int64(state[SIZES + location])
    if size < 2:
        return 0
    at = address(spec, location, 0)
    step = 1 if location != STOCK else -1
    base = spec[BASE_RANK]
    lowest = np.int64(0x0F0F0F0F)  # one byte a suit
    count = 0
    for h in range(size):
        card = np.int64(state[at + step * h])
        suit = card // 13
        rank = card - 13 * suit - base
        if rank < 0:
            rank += 13
        low = (lowest >> (8 * suit)) & 15
        if rank > low:
            count += 1
        elif rank < low:
            lowest += (rank - low) << (8 * suit)
    return count


@jit
def evaluate(spec, state, weights):
    score = weights[W_FOUNDATION] * foundation_cards(spec, state)
    early = state[REDEALS_LEFT] != 0
    if early:
        score -= weights[W_WASTE_EARLY] * (state[SIZES + WASTE])
    else:
        score -= weights[W_WASTE] * state[SIZES + WASTE]
        score -= weights[W_WASTE_CONFLICT] * _stack_conflicts(spec, state, WASTE)
    score -= weights[W_RESERVE] * state[SIZES + RESERVE]
    needed = np.int64(0)
    lowest = 13
    for suit in range(4):
        rank = np.int64(state[FOUNDATION_COUNTS + suit * spec[DECKS] + spec[DECKS] - 1])
        lowest = min(lowest, rank)
        if rank < 13:
            rank += spec[BASE_RANK]
            if rank >= 13:
                rank -= 13
            needed |= np.int64(1) << (suit * 13 + rank)
        if spec[DECKS] == 2:
            rank = np.int64(state[FOUNDATION_COUNTS + suit * 2])
            if rank < 13:
                rank += spec[BASE_RANK]
                if rank >= 13:
                    rank -= 13
                needed |= np.int64(1) << (suit * 13 + rank)
    spaces = 0
    junctions = 0
    runs = 0
    conflicts = 0
    depth = 0
    for pile in range(spec[PILES]):
        size = np.int64(state[SIZES + pile])
        if size == 0:
            spaces += 1
            continue
        at = address(spec, pile, 0)
        bottom = size - 1
        while bottom > 0 and (spec[MAY_LIE_ON + state[at + bottom - 1]] >> state[at + bottom]) & 1:
            bottom -= 1
        runs += size - 1 - bottom
        if bottom > 0:
            junctions += bottom
            conflicts += _stack_conflicts(spec, state, pile)
            for h in range(bottom):
                if (needed >> state[at + h]) & 1:
                    depth += size - 1 - h
    if not early:
        size = np.int64(state[SIZES + WASTE])
        at = address(spec, WASTE, 0)
        for h in range(size):
            if (needed >> state[at + h]) & 1:
                depth += size - 1 - h
    score += weights[W_SPACE] * spaces + weights[W_RUN] * runs
    score -= weights[W_JUNCTION] * junctions + weights[W_PILE_CONFLICT] * conflicts + weights[W_DEPTH] * depth
    return score + weights[W_LOW] * lowest
