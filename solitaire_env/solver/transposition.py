"""A set of 64-bit keys of bounded size: the positions that a search has seen."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit

ADDED, PRESENT, FULL = range(3)

# The first entry of a table is the number of keys in it; 0 marks a free place, so that the key 0 is kept as 1.
_HEAD = 1


@jit
def new_table(places):
    """An empty table; ``places`` is a power of two."""
    return np.zeros(_HEAD + places, np.uint64)


@jit
def add(table, key):
    """Adds a key; returns ADDED, PRESENT, or FULL when seven eighths of the places are taken."""
    if key == np.uint64(0):
        key = np.uint64(1)
    mask = np.uint64(len(table) - _HEAD - 1)
    place = key & mask
    while True:
        there = table[_HEAD + np.int64(place)]
        if there == key:
            return PRESENT
        if there == np.uint64(0):
            break
        place = (place + np.uint64(1)) & mask
    if np.int64(table[0]) * 8 >= (len(table) - _HEAD) * 7:
        return FULL
    table[_HEAD + np.int64(place)] = key
    table[0] += np.uint64(1)
    return ADDED
