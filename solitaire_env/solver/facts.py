"""What the searches know of a game beside its spec: one int64 array, made once for the rules."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from solitaire_env.cards import CARDS_PER_DECK
from solitaire_env.layout import may_lie_on
from solitaire_env.rules import Rules

Facts = NDArray[np.int64]

EXCHANGES = 0  # 1 where positions that differ in exchanged ends of runs are one: see keys.py
LIES_ON = 1  # + card: bit set of the cards that it may lie on
N_FACTS = LIES_ON + CARDS_PER_DECK


@functools.cache
def facts_of(rules: Rules) -> Facts:
    """Returns the facts of the rules; the array is shared and must not be written to."""
    facts = np.zeros(N_FACTS, np.int64)
    ends_move = rules.moves == "any_suffix" and rules.build == "suit" and rules.corner == "none"
    facts[EXCHANGES] = int(ends_move and rules.decks == 2)  # with one deck no two runs of a suit overlap
    cards = range(CARDS_PER_DECK)
    facts[LIES_ON:] = [sum(1 << b for b in cards if may_lie_on(rules, c, b)) for c in cards]
    return facts
