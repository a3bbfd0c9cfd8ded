"""What the searches know of a game beside its spec: one int64 array, made once for the rules."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from solitaire_env.rules import Rules

Facts = NDArray[np.int64]

EXCHANGES = 0  # 1 where positions that differ in exchanged ends of runs are one: see keys.py
N_FACTS = 1


@functools.cache
def facts_of(rules: Rules) -> Facts:
    """Returns the facts of the rules; the array is shared and must not be written to."""
    facts = np.zeros(N_FACTS, np.int64)
    ends_move = rules.moves == "any_suffix" and rules.build == "suit" and rules.corner == "none"
    facts[EXCHANGES] = int(ends_move and rules.decks == 2)  # with one deck no two runs of a suit overlap
    return facts
