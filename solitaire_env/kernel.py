"""The rules, compiled: what is legal, what an action does, how a game ends. Knows no game by name.

Every function takes a *spec* and a *state* (see layout.py) and works in place; none allocates. The same functions
serve the single environment, the vector environment, the solver and the agents. Call them from compiled code where
speed matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.fitting import (
    bit_number,
    cards_in_slot,
    first_space,
    foundation_cards,
    foundation_for,
    foundation_may_return,
    foundation_top,
    may_deal,
    needed_cards,
    refill_follows,
    run_length,
    slot_of,
    suffix_may_move,
    swaps_twins,
)
from solitaire_env.layout import (
    ACTION_TABLE,
    AT_PILES,
    AT_TALON,
    CARDS_PER_DEAL,
    DEAL,
    DECK_SIZE,
    FIRST_ACTION,
    FOUNDATION,
    FOUNDATION_COUNTS,
    FOUNDATION_PILE,
    FOUNDATIONS,
    MAY_LIE_ON,
    MOVES,
    MOVES_ANY_SUFFIX,
    NO_CARD,
    PILE_CAPACITY,
    PILE_FOUNDATION,
    PILE_PILE,
    PILE_SLOTS,
    PILE_SPACE,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_RESERVE,
    REFILL_STOCK,
    RESERVE,
    RESERVE_FOUNDATION,
    RESERVE_PILE,
    RETURNS,
    SIZES,
    SPACE_CARDS,
    SPACE_SLOTS,
    STOCK,
    STOCK_SEEN,
    STOCK_SPACE,
    STOCK_TO_SPACE,
    TOPS,
    UNLIMITED,
    WASTE,
    WASTE_FOUNDATION,
    WASTE_PILE,
    Spec,
    State,
)
from solitaire_env.stacks import LOG_ALL, Log, address, move_top, note, top_card

Mask = NDArray[np.int8]

PLAYING, WON, LOST = range(3)


@jit
def legal_actions(spec: Spec, state: State, mask: Mask) -> int:
    """Writes 1 for each legal action and 0 for the others into ``mask`` (int8); returns the number of legal ones."""
    mask[:] = 0
    needed = needed_cards(spec, state)
    space = -1
    wanted = np.int64(0)  # every card that fits somewhere in the tableau: most cards are done with by this
    legal = 0
    to_foundation = spec[FIRST_ACTION + PILE_FOUNDATION]
    bottom = spec[AT_PILES]
    for pile in range(spec[PILES]):  # here and below, unsigned indices spare a test for negative ones
        height = np.int64(state[np.uint64(SIZES + pile)])
        top = np.int64(NO_CARD)
        if height > 0:
            top = np.int64(state[np.uint64(bottom + height - 1)])
            fits = (needed >> top) & 1
            mask[np.uint64(to_foundation + pile)] = fits
            legal += fits
        elif space < 0:
            space = pile
            wanted |= spec[SPACE_CARDS]
        state[np.uint64(TOPS + pile)] = top
        wanted |= spec[np.uint64(MAY_LIE_ON + top)]
        bottom += spec[PILE_CAPACITY]
    if may_deal(state):
        mask[spec[FIRST_ACTION + DEAL]] = 1
        legal += 1
    if space >= 0 and spec[STOCK_TO_SPACE] and state[SIZES + STOCK] > 0:
        mask[spec[FIRST_ACTION + STOCK_SPACE]] = 1
        legal += 1
    if state[SIZES + WASTE] > 0:
        card = top_card(spec, state, WASTE)
        if (needed >> card) & 1:
            mask[spec[FIRST_ACTION + WASTE_FOUNDATION]] = 1
            legal += 1
        if (wanted >> card) & 1:
            legal += _legal_targets(spec, state, card, spec[FIRST_ACTION + WASTE_PILE], space, mask)
    if state[SIZES + RESERVE] > 0:
        card = top_card(spec, state, RESERVE)
        if (needed >> card) & 1:
            mask[spec[FIRST_ACTION + RESERVE_FOUNDATION]] = 1
            legal += 1
        if (wanted >> card) & 1:
            legal += _legal_targets(spec, state, card, spec[FIRST_ACTION + RESERVE_PILE], space, mask)
    if spec[RETURNS]:
        for foundation in range(spec[FOUNDATIONS]):
            if foundation_may_return(spec, state, foundation):
                card = foundation_top(spec, state, foundation)
                if (wanted >> card) & 1:
                    at = spec[FIRST_ACTION + FOUNDATION_PILE] + foundation * spec[PILES]
                    legal += _legal_targets(spec, state, card, at, space, mask)
    return legal + _legal_from_piles(spec, state, wanted, space, mask)


@jit
def _piles_that_take(spec: Spec, state: State, card: int) -> int:
    """Bit set of the piles, not empty, whose top card takes ``card``.

    Which piles these are is as good as random: the loop has no branches, and unsigned indices, which need no test for
    negative ones.
    """
    taking = np.int64(0)
    for pile in range(spec[PILES]):
        top = np.int64(state[np.uint64(TOPS + pile)])
        taking |= ((spec[np.uint64(MAY_LIE_ON + top)] >> card) & 1) << pile
    return taking


@jit
def _legal_targets(spec: Spec, state: State, card: int, at: int, space: int, mask: Mask) -> int:
    """Marks the piles that take a single card from outside the tableau."""
    taking = _piles_that_take(spec, state, card)
    if space >= 0 and (spec[SPACE_CARDS] >> card) & 1:
        taking |= np.int64(1) << space
    legal = 0
    while taking:
        mask[at + bit_number(spec, taking)] = 1
        legal += 1
        taking &= taking - 1
    return legal


@jit
def _legal_from_piles(spec: Spec, state: State, wanted: int, space: int, mask: Mask) -> int:
    """Marks the moves of suffixes from pile to pile; ``wanted`` has the cards that fit anywhere."""
    legal = 0
    any_suffix = spec[MOVES] == MOVES_ANY_SUFFIX
    bottom = spec[AT_PILES]
    for pile in range(spec[PILES]):
        height = np.int64(state[np.uint64(SIZES + pile)])
        if height > 0:
            run = height if any_suffix else run_length(spec, state, pile)
            shorter = np.int64(0)  # the deepest cards of the shorter movable suffixes
            lowest = bottom + height - 1  # where the deepest card of the suffix lies
            count = 1
            while True:
                head = np.int64(state[np.uint64(lowest)])
                if (wanted >> head) & 1:
                    legal += _legal_for_suffix(spec, state, pile, run, count, head, shorter, space, mask)
                if any_suffix:
                    if lowest == bottom:
                        break
                    lowest -= 1
                    if not (spec[np.uint64(MAY_LIE_ON + state[np.uint64(lowest)])] >> head) & 1:
                        break
                    count += 1
                else:
                    if count == run or not suffix_may_move(spec, state, pile, run, run):
                        break
                    lowest -= run - count
                    count = run
                shorter |= np.int64(1) << head
        bottom += spec[PILE_CAPACITY]
    return legal


@jit
def _legal_for_suffix(
    spec: Spec, state: State, pile: int, run: int, count: int, head: int, shorter: int, space: int, mask: Mask
) -> int:
    """Marks the moves of the top ``count`` cards of a pile, of which ``head`` is the deepest.

    ``shorter`` has the deepest cards of the shorter suffixes that may move.
    """
    taking = _piles_that_take(spec, state, head) & ~(np.int64(1) << pile)
    slots = spec[PILE_SLOTS]
    first = spec[FIRST_ACTION + PILE_PILE] + pile * (spec[PILES] - 1) * slots
    height = np.int64(state[np.uint64(SIZES + pile)])
    beneath = np.int64(NO_CARD)
    if height > count:
        beneath = np.int64(state[np.uint64(address(spec, pile, height - count - 1))])
    legal = 0
    while taking:
        target = bit_number(spec, taking)
        taking &= taking - 1
        top = np.int64(state[np.uint64(TOPS + target)])
        fitting = spec[np.uint64(MAY_LIE_ON + top)]
        if beneath != top or not swaps_twins(spec, state, pile, target, count):
            slot = slot_of(spec, state, pile, run, count, fitting) if shorter & fitting else 0
            mask[np.uint64(first + (target - np.int64(target > pile)) * slots + slot)] = 1
            legal += 1
    if space >= 0 and (spec[SPACE_CARDS] >> head) & 1 and (count < height or refill_follows(spec, state)):
        slot = slot_of(spec, state, pile, run, count, spec[SPACE_CARDS])
        mask[spec[FIRST_ACTION + PILE_SPACE] + pile * spec[SPACE_SLOTS] + slot] = 1
        legal += 1
    return legal


@jit
def is_won(spec: Spec, state: State) -> bool:
    """Whether every card is on the foundations (G7)."""
    return foundation_cards(spec, state) == spec[DECK_SIZE]


@jit
def outcome(spec: Spec, state: State, legal: int) -> int:
    """WON, LOST or PLAYING, given the number of legal actions (G7: the win comes before anything else)."""
    if is_won(spec, state):
        return WON
    return PLAYING if legal > 0 else LOST


# ---- playing ---------------------------------------------------------------------------------------------------------


@jit
def apply_action(spec: Spec, state: State, action: int, log: Log) -> None:
    """Plays a legal action, refills included (G5), and notes in ``log`` which cards moved."""
    log[0] = 0
    at = ACTION_TABLE + 4 * action
    kind = spec[at]
    source = spec[at + 1]
    target = spec[at + 2]
    if kind == DEAL:
        _deal_or_redeal(spec, state, log)
    elif kind == STOCK_SPACE:
        move_top(spec, state, STOCK, first_space(spec, state), log)
    elif kind == WASTE_FOUNDATION:
        _move_to_foundation(spec, state, WASTE, log)
    elif kind == RESERVE_FOUNDATION:
        _move_to_foundation(spec, state, RESERVE, log)
    elif kind == WASTE_PILE:
        move_top(spec, state, WASTE, target, log)
    elif kind == RESERVE_PILE:
        move_top(spec, state, RESERVE, target, log)
    elif kind == FOUNDATION_PILE:
        card = foundation_top(spec, state, source)
        state[FOUNDATION_COUNTS + source] -= 1
        height = state[SIZES + target]
        state[address(spec, target, height)] = card
        state[SIZES + target] = height + 1
        note(log, FOUNDATION, 0, target, height, 1, card)
    else:
        if kind == PILE_FOUNDATION:
            _move_to_foundation(spec, state, source, log)
        else:
            count = moved_cards(spec, state, action)
            if kind == PILE_SPACE:
                target = first_space(spec, state)
            _move_suffix(spec, state, source, target, count, log)
        if state[SIZES + source] == 0 and refill_follows(spec, state):
            _refill(spec, state, source, log)


@jit
def moved_cards(spec: Spec, state: State, action: int) -> int:
    """Number of cards that a legal action between piles moves."""
    at = ACTION_TABLE + 4 * action
    fitting = spec[SPACE_CARDS]
    if spec[at] == PILE_PILE:
        fitting = spec[MAY_LIE_ON + top_card(spec, state, spec[at + 2])]
    return cards_in_slot(spec, state, spec[at + 1], spec[at + 3], fitting)


@jit
def _move_suffix(spec: Spec, state: State, source: int, target: int, count: int, log: Log) -> None:
    height = state[SIZES + source] - count
    landing = state[SIZES + target]
    a, b = address(spec, source, height), address(spec, target, landing)
    for i in range(count):
        state[b + i] = state[a + i]
    state[SIZES + source] = height
    state[SIZES + target] = landing + count
    note(log, source, height, target, landing, count, state[b])


@jit
def _refill(spec: Spec, state: State, pile: int, log: Log) -> None:
    refill = spec[REFILL]
    if refill == REFILL_RESERVE:
        move_top(spec, state, RESERVE, pile, log)
    elif refill == REFILL_STOCK or state[SIZES + WASTE] == 0:
        move_top(spec, state, STOCK, pile, log)
    else:
        move_top(spec, state, WASTE, pile, log)


@jit
def _deal_or_redeal(spec: Spec, state: State, log: Log) -> None:
    stock = state[SIZES + STOCK]
    if stock > 0:
        for _ in range(min(stock, spec[CARDS_PER_DEAL])):
            move_top(spec, state, STOCK, WASTE, log)
        return
    # G4: the block keeps its order in the talon, so the card dealt first before is dealt first again.
    waste = state[SIZES + WASTE]
    left, right = spec[AT_TALON], spec[AT_PILES] - waste
    for i in range(waste - 1, -1, -1):
        state[right + i] = state[left + i]
    state[SIZES + STOCK] = waste
    state[SIZES + WASTE] = 0
    state[STOCK_SEEN] = 1
    if state[REDEALS_LEFT] != UNLIMITED:
        state[REDEALS_LEFT] -= 1
    log[0] = LOG_ALL


@jit
def _move_to_foundation(spec: Spec, state: State, source: int, log: Log) -> None:
    height = state[SIZES + source] - 1
    card = state[address(spec, source, height)]
    state[SIZES + source] = height
    foundation = foundation_for(spec, state, card)
    state[FOUNDATION_COUNTS + foundation] += 1
    note(log, source, height, FOUNDATION, 0, 1, card)
