"""Complete search."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.fitting import foundation_cards
from solitaire_env.kernel import apply_action, legal_actions
from solitaire_env.layout import DECK_SIZE, N_ACTIONS, STATE_SIZE
from solitaire_env.solver.dominance import safe_action
from solitaire_env.solver.keys import child_key, position_key
from solitaire_env.solver.transposition import FULL, PRESENT, add
from solitaire_env.stacks import LOG_SIZE

KIND_ORDER = np.array([9, 0, 1, 2, 3, 4, 8, 7, 5, 6], np.int64)


@jit
def exhaust(spec, root, max_positions, max_depth, table, order, options):
    """(won depth or -1, complete, best, positions, generated, deepest), actions."""
    size = spec[STATE_SIZE]
    n = spec[N_ACTIONS]
    rows = np.empty((max_depth + 1, size), np.int8)
    masks = np.empty((max_depth + 1, n), np.int8)
    cursors = np.zeros(max_depth + 1, np.int32)
    keys = np.zeros(max_depth + 1, np.uint64)
    path = np.empty(max_depth + 1, np.int32)
    log = np.zeros(LOG_SIZE, np.int64)
    complete = True
    rows[0] = root
    keys[0] = position_key(spec, root)
    add(table, keys[0])
    legal_actions(spec, rows[0], masks[0])
    depth = 0
    best = foundation_cards(spec, root)
    positions = 1
    generated = 0
    deepest = 0
    if options[0]:
        safe = safe_action(spec, rows[0], masks[0])
        if safe >= 0:
            masks[0][:] = 0
            masks[0][safe] = 1
    while depth >= 0:
        mask = masks[depth]
        at = np.int64(cursors[depth])
        while at < n and mask[order[at]] == 0:
            at += 1
        if at == n:
            depth -= 1
            continue
        action = order[at]
        cursors[depth] = at + 1
        row = rows[depth]
        child = rows[depth + 1]
        child[:] = row
        apply_action(spec, child, action, log)
        generated += 1
        key = child_key(spec, row, keys[depth], child, log)
        result = add(table, key)
        if result == PRESENT:
            continue
        if result == FULL or positions >= max_positions:
            complete = False
            break
        positions += 1
        path[depth] = action
        cards = foundation_cards(spec, child)
        if cards > best:
            best = cards
            if cards == spec[DECK_SIZE]:
                return depth + 1, True, best, positions, generated, deepest, path[: depth + 1].copy()
        if depth + 1 == max_depth:
            complete = False
            continue
        depth += 1
        if depth > deepest:
            deepest = depth
        keys[depth] = key
        cursors[depth] = 0
        legal_actions(spec, child, masks[depth])
        if options[0]:
            safe = safe_action(spec, child, masks[depth])
            if safe >= 0:
                masks[depth][:] = 0
                masks[depth][safe] = 1
    return -1, complete, best, positions, generated, deepest, path[:0].copy()
