"""The key of a position in the solver's tables: ``hashing.position_hash``, kept up to date move by move.

Hashing a whole position costs more than the move that made it. A move touches a pile or two and the top of the talon,
so the key of a child is the parent's, less the words of the places that the move touched, plus their new words.
"""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.hashing import card_word, pile_total, pile_word, position_hash
from solitaire_env.layout import FOUNDATION, FOUNDATION_COUNTS, FOUNDATIONS, RESERVE, SIZES
from solitaire_env.stacks import LOG_ALL, LOG_ENTRY, address


@jit
def position_key(spec, state):
    """The key of a position, from scratch."""
    return position_hash(spec, state)


@jit
def child_key(spec, parent, key, child, log):
    """The key of ``child``, which a move logged in ``log`` made of ``parent``, whose key is ``key``."""
    if log[0] == LOG_ALL:
        return position_key(spec, child)
    touched = np.int64(0)
    for entry in range(log[0]):
        touched |= np.int64(1) << log[1 + LOG_ENTRY * entry]
        touched |= np.int64(1) << log[3 + LOG_ENTRY * entry]
    location = 0
    while touched:
        if touched & 1:
            if location < RESERVE:
                key += _pile_part(spec, child, location) - _pile_part(spec, parent, location)
            elif location == FOUNDATION:
                key += _foundation_change(spec, parent, child)
            else:
                key += _top_change(spec, parent, child, location)
        touched >>= 1
        location += 1
    return key


@jit
def _pile_part(spec, state, pile):
    height = state[SIZES + pile]
    return pile_word(pile_total(spec, state, pile, height)) if height > 0 else np.uint64(0)


@jit
def _foundation_change(spec, parent, child):
    change = np.uint64(0)
    for foundation in range(spec[FOUNDATIONS]):
        before, after = parent[FOUNDATION_COUNTS + foundation], child[FOUNDATION_COUNTS + foundation]
        if before != after:
            place = FOUNDATION + foundation
            change += card_word(place, 0, after) - card_word(place, 0, before)
    return change


@jit
def _top_change(spec, parent, child, location):
    """Change of a stack that a move either only took cards from or only gave cards to."""
    before, after = parent[SIZES + location], child[SIZES + location]
    change = np.uint64(0)
    for height in range(after, before):
        change -= card_word(location, height, parent[address(spec, location, height)])
    for height in range(before, after):
        change += card_word(location, height, child[address(spec, location, height)])
    return change
