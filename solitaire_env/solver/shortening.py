"""Takes detours out of a winning line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import numba

jit = numba.njit(cache=True)
from solitaire_env.hashing import position_hash
from solitaire_env.kernel import Mask, apply_action, legal_actions
from solitaire_env.layout import N_ACTIONS, STATE_SIZE, Spec, State
from solitaire_env.solver.moves import NO_ACTION
from solitaire_env.stacks import LOG_SIZE, Log


def shorten(spec: Spec, root: State, actions: Sequence[int]) -> list[int]:
    """Returns the shortest line through positions of the given one, the order of piles set aside, to its last position."""
    size, n = int(spec[STATE_SIZE]), int(spec[N_ACTIONS])
    rows = np.empty((len(actions) + 1, size), np.int8)
    rows[0] = root
    mask, log, child = np.zeros(n, np.int8), np.zeros(LOG_SIZE, np.int16), np.empty(size, np.int8)
    stops = _shortest(spec, rows, np.array(actions, np.int64), mask, log, child)
    line: list[int] = []
    state = root.copy()
    for key in stops:  # with other piles in other places the same move may have another index
        line.append(int(_action_to(spec, state, key, mask, log, child)))
        apply_action(spec, state, line[-1], log)
    return line


@jit
def _shortest(
    spec: Spec, rows: NDArray[np.int8], actions: NDArray[np.int64], mask: Mask, log: Log, child: State
) -> NDArray[np.uint64]:
    """Hashes of the positions to go through, the root's left out."""
    last = len(actions)
    keys = np.empty(last + 1, np.uint64)
    for i in range(last + 1):
        if i > 0:
            rows[i] = rows[i - 1]
            apply_action(spec, rows[i], actions[i - 1], log)
        keys[i] = position_hash(spec, rows[i])
    steps = np.arange(last + 1)
    came_from = np.arange(-1, last)
    for i in range(last + 1):
        if i > 0 and steps[i - 1] + 1 < steps[i]:
            steps[i] = steps[i - 1] + 1
            came_from[i] = i - 1
        legal_actions(spec, rows[i], mask)
        for action in range(spec[N_ACTIONS]):
            if not mask[action]:
                continue
            child[:] = rows[i]
            apply_action(spec, child, action, log)
            key = position_hash(spec, child)
            for j in range(i + 2, last + 1):
                if keys[j] == key and steps[i] + 1 < steps[j]:
                    steps[j] = steps[i] + 1
                    came_from[j] = i
    stops = np.empty(steps[last], np.uint64)
    at = last
    for i in range(steps[last] - 1, -1, -1):
        stops[i] = keys[at]
        at = came_from[at]
    return stops


@jit
def _action_to(spec: Spec, state: State, key: np.uint64, mask: Mask, log: Log, child: State) -> int:
    """The legal action that leads to a position with the given hash, or NO_ACTION."""
    legal_actions(spec, state, mask)
    for action in range(spec[N_ACTIONS]):
        if mask[action]:
            child[:] = state
            apply_action(spec, child, action, log)
            if position_hash(spec, child) == key:
                return action
    return NO_ACTION
