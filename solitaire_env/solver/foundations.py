"""Sets of cards that the foundations alone tell: those up, and those that are taken next."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.layout import BASE_RANK, DECKS, FOUNDATION_COUNTS, Spec, State

SUIT = 0x1FFF  # the ranks of a suit


@jit
def lowest_ranks(spec: Spec, count: int) -> int:
    """Bit set of the ranks, of one suit, of ``count`` cards on a foundation."""
    ranks = ((np.int64(1) << np.int64(count)) - 1) << spec[BASE_RANK]
    return (ranks | (ranks >> 13)) & SUIT  # foundations go from K to A


@jit
def gone_cards(spec: Spec, state: State) -> int:
    """Bit set of the cards of which every copy is on a foundation."""
    gone = np.int64(0)
    for suit in range(4):
        last = FOUNDATION_COUNTS + (suit + 1) * spec[DECKS] - 1  # of two equal suits the longer comes first
        gone |= lowest_ranks(spec, state[last]) << (13 * suit)
    return gone
