"""Stacks of cards in a state row: where a card lies, moving the top one, and the log of what moved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.layout import AT_PILES, AT_RESERVE, AT_TALON, PILE_CAPACITY, RESERVE, SIZES, WASTE, Spec, State

Log = NDArray[np.int16]

# The change log: how the last action moved cards, so that an observation can be updated instead of rebuilt.
# log[0] is the number of entries, or LOG_ALL when too much moved; an entry is six numbers.
LOG_ALL = -1
LOG_ENTRY = 6  # from location, from height, to location, to height, cards, first card
LOG_ENTRIES = 10
LOG_SIZE = 1 + LOG_ENTRY * LOG_ENTRIES


@jit
def address(spec: Spec, location: int, height: int) -> int:
    """Index into a state row of the card at a height (0 is the bottom) of a location."""
    if location < RESERVE:
        return spec[AT_PILES] + location * spec[PILE_CAPACITY] + height
    if location == RESERVE:
        return AT_RESERVE + np.int64(height)
    if location == WASTE:
        return spec[AT_TALON] + height
    return spec[AT_PILES] - 1 - height  # the stock's bottom is the right end of the talon


@jit
def top_card(spec: Spec, state: State, location: int) -> int:
    """The top card of a location that is not empty."""
    return state[address(spec, location, state[SIZES + location] - 1)]


@jit
def note(log: Log, source: int, source_height: int, target: int, target_height: int, count: int, card: int) -> None:
    """Adds an entry to the log, or sets it to LOG_ALL when it is full."""
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
def move_top(spec: Spec, state: State, source: int, target: int, log: Log) -> None:
    """Moves the top card of one location to another."""
    height = state[SIZES + source] - 1
    card = state[address(spec, source, height)]
    state[SIZES + source] = height
    landing = state[SIZES + target]
    state[address(spec, target, landing)] = card
    state[SIZES + target] = landing + 1
    note(log, source, height, target, landing, 1, card)
