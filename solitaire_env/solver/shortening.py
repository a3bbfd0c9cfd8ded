"""Takes detours out of a winning line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.hashing import position_hash
from solitaire_env.kernel import Mask, apply_action, legal_actions
from solitaire_env.layout import N_ACTIONS, STATE_SIZE, Spec, State
from solitaire_env.pile_sets import PileSets, make_pile_sets
from solitaire_env.solver.moves import NO_ACTION, copy_row
from solitaire_env.stacks import LOG_SIZE, Log


class _Room(NamedTuple):
    sets: PileSets
    mask: Mask
    log: Log
    child: State


def shorten(spec: Spec, root: State, actions: Sequence[int]) -> list[int]:
    """Returns the shortest line to the last position through positions of the given one, piles in whatever order."""
    size, n = int(spec[STATE_SIZE]), int(spec[N_ACTIONS])
    room = _Room(make_pile_sets(spec), np.zeros(n, np.int8), np.zeros(LOG_SIZE, np.int16), np.empty(size, np.int8))
    rows = np.empty((len(actions) + 1, size), np.int8)
    rows[0] = root
    keys = np.empty(len(rows), np.uint64)
    steps = np.arange(len(rows))
    came_from = steps - 1
    _find_shortest(spec, rows, np.array(actions, np.int64), keys, steps, came_from, room)
    stops = []
    at = len(actions)
    while at > 0:
        stops.append(keys[at])
        at = int(came_from[at])
    line: list[int] = []
    state = root.copy()
    for key in reversed(stops):  # with other piles in other places the same move may have another index
        line.append(int(_action_to(spec, state, key, room)))
        apply_action(spec, state, line[-1], room.log)
    return line


@jit
def _find_shortest(
    spec: Spec,
    rows: NDArray[np.int8],
    actions: NDArray[np.int64],
    keys: NDArray[np.uint64],
    steps: NDArray[np.int64],
    came_from: NDArray[np.int64],
    room: _Room,
) -> None:
    """Fills in the positions of the line and their hashes, and of each how many steps away it is, and from where."""
    for i in range(len(keys)):
        if i > 0:
            copy_row(rows[i], rows[i - 1])
            apply_action(spec, rows[i], actions[i - 1], room.log)
        keys[i] = position_hash(spec, rows[i])
    for i in range(len(keys)):
        if i > 0 and steps[i - 1] + 1 < steps[i]:
            steps[i] = steps[i - 1] + 1
            came_from[i] = i - 1
        legal_actions(spec, rows[i], room.sets, room.mask)
        for action in range(spec[N_ACTIONS]):
            if not room.mask[action]:
                continue
            copy_row(room.child, rows[i])
            apply_action(spec, room.child, action, room.log)
            key = position_hash(spec, room.child)
            for j in range(i + 2, len(keys)):
                if keys[j] == key and steps[i] + 1 < steps[j]:
                    steps[j] = steps[i] + 1
                    came_from[j] = i


@jit
def _action_to(spec: Spec, state: State, key: np.uint64, room: _Room) -> int:
    """The legal action that leads to a position with the given hash, or NO_ACTION."""
    legal_actions(spec, state, room.sets, room.mask)
    for action in range(spec[N_ACTIONS]):
        if room.mask[action]:
            copy_row(room.child, state)
            apply_action(spec, room.child, action, room.log)
            if position_hash(spec, room.child) == key:
                return action
    return NO_ACTION
