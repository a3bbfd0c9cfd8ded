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
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import foundation_for, run_length
from solitaire_env.hashing import card_word, pile_total, pile_word, position_hash
from solitaire_env.layout import FOUNDATION, FOUNDATION_COUNTS, MAY_LIE_ON, PILES, RESERVE, SIZES, Spec, State
from solitaire_env.solver.facts import EXCHANGES, Facts
from solitaire_env.stacks import LOG_ALL, LOG_ENTRY, Log, address

Totals = NDArray[np.uint64]
"""Of each pile, the sum of the words of its cards, up to the head where ends are exchanged; 0 of an empty one."""

_TOPS = 2 * FOUNDATION  # a place that position_hash does not use


@jit
def position_key(spec: Spec, facts: Facts, state: State, totals: Totals) -> np.uint64:
    """The key of a position, from scratch; writes the totals of its piles, ``spec[PILES]`` of them."""
    key = position_hash(spec, state)
    for pile in range(spec[PILES]):
        height = state[SIZES + pile]
        totals[pile] = pile_total(spec, state, pile, height)
        if facts[EXCHANGES] and height > 0:
            key -= pile_word(totals[pile])
            totals[pile] = pile_total(spec, state, pile, height - run_length(spec, state, pile) + 1)
            key += pile_word(totals[pile]) + card_word(_TOPS, 0, state[address(spec, pile, height - 1)])
    return key


@jit_inline
def child_key(
    spec: Spec, facts: Facts, parent: State, key: np.uint64, child: State, log: Log, totals: Totals
) -> np.uint64:
    """The key of ``child``, which the move logged in ``log`` made of ``parent``, whose key is ``key``.

    ``totals`` are those of the parent and become those of the child.
    """
    if log[0] == LOG_ALL:
        return position_key(spec, facts, child, totals)
    for at in range(1, 1 + LOG_ENTRY * np.int64(log[0]), LOG_ENTRY):
        source, height = np.int64(log[at]), np.int64(log[at + 1])
        target, landing = np.int64(log[at + 2]), np.int64(log[at + 3])
        count, card = np.int64(log[at + 4]), np.int64(log[at + 5])
        if source < RESERVE and facts[EXCHANGES]:
            key += _cut_run(spec, parent, source, height, height + count, totals)
        elif source < RESERVE:
            before = totals[source]
            totals[source] = before - _words(spec, child, card, height, target, landing, count)
            left = pile_word(totals[source])
            key += (left if height > 0 else np.uint64(0)) - pile_word(before)
        elif source == FOUNDATION:
            key -= _foundation_step(spec, child, card)
        else:
            key -= card_word(source, height, card)
        if target < RESERVE and facts[EXCHANGES]:
            key += _extend_run(spec, child, target, landing, landing + count, totals)
        elif target < RESERVE:
            before = pile_word(totals[target])
            totals[target] += _words(spec, child, card, landing, target, landing, count)
            key += pile_word(totals[target]) - (before if landing > 0 else np.uint64(0))
        elif target == FOUNDATION:
            key += _foundation_step(spec, parent, card)
        else:
            key += card_word(target, landing, card)
    return key


@jit_inline
def _words(spec: Spec, child: State, card: int, height: int, target: int, landing: int, count: int) -> np.uint64:
    """Sum of the words that the moved cards, ``card`` and those above it, have or had in a pile from a height on."""
    words = card_word(0, height, card)
    for i in range(1, count):  # then they have gone to a pile, and lie there
        words += card_word(0, height + i, child[address(spec, target, landing + i)])
    return words


@jit
def _cut_run(spec: Spec, parent: State, pile: int, height: int, size: int, totals: Totals) -> np.uint64:
    """Change of the key when a pile of ``size`` cards loses those from ``height`` on, which lie in order."""
    at = address(spec, pile, 0)
    change = -card_word(_TOPS, 0, parent[at + size - 1])
    if height > 0:
        change += card_word(_TOPS, 0, parent[at + height - 1])
    head = size - run_length(spec, parent, pile)
    if height > head:
        return change
    change -= pile_word(totals[pile])
    if height == 0:
        totals[pile] = np.uint64(0)
        return change
    in_order = True
    while in_order:  # down to the head of what is left
        totals[pile] -= card_word(0, head, parent[at + head])
        head -= 1
        in_order = head > 0 and (spec[MAY_LIE_ON + parent[at + head - 1]] >> np.int64(parent[at + head])) & 1 != 0
    return change + pile_word(totals[pile])


@jit_inline
def _extend_run(spec: Spec, child: State, pile: int, landing: int, size: int, totals: Totals) -> np.uint64:
    """Change of the key when a pile gets the cards from ``landing`` on, which lie in order on those beneath."""
    at = address(spec, pile, 0)
    change = card_word(_TOPS, 0, child[at + size - 1])
    if landing > 0:
        return change - card_word(_TOPS, 0, child[at + landing - 1])
    totals[pile] = card_word(0, 0, child[at])
    return change + pile_word(totals[pile])


@jit_inline
def _foundation_step(spec: Spec, before: State, card: int) -> np.uint64:
    """Change of the key when ``card`` goes to the foundation that takes it in the position ``before``."""
    foundation = foundation_for(spec, before, card)
    count = np.int64(before[FOUNDATION_COUNTS + foundation])
    return card_word(FOUNDATION + foundation, 0, count + 1) - card_word(FOUNDATION + foundation, 0, count)
