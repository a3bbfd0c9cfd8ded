"""A binary heap of numbered items, the highest score first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit_inline

Scores = NDArray[np.float32]
Items = NDArray[np.int32]


@jit_inline
def push(scores: Scores, items: Items, size: int, score: float, item: int) -> None:
    """Adds an item to a heap of ``size`` items."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if scores[above] >= score:
            break
        scores[at] = scores[above]
        items[at] = items[above]
        at = above
    scores[at] = score
    items[at] = item


@jit_inline
def pop(scores: Scores, items: Items, size: int) -> int:
    """Takes the item of the highest score from a heap of ``size`` items, at least one."""
    best = items[0]
    size -= 1
    score, item = scores[size], items[size]
    scores[size] = -np.inf  # so that a last item without a sibling needs no test of its own
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        below += int(scores[np.uint64(below + 1)] > scores[np.uint64(below)])  # which is as good as random: no branch
        if scores[np.uint64(below)] <= score:
            break
        scores[np.uint64(at)] = scores[np.uint64(below)]
        items[np.uint64(at)] = items[np.uint64(below)]
        at = below
    scores[at] = score
    items[at] = item
    return best
