"""The rules, compiled: what may move, what a move does, how a game ends. Knows no game by name.

Every function takes a *spec* and a *state* (see layout.py) and works in place; none allocates. The same functions serve the
single environment, the vector environment, the solver and the agents. Call them from compiled code where speed matters.
"""

from __future__ import annotations

import numba
import numpy as np

from solitaire_env.layout import (
    ACTION_TABLE,
    AT_PILES,
    AT_RESERVE,
    AT_TALON,
    BASE_RANK,
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
    MOVES,
    MOVES_ANY_SUFFIX,
    MOVES_SINGLE,
    MOVES_TOP_OR_RUN,
    N_ACTIONS,
    PILE_CAPACITY,
    PILE_FOUNDATION,
    PILE_PILE,
    PILE_SLOTS,
    PILE_SPACE,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_NONE,
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
)

jit = numba.njit(cache=True)

# The change log: how the last action moved cards, so that an observation can be updated instead of rebuilt.
# log[0] is the number of entries, or LOG_ALL when too much moved; an entry is six numbers.
LOG_ALL = -1
LOG_ENTRY = 6  # from location, from height, to location, to height, cards, first card
LOG_ENTRIES = 10
LOG_SIZE = 1 + LOG_ENTRY * LOG_ENTRIES

PLAYING, WON, LOST = range(3)


# ---- stacks of cards -------------------------------------------------------------------------------------------------


@jit
def address(spec, location, height):
    """Index into a state row of the card at a height (0 is the bottom) of a location."""
    if location < RESERVE:
        return spec[AT_PILES] + location * spec[PILE_CAPACITY] + height
    if location == RESERVE:
        return AT_RESERVE + np.int64(height)
    if location == WASTE:
        return spec[AT_TALON] + height
    return spec[AT_PILES] - 1 - height  # the stock's bottom is the right end of the talon


@jit
def top_card(spec, state, location):
    """The top card of a location that is not empty."""
    return state[address(spec, location, state[SIZES + location] - 1)]


@jit
def _note(log, source, source_height, target, target_height, count, card):
    entries = log[0]
    if entries < 0:
        return
    if entries == LOG_ENTRIES:
        log[0] = LOG_ALL
        return
    at = 1 + LOG_ENTRY * entries
    log[at] = source
    log[at + 1] = source_height
    log[at + 2] = target
    log[at + 3] = target_height
    log[at + 4] = count
    log[at + 5] = card
    log[0] = entries + 1


@jit
def _move_top(spec, state, source, target, log):
    """Moves the top card of one location to another."""
    height = state[SIZES + source] - 1
    card = state[address(spec, source, height)]
    state[SIZES + source] = height
    landing = state[SIZES + target]
    state[address(spec, target, landing)] = card
    state[SIZES + target] = landing + 1
    _note(log, source, height, target, landing, 1, card)


@jit
def _move_to_foundation(spec, state, source, log):
    height = state[SIZES + source] - 1
    card = state[address(spec, source, height)]
    state[SIZES + source] = height
    foundation = foundation_for(spec, state, card)
    state[FOUNDATION_COUNTS + foundation] += 1
    _note(log, source, height, FOUNDATION, 0, 1, card)


# ---- what fits where -------------------------------------------------------------------------------------------------


@jit
def foundation_for(spec, state, card):
    """The foundation that takes the card, or -1. Of two equal ones the first (G9), so that the longer stays first."""
    suit = card // 13
    needed = card - 13 * suit - spec[BASE_RANK]
    if needed < 0:
        needed += 13
    first = suit * spec[DECKS]
    for foundation in range(first, first + spec[DECKS]):
        if state[FOUNDATION_COUNTS + foundation] == needed:
            return foundation
    return -1


@jit
def suit_of(spec, foundation):
    """The suit of a foundation."""
    return foundation >> (spec[DECKS] - 1)  # a division would cost as much as the rest of a move's legality


@jit
def foundation_top(spec, state, foundation):
    """The top card of a foundation that is not empty."""
    rank = spec[BASE_RANK] + state[FOUNDATION_COUNTS + foundation] - 1
    if rank >= 13:
        rank -= 13
    return suit_of(spec, foundation) * 13 + rank


@jit
def foundation_may_return(spec, state, foundation):
    """Whether the foundation's top card may be taken back; of two equal foundations only the second is a source (G9)."""
    count = state[FOUNDATION_COUNTS + foundation]
    if count == 0:
        return False
    last_of_suit = foundation & (spec[DECKS] - 1) == spec[DECKS] - 1
    return last_of_suit or state[FOUNDATION_COUNTS + foundation + 1] != count


@jit
def foundation_cards(spec, state):
    """Number of cards on all foundations."""
    total = 0
    for foundation in range(spec[FOUNDATIONS]):
        total += state[FOUNDATION_COUNTS + foundation]
    return total


@jit
def first_space(spec, state):
    """The first empty pile, the one offered of several (G8), or -1."""
    for pile in range(spec[PILES]):
        if state[SIZES + pile] == 0:
            return pile
    return -1


@jit
def run_length(spec, state, pile):
    """Number of cards in the longest suffix of a pile in which each card may lie on the one beneath it."""
    height = state[SIZES + pile]
    if height == 0:
        return 0
    at = spec[AT_PILES] + pile * spec[PILE_CAPACITY]
    bottom = height - 1
    while bottom > 0 and (spec[MAY_LIE_ON + state[at + bottom - 1]] >> state[at + bottom]) & 1:
        bottom -= 1
    return height - bottom


@jit
def suffix_may_move(spec, state, pile, run, count):
    """Whether the top ``count`` cards of a pile whose run has ``run`` cards may leave it together (C4, S5, V4)."""
    moves = spec[MOVES]
    if count > run or count < 1:
        return False
    if moves == MOVES_ANY_SUFFIX or count == 1:
        return True
    if moves == MOVES_SINGLE or count != run:
        return False
    return moves == MOVES_TOP_OR_RUN or run == state[SIZES + pile]


@jit
def _slot_of(spec, state, pile, run, count, fitting):
    """How many shorter movable suffixes of the pile begin with a card of the bit set ``fitting``."""
    top = address(spec, pile, state[SIZES + pile] - 1)
    slot = 0
    for shorter in range(1, count):
        if suffix_may_move(spec, state, pile, run, shorter) and (fitting >> state[top + 1 - shorter]) & 1:
            slot += 1
    return slot


@jit
def cards_in_slot(spec, state, pile, slot, fitting):
    """Number of cards in the ``slot``-th movable suffix, shortest first, that begins with a card of ``fitting``; or 0."""
    run = run_length(spec, state, pile)
    top = address(spec, pile, state[SIZES + pile] - 1)
    for count in range(1, run + 1):
        if suffix_may_move(spec, state, pile, run, count) and (fitting >> state[top + 1 - count]) & 1:
            if slot == 0:
                return count
            slot -= 1
    return 0


@jit
def refill_follows(spec, state):
    """Whether a pile that is emptied now would be filled again at once (Y5, V5)."""
    refill = spec[REFILL]
    if refill == REFILL_NONE:
        return False
    if refill == REFILL_RESERVE:
        return state[SIZES + RESERVE] > 0
    return state[SIZES + STOCK] > 0 or (refill != REFILL_STOCK and state[SIZES + WASTE] > 0)


@jit
def _swaps_twins(spec, state, source, target, count):
    """Whether moving the cards only exchanges the roles of two piles that are alike beneath them (G8, two decks)."""
    left = state[SIZES + source] - count
    if left != state[SIZES + target]:
        return False
    a, b = address(spec, source, 0), address(spec, target, 0)
    for height in range(left - 1, -1, -1):
        if state[a + height] != state[b + height]:
            return False
    return True


# ---- legal actions ---------------------------------------------------------------------------------------------------


@jit
def legal_actions(spec, state, mask):
    """Writes 1 for each legal action and 0 for the others into ``mask`` (int8); returns the number of legal ones."""
    mask[:] = 0
    needed = needed_cards(spec, state)
    space = -1
    wanted = np.int64(0)  # every card that fits somewhere in the tableau: most cards are done with by this
    legal = 0
    to_foundation = spec[FIRST_ACTION + PILE_FOUNDATION]
    for pile in range(spec[PILES]):
        if state[SIZES + pile] > 0:
            top = top_card(spec, state, pile)
            wanted |= spec[MAY_LIE_ON + top]
            fits = (needed >> top) & 1
            mask[to_foundation + pile] = fits
            legal += fits
        elif space < 0:
            space = pile
            wanted |= spec[SPACE_CARDS]
    if may_deal(spec, state):
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
def needed_cards(spec, state):
    """Bit set of the cards that a foundation takes next."""
    needed = np.int64(0)
    for foundation in range(spec[FOUNDATIONS]):
        count = np.int64(state[FOUNDATION_COUNTS + foundation])
        rank = spec[BASE_RANK] + count
        if rank >= 13:
            rank -= 13
        card = suit_of(spec, foundation) * 13 + rank
        needed |= np.int64(count < 13) << card
    return needed


@jit
def may_deal(spec, state):
    """Whether cards may be dealt (G3) or the waste turned over (G4)."""
    return state[SIZES + STOCK] > 0 or (state[SIZES + WASTE] > 0 and state[REDEALS_LEFT] != 0)


@jit
def _legal_targets(spec, state, card, at, space, mask):
    """Marks the piles that take a single card from outside the tableau."""
    legal = 0
    for pile in range(spec[PILES]):
        height = state[SIZES + pile]
        if height == 0:
            fits = pile == space and (spec[SPACE_CARDS] >> card) & 1
        else:
            fits = (spec[MAY_LIE_ON + state[address(spec, pile, height - 1)]] >> card) & 1
        if fits:
            mask[at + pile] = 1
            legal += 1
    return legal


@jit
def _legal_from_piles(spec, state, wanted, space, mask):
    """Marks the moves of suffixes from pile to pile."""
    legal = 0
    for pile in range(spec[PILES]):
        height = state[SIZES + pile]
        if height == 0:
            continue
        top = address(spec, pile, height - 1)
        if spec[MOVES] == MOVES_ANY_SUFFIX:
            head = state[top]
            count = 1
            while True:
                if (wanted >> head) & 1:
                    legal += _legal_for_suffix(spec, state, pile, count, count, head, space, mask)
                if count == height:
                    break
                beneath = state[top - count]
                if (spec[MAY_LIE_ON + beneath] >> head) & 1 == 0:
                    break
                head = beneath
                count += 1
            continue
        if (wanted >> state[top]) & 1:
            legal += _legal_for_suffix(spec, state, pile, 1, 1, state[top], space, mask)
        run = run_length(spec, state, pile)
        if run > 1 and suffix_may_move(spec, state, pile, run, run):
            head = state[top + 1 - run]
            if (wanted >> head) & 1:
                legal += _legal_for_suffix(spec, state, pile, run, run, head, space, mask)
    return legal


@jit
def _legal_for_suffix(spec, state, pile, run, count, head, space, mask):
    legal = 0
    slots = spec[PILE_SLOTS]
    at = spec[FIRST_ACTION + PILE_PILE] + pile * (spec[PILES] - 1) * slots
    for target in range(spec[PILES]):
        if target == pile:
            continue
        if state[SIZES + target] > 0:
            fitting = spec[MAY_LIE_ON + top_card(spec, state, target)]
            if (fitting >> head) & 1 and not (spec[DECKS] == 2 and _swaps_twins(spec, state, pile, target, count)):
                slot = _slot_of(spec, state, pile, run, count, fitting) if slots > 1 else 0
                mask[at + slot] = 1
                legal += 1
        at += slots
    if space >= 0 and (spec[SPACE_CARDS] >> head) & 1:
        if count < state[SIZES + pile] or refill_follows(spec, state):
            slot = _slot_of(spec, state, pile, run, count, spec[SPACE_CARDS])
            mask[spec[FIRST_ACTION + PILE_SPACE] + pile * spec[SPACE_SLOTS] + slot] = 1
            legal += 1
    return legal


@jit
def is_won(spec, state):
    """Whether every card is on the foundations (G7)."""
    return foundation_cards(spec, state) == spec[DECK_SIZE]


@jit
def outcome(spec, state, legal):
    """WON, LOST or PLAYING, given the number of legal actions (G7: the win comes before anything else)."""
    if is_won(spec, state):
        return WON
    return PLAYING if legal > 0 else LOST


# ---- playing ---------------------------------------------------------------------------------------------------------


@jit
def apply_action(spec, state, action, log):
    """Plays a legal action, refills included (G5), and notes in ``log`` which cards moved."""
    log[0] = 0
    at = ACTION_TABLE + 4 * action
    kind = spec[at]
    source = spec[at + 1]
    target = spec[at + 2]
    if kind == DEAL:
        _deal_or_redeal(spec, state, log)
    elif kind == STOCK_SPACE:
        _move_top(spec, state, STOCK, first_space(spec, state), log)
    elif kind == WASTE_FOUNDATION:
        _move_to_foundation(spec, state, WASTE, log)
    elif kind == RESERVE_FOUNDATION:
        _move_to_foundation(spec, state, RESERVE, log)
    elif kind == WASTE_PILE:
        _move_top(spec, state, WASTE, target, log)
    elif kind == RESERVE_PILE:
        _move_top(spec, state, RESERVE, target, log)
    elif kind == FOUNDATION_PILE:
        card = foundation_top(spec, state, source)
        state[FOUNDATION_COUNTS + source] -= 1
        height = state[SIZES + target]
        state[address(spec, target, height)] = card
        state[SIZES + target] = height + 1
        _note(log, FOUNDATION, 0, target, height, 1, card)
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
def moved_cards(spec, state, action):
    """Number of cards that an action between piles moves, 0 if it is not legal."""
    at = ACTION_TABLE + 4 * action
    fitting = spec[SPACE_CARDS]
    if spec[at] == PILE_PILE:
        fitting = spec[MAY_LIE_ON + top_card(spec, state, spec[at + 2])]
    return cards_in_slot(spec, state, spec[at + 1], spec[at + 3], fitting)


@jit
def _move_suffix(spec, state, source, target, count, log):
    height = state[SIZES + source] - count
    landing = state[SIZES + target]
    a, b = address(spec, source, height), address(spec, target, landing)
    for i in range(count):
        state[b + i] = state[a + i]
    state[SIZES + source] = height
    state[SIZES + target] = landing + count
    _note(log, source, height, target, landing, count, state[b])


@jit
def _refill(spec, state, pile, log):
    refill = spec[REFILL]
    if refill == REFILL_RESERVE:
        _move_top(spec, state, RESERVE, pile, log)
    elif refill == REFILL_STOCK or state[SIZES + WASTE] == 0:
        _move_top(spec, state, STOCK, pile, log)
    else:
        _move_top(spec, state, WASTE, pile, log)


@jit
def _deal_or_redeal(spec, state, log):
    stock = state[SIZES + STOCK]
    if stock > 0:
        for _ in range(min(stock, spec[CARDS_PER_DEAL])):
            _move_top(spec, state, STOCK, WASTE, log)
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
def is_legal(spec, state, action, mask):
    """Whether an action is legal; ``mask`` is room for a mask, which is overwritten."""
    legal_actions(spec, state, mask)
    return 0 <= action < spec[N_ACTIONS] and mask[action] == 1
