"""Moves that may be played without looking at any other."""

from __future__ import annotations

from solitaire_env.compilation import jit
from solitaire_env.fitting import first_space, refill_follows
from solitaire_env.layout import (
    BASE_RANK,
    CARDS_PER_DEAL,
    DECKS,
    FIRST_ACTION,
    FOUNDATION_COUNTS,
    MAY_LIE_ON,
    PILE_FOUNDATION,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_NONE,
    REFILL_RESERVE,
    REFILL_STOCK,
    RESERVE,
    RESERVE_FOUNDATION,
    RETURNS,
    SIZES,
    WASTE,
    WASTE_FOUNDATION,
)
from solitaire_env.stacks import top_card

NONE = -1


@jit
def nothing_lands_on(spec, state, card):
    """Whether every card that may lie on ``card`` is on the foundations, all copies."""
    fitting = spec[MAY_LIE_ON + card]
    other = 0
    while fitting:
        if fitting & 1:
            suit = other // 13
            height = other - 13 * suit - spec[BASE_RANK]
            if height < 0:
                height += 13
            if state[FOUNDATION_COUNTS + (suit + 1) * spec[DECKS] - 1] <= height:
                return False
        fitting >>= 1
        other += 1
    return True


@jit
def safe_action(spec, state, mask):
    """A legal move to a foundation after which a won position is still won, or NONE."""
    if spec[RETURNS]:
        return NONE
    refill = spec[REFILL]
    if refill == REFILL_STOCK and state[REDEALS_LEFT] != 0:
        return NONE
    refills = refill_follows(spec, state)
    if refills and first_space(spec, state) >= 0:
        return NONE
    action = spec[FIRST_ACTION + RESERVE_FOUNDATION]
    if state[SIZES + RESERVE] > 0 and mask[action] and nothing_lands_on(spec, state, top_card(spec, state, RESERVE)):
        return action
    action = spec[FIRST_ACTION + PILE_FOUNDATION]
    for pile in range(spec[PILES]):
        if mask[action] and (state[SIZES + pile] > 1 or refill == REFILL_RESERVE or not refills):
            if nothing_lands_on(spec, state, top_card(spec, state, pile)):
                return action
        action += 1
    action = spec[FIRST_ACTION + WASTE_FOUNDATION]
    if state[SIZES + WASTE] > 0 and mask[action]:
        regular = spec[CARDS_PER_DEAL] == 1 or state[REDEALS_LEFT] == 0
        if regular and (refill == REFILL_NONE or refill == REFILL_RESERVE or refill == REFILL_STOCK):
            if nothing_lands_on(spec, state, top_card(spec, state, WASTE)):
                return action
    return NONE
