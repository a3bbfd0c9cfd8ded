"""How promising a position looks: a weighted sum of what was seen to matter, in any game of the family.

The search compares positions at the same point of the same pass through the stock only, so that the sum need not tell
what a card still to come is worth. A *conflict* is a card that lies on a card of its suit which must go to the
foundation first: one of the two has to find another place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.fitting import run_length
from solitaire_env.layout import (
    BASE_RANK,
    DECKS,
    FOUNDATION_COUNTS,
    MAY_LIE_ON,
    PILES,
    REDEALS_LEFT,
    RESERVE,
    SIZES,
    SPACE_CARDS,
    WASTE,
    Spec,
    State,
)
from solitaire_env.rules import Rules
from solitaire_env.stacks import address

Weights = NDArray[np.float32]

WEIGHTS = (
    "foundation",  # a card on a foundation
    "lead",  # square of the cards on a foundation, in thirteenths: whether some should be ahead of others
    "waste",  # a card in the waste on the last pass ...
    "waste_early",  # ... and while there are redeals
    "waste_conflict",  # a conflict in the waste on the last pass ...
    "waste_conflict_early",  # ... and while there are redeals
    "reserve",
    "reserve_conflict",
    "space",
    "run",  # a card that lies in order on the one beneath it
    "junction",  # a card beneath a run
    "pile_conflict",
    "depth",  # a card on top of one that a foundation takes next
    "head",  # rank of the deepest card of a run, counted from the foundation's base
    "landing",  # a kind of card that fits a pile
    "move",  # a move on the way here
)
(
    FOUNDATION_CARD,
    LEAD,
    WASTE_CARD,
    WASTE_EARLY,
    WASTE_CONFLICT,
    WASTE_CONFLICT_EARLY,
    RESERVE_CARD,
    RESERVE_CONFLICT,
    SPACE,
    RUN,
    JUNCTION,
    PILE_CONFLICT,
    DEPTH,
    HEAD,
    LANDING,
    MOVE,
) = range(len(WEIGHTS))

_TUNED: dict[tuple[str, int], dict[str, float]] = {
    ("suit", 1): {
        "foundation": 4.9, "waste": -0.9, "waste_early": -0.2, "waste_conflict": -8, "reserve": -4, "space": 4,
        "run": 1.5, "junction": -0.7, "pile_conflict": -4, "depth": -0.03, "move": -0.1,
    },
    ("alternating", 1): {
        "foundation": 3.74, "lead": -0.51, "waste": -6.31, "waste_early": -0.49, "waste_conflict": -6.63,
        "reserve": -3.1, "reserve_conflict": 0.04, "space": 1.07, "run": 0.63, "pile_conflict": -1.32,
        "depth": -0.37, "head": 0.44, "move": -0.5,
    },
    ("suit", 2): {
        "foundation": 0.9, "lead": -0.24, "waste": -3.2, "waste_early": -0.2, "waste_conflict": -0.6,
        "reserve": -1.3, "space": 1.25, "run": 0.5, "junction": -0.5, "pile_conflict": -1, "depth": -0.11,
        "head": 0.06, "landing": -0.18, "move": -0.05,
    },
    ("alternating", 2): {
        "foundation": 3.65, "lead": 0.02, "waste": -2.6, "waste_early": -0.1, "waste_conflict": -2.25,
        "reserve": -1.76, "reserve_conflict": -0.07, "space": 3.46, "run": 0.64, "junction": -0.4,
        "pile_conflict": -0.98, "depth": 0.15, "move": -0.57,
    },
}  # fmt: skip
"""By build and decks: found by hill climbing on training deals, with the wins of narrow searches as the measure."""


def weights_for(rules: Rules) -> Weights:
    """Returns the weights of an evaluation, in the order of ``WEIGHTS``, that suit the rules."""
    tuned = _TUNED[rules.build, rules.decks]
    return np.array([tuned.get(name, 0) for name in WEIGHTS], np.float32)


@jit
def _conflicts(spec: Spec, state: State, location: int, size: int) -> int:
    """Number of cards among the lowest ``size`` of a stack that lie on an earlier-needed card of their own suit."""
    at = address(spec, location, 0)
    lowest = np.int64(0x0F0F0F0F)  # of each suit, a byte each, the earliest rank so far
    conflicts = 0
    for height in range(size):
        card = np.int64(state[at + height])
        suit = card // 13
        rank = card - 13 * suit - spec[BASE_RANK]
        if rank < 0:
            rank += 13
        low = (lowest >> (8 * suit)) & 15
        if rank > low:
            conflicts += 1
        else:
            lowest -= (low - rank) << (8 * suit)
    return conflicts


@jit
def _depth(spec: Spec, state: State, location: int, size: int, needed: int) -> int:
    """Cards on top of those that a foundation takes next, summed over these."""
    at = address(spec, location, 0)
    depth = 0
    for height in range(size):
        depth += ((needed >> state[at + height]) & 1) * (size - 1 - height)
    return depth


@jit
def _bit_count(bits: int) -> int:
    """Number of bits set."""
    bits = bits - ((bits >> 1) & 0x5555555555555555)
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((bits * 0x0101010101010101) >> 56) & 0x7F


@jit
def evaluate(spec: Spec, state: State, weights: Weights) -> float:
    """How promising a position looks: the higher, the more."""
    cards, lead, needed, gone = _read_foundations(spec, state)
    score = weights[FOUNDATION_CARD] * cards + weights[LEAD] * lead / 13
    waste = np.int64(state[SIZES + WASTE])
    conflicts = _conflicts(spec, state, WASTE, waste)
    if state[REDEALS_LEFT] != 0:
        score += weights[WASTE_EARLY] * waste + weights[WASTE_CONFLICT_EARLY] * conflicts
    else:
        score += weights[WASTE_CARD] * waste + weights[WASTE_CONFLICT] * conflicts
        score += weights[DEPTH] * _depth(spec, state, WASTE, waste, needed)
    reserve = np.int64(state[SIZES + RESERVE])
    if reserve > 0:
        score += weights[RESERVE_CARD] * reserve
        score += weights[RESERVE_CONFLICT] * _conflicts(spec, state, RESERVE, reserve)
        score += weights[DEPTH] * _depth(spec, state, RESERVE, reserve, needed)
    return score + _evaluate_piles(spec, state, weights, needed, gone)


@jit
def _read_foundations(spec: Spec, state: State) -> tuple[int, int, int, int]:
    """Cards, sum of the squares, bit set of the cards taken next, bit set of the cards of which every copy is up."""
    cards = 0
    lead = 0
    needed = np.int64(0)
    gone = np.int64(0)
    for suit in range(4):
        lowest = np.int64(13)
        for foundation in range(suit * spec[DECKS], (suit + 1) * spec[DECKS]):
            count = np.int64(state[FOUNDATION_COUNTS + foundation])
            cards += count
            lead += count * count
            lowest = min(lowest, count)
            if count < 13:
                rank = count + spec[BASE_RANK]
                if rank >= 13:
                    rank -= 13
                needed |= np.int64(1) << (suit * 13 + rank)
        ranks = ((np.int64(1) << lowest) - 1) << spec[BASE_RANK]
        gone |= ((ranks | (ranks >> 13)) & 0x1FFF) << (13 * suit)  # foundations go from K to A
    return cards, lead, needed, gone


@jit
def _evaluate_piles(spec: Spec, state: State, weights: Weights, needed: int, gone: int) -> float:
    score = np.float32(0)
    wanted = np.int64(0)
    for pile in range(spec[PILES]):
        size = np.int64(state[SIZES + pile])
        if size == 0:
            score += weights[SPACE]
            wanted |= spec[SPACE_CARDS]
            continue
        at = address(spec, pile, 0)
        wanted |= spec[MAY_LIE_ON + state[at + size - 1]]
        run = run_length(spec, state, pile)
        score += weights[RUN] * (run - 1)
        score += weights[HEAD] * ((np.int64(state[at + size - run]) + 26 - spec[BASE_RANK]) % 13)
        if run < size:
            score += weights[JUNCTION] * (size - run)
            score += weights[PILE_CONFLICT] * _conflicts(spec, state, pile, size)
            score += weights[DEPTH] * _depth(spec, state, pile, size, needed)
    return score + weights[LANDING] * _bit_count(wanted & ~gone)
