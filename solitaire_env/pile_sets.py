"""What each pile gives and takes, as bit sets of cards: kept up to date move by move, so that a mask is made of them.

A game has one int64 array of the shape ``(SETS, piles)``, *the pile sets*. A step changes two or three piles; the sets
of the others stay as they are, and nobody needs to look at their cards. ``find_pile_sets`` fills the array for a state
laid out afresh, ``update_pile_sets`` follows an action. They are no part of the position: whoever copies or writes a
state has to find them anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import run_length, suffix_may_move
from solitaire_env.layout import (
    AT_PILES,
    MAY_LIE_ON,
    MOVES,
    MOVES_ANY_SUFFIX,
    NO_CARD,
    PILE_CAPACITY,
    PILES,
    SIZES,
    Spec,
    State,
)
from solitaire_env.rules import MAX_PILES
from solitaire_env.stacks import LOG_ENTRY, Log

PileSets = NDArray[np.int64]
# The sets of a pile; an empty pile has no card in any of them.
TOP = 0  # its top card
TAKES = 1  # the cards that may be put on its top
GIVES = 2  # the deepest cards of the suffixes that may leave it together
GIVES_TWICE = 3  # those of them that are the deepest cards of two suffixes, which takes two decks and a long run
SETS = 4

WHOLE = np.int64(1) << NO_CARD
"""Added to ``GIVES`` when all cards of the pile may leave it together; no card has this bit."""


def make_pile_sets(spec: Spec, *shape: int) -> PileSets:
    """Returns room for the pile sets of a game, or of an array of games of the given shape."""
    return np.zeros((*shape, SETS, int(spec[PILES])), np.int64)


@jit
def find_pile_sets(spec: Spec, state: State, sets: PileSets) -> None:
    """Writes the sets of all piles."""
    for pile in range(spec[PILES]):
        _find_sets_of(spec, state, pile, sets)


@jit_inline
def update_pile_sets(spec: Spec, state: State, log: Log, sets: PileSets) -> None:
    """Brings the sets up to date with the action that ``log`` tells of."""
    entries = log[0]
    if entries < 0:
        find_pile_sets(spec, state, sets)
        return
    for at in range(1, 1 + entries * LOG_ENTRY, LOG_ENTRY):
        source, target = log[np.uint64(at)], log[np.uint64(at + 2)]
        if source < MAX_PILES:
            _find_sets_of(spec, state, source, sets)
        if target < MAX_PILES:
            _find_sets_of(spec, state, target, sets)


@jit_inline
def _find_sets_of(spec: Spec, state: State, pile: int, sets: PileSets) -> None:
    bottom = spec[AT_PILES] + pile * spec[PILE_CAPACITY]
    height = np.int64(state[np.uint64(SIZES + pile)])
    top = np.int64(NO_CARD)
    gives, twice = np.int64(0), np.int64(0)
    if height > 0:
        at = bottom + height - 1
        top = np.int64(state[np.uint64(at)])
        gives = np.int64(1) << top
        if spec[MOVES] == MOVES_ANY_SUFFIX:
            card = top
            while at > bottom:
                at -= 1
                under = np.int64(state[np.uint64(at)])
                if not (spec[np.uint64(MAY_LIE_ON + under)] >> card) & 1:
                    at += 1
                    break
                card = under
                twice |= gives & (np.int64(1) << card)
                gives |= np.int64(1) << card
        else:
            run = run_length(spec, state, pile)
            if run > 1 and suffix_may_move(spec, state, pile, run, run):
                at -= run - 1
                head = np.int64(1) << np.int64(state[np.uint64(at)])
                twice = gives & head
                gives |= head
        if at == bottom:
            gives |= WHOLE
    at_pile = np.uint64(pile)
    sets[TOP, at_pile] = (np.int64(1) << top) & (WHOLE - 1)
    sets[TAKES, at_pile] = spec[np.uint64(MAY_LIE_ON + top)]
    sets[GIVES, at_pile] = gives
    sets[GIVES_TWICE, at_pile] = twice


@jit_inline
def piles_with(spec: Spec, sets: PileSets, kind: int, cards: int) -> int:
    """Bit set of the piles whose set of a kind has one of the cards.

    Which piles these are is as good as random to the processor: the loop has no branches, and unsigned indices, which
    need no test for negative ones.
    """
    piles = 0
    for pile in range(spec[PILES]):
        piles |= int(sets[kind, np.uint64(pile)] & cards != 0) << pile
    return piles
