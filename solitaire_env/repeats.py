"""Keeping a player from walking in circles: masks moves into positions already seen in the episode.

Tableau moves can be undone, so a player that takes the best-looking move may circle for ever. No shortest win enters a
position twice: masking such moves loses nothing. Positions are compared by hash, without the order of the piles.

Most moves can never be undone (a card that has left the waste does not come back to it). ``tide`` counts those: it
never rises, and two positions of one episode can be equal only at the same tide. So just the positions since its last
fall are remembered, and of each only what can come back within a tide is hashed: piles, foundations and the size of
the waste.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import first_space, foundation_cards, foundation_for, foundation_top, refill_follows
from solitaire_env.hashing import card_word, pile_total, pile_word
from solitaire_env.kernel import Mask, moved_cards
from solitaire_env.layout import (
    ACTION_TABLE,
    CARDS_PER_DEAL,
    DEAL,
    DECK_SIZE,
    FOUNDATION,
    FOUNDATION_COUNTS,
    FOUNDATION_PILE,
    FOUNDATIONS,
    N_ACTIONS,
    PILE_FOUNDATION,
    PILE_PILE,
    PILES,
    REDEALS,
    REDEALS_LEFT,
    RESERVE,
    RETURNS,
    SIZES,
    STOCK,
    UNLIMITED,
    WASTE,
    Spec,
    State,
)
from solitaire_env.rules import MAX_PILES
from solitaire_env.stacks import LOG_ALL, LOG_ENTRY, Log, address

Memory = NDArray[np.uint64]
# The memory of an episode: how many positions are remembered, the tide, for each pile the sum of the words of its cards
# now, a filter of 4,096 bits, then the positions' words. A bit of the filter is set for each word: few words that are
# not there find their bit set, and only then all words are looked through, of which there may be hundreds.
COUNT, TIDE, TOTALS = range(3)
_FILTER = TOTALS + MAX_PILES
_FILTER_WORDS = 64
WORDS = _FILTER + _FILTER_WORDS

_BLOCK = 16  # actions looked at together


@jit
def tide(spec: Spec, state: State) -> int:
    """A number that no move raises, and that every move which can never be undone lowers."""
    waste, stock = np.int64(state[SIZES + WASTE]), np.int64(state[SIZES + STOCK])
    level = waste + stock + state[SIZES + RESERVE]  # cards never come back to these three together
    if spec[REDEALS] != UNLIMITED:
        level += stock + 128 * np.int64(state[REDEALS_LEFT])
    if not spec[RETURNS]:
        level += spec[DECK_SIZE] - foundation_cards(spec, state)
    return level


@jit
def _tidal_word(spec: Spec, state: State, memory: Memory) -> np.uint64:
    """Hash of what may differ between two positions of one episode and one tide, given the sums of the piles."""
    word = card_word(WASTE, 0, state[SIZES + WASTE])
    for foundation in range(spec[FOUNDATIONS]):
        word += card_word(FOUNDATION + foundation, 0, state[FOUNDATION_COUNTS + foundation])
    for pile in range(spec[PILES]):
        word += _word_of_pile(memory[TOTALS + pile], np.int64(state[SIZES + pile]))
    return word


@jit
def _word_of_pile(total: np.uint64, height: int) -> np.uint64:
    """Word of a pile of ``height`` cards whose words add up to ``total``; 0 when there are none."""
    return pile_word(total) if height > 0 else np.uint64(0)


@jit
def _add_up_piles(spec: Spec, state: State, memory: Memory) -> None:
    for pile in range(spec[PILES]):
        memory[TOTALS + pile] = pile_total(spec, state, pile, state[SIZES + pile])


@jit
def remember_first(spec: Spec, state: State, memory: Memory) -> None:
    """Notes the first position of an episode as seen, and nothing else."""
    _add_up_piles(spec, state, memory)
    memory[COUNT] = 0
    memory[TIDE] = np.uint64(tide(spec, state))
    _note_word(_tidal_word(spec, state, memory), memory)


@jit
def remember(spec: Spec, state: State, log: Log, memory: Memory) -> None:
    """Notes the present position as seen; ``log`` tells what moved since the one before."""
    if log[0] == LOG_ALL:
        _add_up_piles(spec, state, memory)
    for at in range(1, 1 + LOG_ENTRY * np.int64(log[0]), LOG_ENTRY):
        for end in range(at, at + 4, 2):
            pile = np.int64(log[end])
            if pile < RESERVE:
                memory[TOTALS + pile] = pile_total(spec, state, pile, state[SIZES + pile])
    level = np.uint64(tide(spec, state))
    if memory[TIDE] != level:
        memory[COUNT] = 0
        memory[TIDE] = level
    _note_word(_tidal_word(spec, state, memory), memory)


@jit_inline
def _note_word(word: np.uint64, memory: Memory) -> None:
    if memory[COUNT] == 0:
        for i in range(_FILTER_WORDS):
            memory[_FILTER + i] = 0
    memory[WORDS + np.int64(memory[COUNT])] = word
    memory[COUNT] += np.uint64(1)
    memory[_place_in_filter(word)] |= _bit_in_filter(word)


@jit_inline
def _place_in_filter(word: np.uint64) -> int:
    return _FILTER + np.int64(word >> np.uint64(58))


@jit_inline
def _bit_in_filter(word: np.uint64) -> np.uint64:
    return np.uint64(1) << (word & np.uint64(63))


@jit
def mask_repeats(spec: Spec, state: State, memory: Memory, mask: Mask, legal: int) -> int:
    """Clears in ``mask`` the legal actions that lead to a remembered position; returns how many stay legal.

    ``remember`` must have been called for the present position.
    """
    if memory[COUNT] < 2:  # only the present position is remembered, and no action keeps it (G8)
        return legal
    here = memory[WORDS + np.int64(memory[COUNT]) - 1]
    actions = spec[N_ACTIONS]
    for first in range(0, actions, _BLOCK):
        legal_here = np.int8(1)
        if first + _BLOCK <= actions:
            legal_here = np.int8(0)
            for i in range(_BLOCK):  # so many, and not one less: then it is a single instruction or two
                legal_here |= mask[np.uint64(first + i)]
        if legal_here:  # few blocks have a legal action
            for action in range(first, min(first + _BLOCK, actions)):
                if mask[np.uint64(action)] and _leads_back(spec, state, memory, here, action):
                    mask[np.uint64(action)] = 0
                    legal -= 1
    return legal


@jit
def _leads_back(spec: Spec, state: State, memory: Memory, here: np.uint64, action: int) -> bool:
    at = ACTION_TABLE + 4 * action
    kind = spec[at]
    word = here
    if kind == DEAL:
        if spec[REDEALS] != UNLIMITED:
            return False
        waste, stock = state[SIZES + WASTE], state[SIZES + STOCK]
        then = waste + min(stock, spec[CARDS_PER_DEAL]) if stock > 0 else 0
        word += card_word(WASTE, 0, then) - card_word(WASTE, 0, waste)
    elif kind == FOUNDATION_PILE:
        source, target = spec[at + 1], spec[at + 2]
        height = np.int64(state[SIZES + target])
        word += _foundation_change(state, source, -1)
        word += _pile_change(memory, target, height, card_word(0, height, foundation_top(spec, state, source)), 1)
    elif kind == PILE_FOUNDATION or kind >= PILE_PILE:
        source = spec[at + 1]
        height = np.int64(state[SIZES + source])
        count = 1 if kind == PILE_FOUNDATION else moved_cards(spec, state, action)
        if count == height and refill_follows(spec, state):
            return False
        lowest = address(spec, source, height - count)
        word += _pile_change(
            memory, source, height, np.uint64(0) - _suffix(state, lowest, height - count, count), -count
        )
        if kind == PILE_FOUNDATION:
            if not spec[RETURNS]:
                return False
            word += _foundation_change(state, foundation_for(spec, state, state[lowest]), 1)
        else:
            target = spec[at + 2] if kind == PILE_PILE else first_space(spec, state)
            landing = np.int64(state[SIZES + target])
            word += _pile_change(memory, target, landing, _suffix(state, lowest, landing, count), count)
    else:
        return False
    if not memory[np.uint64(_place_in_filter(word))] & _bit_in_filter(word):
        return False
    seen = False
    for i in range(np.int64(memory[COUNT])):  # without an early end the loop runs several words at a time
        seen |= memory[np.uint64(WORDS + i)] == word
    return seen


@jit
def _foundation_change(state: State, foundation: int, change: int) -> np.uint64:
    count = state[FOUNDATION_COUNTS + foundation]
    place = FOUNDATION + foundation
    return card_word(place, 0, count + change) - card_word(place, 0, count)


@jit
def _suffix(state: State, lowest: int, height: int, count: int) -> np.uint64:
    """Sum of the words at a height of a pile of ``count`` cards, the lowest of which is at ``lowest`` in the row."""
    total = np.uint64(0)
    for i in range(count):
        total += card_word(0, height + i, state[np.uint64(lowest + i)])
    return total


@jit
def _pile_change(memory: Memory, pile: int, height: int, change: np.uint64, cards: int) -> np.uint64:
    """Change of the hash when the sum of a pile of ``height`` cards changes and so many cards come to it."""
    total = memory[TOTALS + pile]
    return _word_of_pile(total + change, height + cards) - _word_of_pile(total, height)
