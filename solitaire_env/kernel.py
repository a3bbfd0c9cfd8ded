"""The rules, compiled: what is legal, what an action does, how a game ends. Knows no game by name.

Every function takes a *spec* and a *state* (see layout.py) and works in place; none allocates. The same functions
serve the single environment, the vector environment, the solver and the agents. Call them from compiled code where
speed matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import (
    bit_count,
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
    DECKS,
    FIRST_ACTION,
    FOUNDATION,
    FOUNDATION_COUNTS,
    FOUNDATION_PILE,
    FOUNDATIONS,
    MAY_LIE_ON,
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
    UNLIMITED,
    WASTE,
    WASTE_FOUNDATION,
    WASTE_PILE,
    Spec,
    State,
)
from solitaire_env.pile_sets import GIVES, GIVES_TWICE, TAKES, TOP, WHOLE, PileSets, find_pile_sets, piles_with
from solitaire_env.stacks import LOG_ALL, Log, address, move_top, note, top_card

Mask = NDArray[np.int8]

PLAYING, WON, LOST = range(3)


@jit
def legal_actions(spec: Spec, state: State, sets: PileSets, mask: Mask) -> int:
    """Writes 1 for each legal action and 0 for the others into ``mask`` (int8); returns the number of legal ones.

    ``sets`` is room for the pile sets. Whoever keeps them up to date calls ``mark_legal``.
    """
    find_pile_sets(spec, state, sets)
    return mark_legal(spec, state, sets, mask)


@jit_inline
def mark_legal(spec: Spec, state: State, sets: PileSets, mask: Mask) -> int:
    """As ``legal_actions``, given the pile sets of the state."""
    for action in range(len(mask)):
        mask[np.uint64(action)] = 0
    needed = needed_cards(spec, state)
    wanted, given = np.int64(0), np.int64(0)  # cards that fit on some pile, and those that some pile gives
    space = -1
    legal = 0
    to_foundation = spec[FIRST_ACTION + PILE_FOUNDATION]
    for pile in range(spec[PILES] - 1, -1, -1):  # here and below, unsigned indices spare a test for negative ones
        top = sets[TOP, np.uint64(pile)]
        fits = np.int64(top & needed != 0)
        mask[np.uint64(to_foundation + pile)] = fits
        legal += fits
        wanted |= sets[TAKES, np.uint64(pile)]
        given |= sets[GIVES, np.uint64(pile)]
        space = pile if top == 0 else space
    legal += _mark_between_piles(spec, state, sets, given & wanted, mask)
    if space >= 0:
        wanted |= spec[SPACE_CARDS]
        if given & spec[SPACE_CARDS]:
            legal += _mark_to_space(spec, state, sets, mask)
        if spec[STOCK_TO_SPACE] and state[SIZES + STOCK] > 0:
            mask[spec[FIRST_ACTION + STOCK_SPACE]] = 1
            legal += 1
    if may_deal(state):
        mask[spec[FIRST_ACTION + DEAL]] = 1
        legal += 1
    if state[SIZES + WASTE] > 0:
        card = np.int64(1) << top_card(spec, state, WASTE)
        if card & needed:
            mask[spec[FIRST_ACTION + WASTE_FOUNDATION]] = 1
            legal += 1
        if card & wanted:
            legal += _mark_targets(spec, sets, card, spec[FIRST_ACTION + WASTE_PILE], space, mask)
    if state[SIZES + RESERVE] > 0:
        card = np.int64(1) << top_card(spec, state, RESERVE)
        if card & needed:
            mask[spec[FIRST_ACTION + RESERVE_FOUNDATION]] = 1
            legal += 1
        if card & wanted:
            legal += _mark_targets(spec, sets, card, spec[FIRST_ACTION + RESERVE_PILE], space, mask)
    if spec[RETURNS]:
        for foundation in range(spec[FOUNDATIONS]):
            may = foundation_may_return(spec, state, foundation)
            card = np.int64(1) << (foundation_top(spec, state, foundation) if may else NO_CARD)
            if card & wanted:
                at = spec[FIRST_ACTION + FOUNDATION_PILE] + foundation * spec[PILES]
                legal += _mark_targets(spec, sets, card, at, space, mask)
    return legal


@jit_inline
def _mark_targets(spec: Spec, sets: PileSets, card: int, at: int, space: int, mask: Mask) -> int:
    """Marks the piles that take a single card from outside the tableau; ``card`` is a set of one."""
    taking = piles_with(spec, sets, TAKES, card)
    if space >= 0 and card & spec[SPACE_CARDS]:
        taking |= np.int64(1) << space
    legal = 0
    while taking:
        mask[np.uint64(at + bit_number(spec, taking))] = 1
        legal += 1
        taking &= taking - 1
    return legal


@jit_inline
def _mark_between_piles(spec: Spec, state: State, sets: PileSets, cards: int, mask: Mask) -> int:
    """Marks the moves of suffixes from pile to pile, of which ``cards`` has the deepest cards."""
    legal = 0
    while cards:
        card = cards & -cards
        cards &= cards - 1
        sources, targets = piles_with(spec, sets, GIVES, card), piles_with(spec, sets, TAKES, card)
        while sources:
            source = bit_number(spec, sources)
            taking = targets & ~(sources & -sources)
            sources &= sources - 1
            while taking:
                legal += _mark_pair(spec, state, sets, card, source, bit_number(spec, taking), mask)
                taking &= taking - 1
    return legal


@jit_inline
def _mark_pair(spec: Spec, state: State, sets: PileSets, card: int, source: int, target: int, mask: Mask) -> int:
    """Marks the moves of suffixes from one pile to another, when called for the lowest card that they begin with.

    Returns:
        How many it marks.
    """
    slots = spec[PILE_SLOTS]
    first = spec[FIRST_ACTION + PILE_PILE] + (source * (spec[PILES] - 1) + target - np.int64(target > source)) * slots
    takes = sets[TAKES, np.uint64(target)]
    fitting = sets[GIVES, np.uint64(source)] & takes
    twice = sets[GIVES_TWICE, np.uint64(source)] & takes
    marked = 1
    if fitting & (fitting - 1) | twice:  # several suffixes fit, which is rare
        if card != fitting & -fitting:
            return 0
        marked = bit_count(fitting) + bit_count(twice)
    for slot in range(marked):
        mask[np.uint64(first + slot)] = 1
    if spec[DECKS] == 2:
        height = np.int64(state[np.uint64(SIZES + target)])
        count = np.int64(state[np.uint64(SIZES + source)]) - height
        if count > 0 and swaps_twins(spec, state, source, target, count):
            run = run_length(spec, state, source)
            if suffix_may_move(spec, state, source, run, count):
                mask[first + slot_of(spec, state, source, run, count, takes)] = 0
                marked -= 1
    return marked


@jit
def _mark_to_space(spec: Spec, state: State, sets: PileSets, mask: Mask) -> int:
    """Marks the moves of suffixes to the first empty pile."""
    legal = 0
    slots = spec[SPACE_SLOTS]
    at = spec[FIRST_ACTION + PILE_SPACE]
    bottom = spec[AT_PILES]
    refilled = refill_follows(spec, state)
    for pile in range(spec[PILES]):
        gives, twice = sets[GIVES, np.uint64(pile)], sets[GIVES_TWICE, np.uint64(pile)]
        fitting = bit_count(gives & spec[SPACE_CARDS]) + bit_count(twice & spec[SPACE_CARDS])
        if gives & WHOLE and not refilled:  # it would leave a space for a space, and change nothing (G8)
            fitting -= (spec[SPACE_CARDS] >> state[np.uint64(bottom)]) & 1
        for slot in range(slots):
            mask[np.uint64(at + slot)] = slot < fitting
        legal += fitting
        at += slots
        bottom += spec[PILE_CAPACITY]
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


@jit_inline
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
