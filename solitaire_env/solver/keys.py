"""The key of a position in the solver's tables: a 64-bit hash, kept up to date move by move.

Where nothing else is said it is ``hashing.position_hash``, which ignores the order of the piles. Hashing a whole
position costs more than the move that made it; a move touches a pile or two and the tops of other places, so the key
of a child is the parent's, less the words of what the move took away, plus the words of what it put there.

Exchanged ends (``facts[EXCHANGES]``: two decks, piles built in suit, any suffix moves, no corner to turn). Let a
pile's *head* be the deepest card of its run and its *top* the last. If two runs of a suit share a rank, say the one
whose top is the higher ends at rank r, the other has a card of rank r with lower cards above it: these may move to
the first run, and back. So the two positions, which differ only in which top belongs to which head, can be reached
from each other by moves that empty no pile and touch nothing else. More generally all ways of giving a suit's tops to
its heads can be reached from each other: go down the ranks; at each rank some of the runs that are still open end
there, and if two ways differ first in which of two open runs ends at rank r, one exchange of the kind above makes the
one like the other there. All these positions therefore are won together or lost together, and share a key: of a pile
it takes the cards up to the head, and, by itself, the top. What can be played from one of them but not from another
is seen to in ``moves.follow``.
"""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.fitting import run_length
from solitaire_env.hashing import card_word, pile_total, pile_word, position_hash
from solitaire_env.layout import FOUNDATION, FOUNDATION_COUNTS, FOUNDATIONS, PILES, RESERVE, SIZES, Spec, State
from solitaire_env.solver.facts import EXCHANGES, Facts
from solitaire_env.stacks import LOG_ALL, LOG_ENTRY, Log, address

_TOPS = 2 * FOUNDATION  # a place that position_hash does not use


@jit
def position_key(spec: Spec, facts: Facts, state: State) -> np.uint64:
    """The key of a position, from scratch."""
    key = position_hash(spec, state)
    if facts[EXCHANGES]:
        for pile in range(spec[PILES]):
            height = state[SIZES + pile]
            if height > 0:
                key += _pile_part(spec, facts, state, pile) - pile_word(pile_total(spec, state, pile, height))
    return key


@jit
def child_key(spec: Spec, facts: Facts, parent: State, key: np.uint64, child: State, log: Log) -> np.uint64:
    """The key of ``child``, which the move logged in ``log`` made of ``parent``, whose key is ``key``."""
    if log[0] == LOG_ALL:
        return position_key(spec, facts, child)
    touched = np.int64(0)
    for entry in range(log[0]):
        touched |= np.int64(1) << np.int64(log[1 + LOG_ENTRY * entry])
        touched |= np.int64(1) << np.int64(log[3 + LOG_ENTRY * entry])
    location = 0
    while touched:
        if touched & 1:
            if location < RESERVE:
                key += _pile_part(spec, facts, child, location) - _pile_part(spec, facts, parent, location)
            elif location == FOUNDATION:
                key += _foundation_change(spec, parent, child)
            else:
                key += _top_change(spec, parent, child, location)
        touched >>= 1
        location += 1
    return key


@jit
def _pile_part(spec: Spec, facts: Facts, state: State, pile: int) -> np.uint64:
    height = state[SIZES + pile]
    if height == 0:
        return np.uint64(0)
    if not facts[EXCHANGES]:
        return pile_word(pile_total(spec, state, pile, height))
    to_head = height - run_length(spec, state, pile) + 1
    top = state[address(spec, pile, height - 1)]
    return pile_word(pile_total(spec, state, pile, to_head)) + card_word(_TOPS, 0, top)


@jit
def _foundation_change(spec: Spec, parent: State, child: State) -> np.uint64:
    change = np.uint64(0)
    for foundation in range(spec[FOUNDATIONS]):
        before, after = parent[FOUNDATION_COUNTS + foundation], child[FOUNDATION_COUNTS + foundation]
        if before != after:
            place = FOUNDATION + foundation
            change += card_word(place, 0, after) - card_word(place, 0, before)
    return change


@jit
def _top_change(spec: Spec, parent: State, child: State, location: int) -> np.uint64:
    """Change of a stack that a move either only took cards from or only gave cards to."""
    before, after = parent[SIZES + location], child[SIZES + location]
    change = np.uint64(0)
    for height in range(after, before):
        change -= card_word(location, height, parent[address(spec, location, height)])
    for height in range(before, after):
        change += card_word(location, height, child[address(spec, location, height)])
    return change
