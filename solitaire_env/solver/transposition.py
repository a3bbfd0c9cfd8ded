"""A set of 64-bit keys of bounded size: the positions that a search has seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit_inline

Table = NDArray[np.uint64]

ADDED, PRESENT, FULL = range(3)

_KEYS = 1  # a table's first entry is the number of its keys; 0 marks a free place, so that the key 0 is kept as 1


def new_table(places: int) -> Table:
    """Returns an empty table; ``places`` is a power of two."""
    return np.zeros(_KEYS + places, np.uint64)


def places_for(keys: int) -> int:
    """Returns the places of a table that holds as many keys: a power of two."""
    return 1 << max(10, (keys * 8 // 7).bit_length())


@jit_inline
def add(table: Table, key: np.uint64) -> int:
    """Adds a key; returns ADDED, PRESENT, or FULL when it is missing and seven eighths of the places are taken."""
    if key == np.uint64(0):
        key = np.uint64(1)
    places = len(table) - _KEYS
    last = np.uint64(places - 1)
    place = key & last
    while True:
        there = table[np.uint64(_KEYS) + place]
        if there == key:
            return PRESENT
        if there == np.uint64(0):
            break
        place = (place + np.uint64(1)) & last
    if np.int64(table[0]) * 8 >= places * 7:
        return FULL
    table[np.uint64(_KEYS) + place] = key
    table[0] += np.uint64(1)
    return ADDED
