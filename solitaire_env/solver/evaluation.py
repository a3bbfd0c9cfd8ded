"""How promising a position looks: a weighted sum of what was seen to matter, in any game of the family.

The search compares positions at the same point of the same pass through the stock only, so that the sum need not tell
what a card still to come is worth. A *conflict* is a card that lies on a card of its suit which must go to the
foundation first: one of the two has to find another place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import bit_count, needed_cards
from solitaire_env.layout import (
    BASE_RANK,
    FOUNDATION_COUNTS,
    FOUNDATIONS,
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
from solitaire_env.solver.foundations import SUIT, gone_cards
from solitaire_env.stacks import LOG_ALL, LOG_ENTRY, Log, address

Weights = NDArray[np.float32]
Parts = NDArray[np.float64]
"""What each pile, the reserve and the waste contribute to a position's score, and the sum of it."""
CardSets = NDArray[np.int64]
"""The cards of each pile, the reserve and the waste, as bit sets."""

_ASIDE = 2  # the stacks besides the piles: reserve and waste

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


def new_parts(spec: Spec, positions: int) -> tuple[Parts, CardSets]:
    """Returns room for what ``evaluate_child`` wants to know of so many positions."""
    stacks = int(spec[PILES]) + _ASIDE
    return np.empty((positions, stacks + 1)), np.empty((positions, stacks), np.int64)


def weights_for(rules: Rules) -> Weights:
    """Returns the weights of an evaluation, in the order of ``WEIGHTS``, that suit the rules."""
    tuned = _TUNED[rules.build, rules.decks]
    return np.array([tuned.get(name, 0) for name in WEIGHTS], np.float32)


@jit
def evaluate(spec: Spec, state: State, weights: Weights) -> float:
    """How promising a position looks: the higher, the more."""
    needed = needed_cards(spec, state)
    score = 0.0
    for stack in range(spec[PILES] + _ASIDE):
        score += _evaluate_stack(spec, state, weights, stack, needed)[0]
    return score + _evaluate_whole(spec, state, weights)


@jit
def evaluate_parts(spec: Spec, state: State, weights: Weights, parts: Parts, cards: CardSets) -> float:
    """As ``evaluate``; writes besides what ``evaluate_child`` wants to know of the position.

    Args:
        spec: The game.
        state: The position.
        weights: From ``weights_for``.
        parts: Receives what each stack contributes, and the sum.
        cards: Receives the cards of each stack, as bit sets.
    """
    needed = needed_cards(spec, state)
    stacks = spec[PILES] + _ASIDE
    parts[stacks] = 0
    for stack in range(stacks):
        parts[stack], cards[stack] = _evaluate_stack(spec, state, weights, stack, needed)
        parts[stacks] += parts[stack]
    return parts[stacks] + _evaluate_whole(spec, state, weights)


@jit
def evaluate_child(
    spec: Spec,
    parent: State,
    child: State,
    log: Log,
    weights: Weights,
    parts_before: Parts,
    cards_before: CardSets,
    parts: Parts,
    cards: CardSets,
) -> float:
    """As ``evaluate_parts`` of ``child``, which ``moves.follow`` made of ``parent``, with ``log`` as its log.

    ``parts_before`` and ``cards_before`` are those of the parent. The result is the very same, whatever the way to the
    child, for all sums of parts are exact: weights have 24 bits, and the numbers of cards few.
    """
    if log[0] == LOG_ALL:
        return evaluate_parts(spec, child, weights, parts, cards)
    for stack in range(spec[PILES] + _ASIDE):
        parts[stack], cards[stack] = parts_before[stack], cards_before[stack]
    parts[spec[PILES] + _ASIDE] = parts_before[spec[PILES] + _ASIDE]
    needed = needed_cards(spec, child)
    for at in range(1, 1 + LOG_ENTRY * np.int64(log[0]), LOG_ENTRY):
        for end in range(at, at + 4, 2):
            location = np.int64(log[end])
            if location <= WASTE:
                stack = location if location < RESERVE else location - RESERVE + spec[PILES]
                _evaluate_again(spec, child, weights, stack, needed, parts, cards)
    changed = needed ^ needed_cards(spec, parent)
    if changed:
        for stack in range(spec[PILES] + _ASIDE):
            if cards[stack] & changed:
                _evaluate_again(spec, child, weights, stack, needed, parts, cards)
    return parts[spec[PILES] + _ASIDE] + _evaluate_whole(spec, child, weights)


@jit
def _evaluate_again(
    spec: Spec, state: State, weights: Weights, stack: int, needed: int, parts: Parts, cards: CardSets
) -> None:
    part, cards[stack] = _evaluate_stack(spec, state, weights, stack, needed)
    parts[spec[PILES] + _ASIDE] += part - parts[stack]
    parts[stack] = part


@jit
def _evaluate_stack(spec: Spec, state: State, weights: Weights, stack: int, needed: int) -> tuple[float, int]:
    """What a stack contributes, given the cards that a foundation takes next; and its cards, as a bit set.

    The stacks are the piles, the reserve and the waste. Depth is the number of cards on top of those that a foundation
    takes next, summed over these. Which cards come where is as good as random: the loop has no branches, whose outcome
    could not be foreseen.
    """
    location = stack if stack < spec[PILES] else stack - spec[PILES] + RESERVE
    size = np.int64(state[SIZES + location])
    if size == 0:
        return (np.float64(weights[SPACE]) if location < RESERVE else 0.0), np.int64(0)
    at = address(spec, location, 0)
    cards = np.int64(0)
    conflicts, depth, waiting, head = 0, 0, 0, 0
    fitting = np.int64(0)  # what may lie on the card beneath
    for height in range(size):
        card = np.int64(state[np.uint64(at + height)])
        conflicts += np.int64(cards & _earlier_cards(spec, card) != 0)
        cards |= np.int64(1) << card
        depth += waiting
        waiting += (needed >> card) & 1
        head = head if (fitting >> card) & 1 else height
        fitting = spec[np.uint64(MAY_LIE_ON + card)]
    if location == RESERVE:
        part = weights[RESERVE_CARD] * size + weights[RESERVE_CONFLICT] * conflicts + weights[DEPTH] * depth
    elif location == WASTE and state[REDEALS_LEFT] != 0:
        part = weights[WASTE_EARLY] * size + weights[WASTE_CONFLICT_EARLY] * conflicts
    elif location == WASTE:
        part = weights[WASTE_CARD] * size + weights[WASTE_CONFLICT] * conflicts + weights[DEPTH] * depth
    else:
        part = weights[RUN] * (size - head - 1)
        part += weights[HEAD] * ((np.int64(state[at + head]) + 26 - spec[BASE_RANK]) % 13)
        if head > 0:
            part += weights[JUNCTION] * head + weights[PILE_CONFLICT] * conflicts + weights[DEPTH] * depth
    return part, cards


@jit_inline
def _earlier_cards(spec: Spec, card: int) -> int:
    """Bit set of the cards of the same suit that must go to a foundation before ``card``."""
    lowest = 13 * (card * 5 >> 6)  # card // 13
    earlier = (np.int64(1) << card) - (np.int64(1) << (lowest + spec[BASE_RANK]))
    return earlier + ((earlier >> 63) & (SUIT << lowest))  # below the base rank: those from there on to the king too


@jit
def _evaluate_whole(spec: Spec, state: State, weights: Weights) -> float:
    """What the foundations contribute, and the cards that fit on the piles."""
    cards, lead = 0, 0
    for foundation in range(spec[FOUNDATIONS]):
        count = np.int64(state[FOUNDATION_COUNTS + foundation])
        cards += count
        lead += count * count
    score = weights[FOUNDATION_CARD] * cards + weights[LEAD] * lead / 13
    if weights[LANDING] == 0:
        return score
    wanted = np.int64(0)
    for pile in range(spec[PILES]):
        size = np.int64(state[SIZES + pile])
        if size == 0:
            wanted |= spec[SPACE_CARDS]
        else:
            wanted |= spec[MAY_LIE_ON + state[address(spec, pile, size - 1)]]
    return score + weights[LANDING] * bit_count(wanted & ~gone_cards(spec, state))
