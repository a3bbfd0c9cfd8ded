"""Anytime search."""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.fitting import foundation_cards
from solitaire_env.kernel import apply_action, legal_actions
from solitaire_env.layout import DECK_SIZE, N_ACTIONS, REDEALS_LEFT, SIZES, STATE_SIZE, STOCK
from solitaire_env.solver.evaluation import evaluate
from solitaire_env.solver.keys import child_key, position_key
from solitaire_env.solver.transposition import FULL, PRESENT, add
from solitaire_env.stacks import LOG_SIZE

MAX_LAYERS = 4096


@jit
def _heap_push(heap_score, heap_item, size, score, item):
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if heap_score[above] >= score:
            break
        heap_score[at] = heap_score[above]
        heap_item[at] = heap_item[above]
        at = above
    heap_score[at] = score
    heap_item[at] = item


@jit
def _heap_pop(heap_score, heap_item, size):
    """Removes the best; the heap has size - 1 items then."""
    best = heap_item[0]
    size -= 1
    score, item = heap_score[size], heap_item[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and heap_score[below + 1] > heap_score[below]:
            below += 1
        if heap_score[below] <= score:
            break
        heap_score[at] = heap_score[below]
        heap_item[at] = heap_item[below]
        at = below
    heap_score[at] = score
    heap_item[at] = item
    return best


@jit
def layered(spec, root, weights, width, final_width, max_nodes, table):
    """returns (won node or -1, complete, best foundation, expanded, children), parents, actions."""
    size = spec[STATE_SIZE]
    rows = np.empty((max_nodes, size), np.int8)
    parents = np.empty(max_nodes, np.int32)
    actions = np.empty(max_nodes, np.int16)
    pool = max_nodes * 12
    c_score = np.empty(pool, np.float32)
    c_parent = np.empty(pool, np.int32)
    c_action = np.empty(pool, np.int16)
    c_key = np.empty(pool, np.uint64)
    c_next = np.empty(pool, np.int32)
    free = np.int64(-1)
    fresh = np.int64(0)
    buckets = np.full(MAX_LAYERS, -1, np.int32)
    heap_score = np.empty(pool, np.float32)
    heap_item = np.empty(pool, np.int32)
    mask = np.zeros(spec[N_ACTIONS], np.int8)
    log = np.zeros(LOG_SIZE, np.int64)
    child = np.empty(size, np.int8)

    complete = True
    best = foundation_cards(spec, root)
    nodes = np.int64(0)
    children = np.int64(0)
    winner = np.int64(-1)
    # candidate 0 is the root
    c_score[0] = 0.0
    c_parent[0] = -1
    c_action[0] = -1
    c_key[0] = position_key(spec, root)
    c_next[0] = -1
    add(table, c_key[0])
    buckets[0] = 0
    fresh = 1
    last = 0
    layer = 0
    while layer <= last and winner < 0:
        heap = 0
        c = np.int64(buckets[layer])
        while c >= 0:
            _heap_push(heap_score, heap_item, heap, c_score[c], c)
            heap += 1
            c = np.int64(c_next[c])
        left = width
        first = True
        while heap > 0 and winner < 0:
            if left == 0 or nodes == max_nodes:
                complete = False
                break
            c = np.int64(_heap_pop(heap_score, heap_item, heap))
            heap -= 1
            node = nodes
            nodes += 1
            left -= 1
            row = rows[node]
            parent = np.int64(c_parent[c])
            parents[node] = parent
            actions[node] = c_action[c]
            if parent < 0:
                row[:] = root
            else:
                row[:] = rows[parent]
                apply_action(spec, row, np.int64(c_action[c]), log)
            key = c_key[c]
            c_next[c] = free
            free = c
            if first:
                first = False
                if row[SIZES + STOCK] == 0 and row[REDEALS_LEFT] == 0:
                    left += final_width - width
            legal_actions(spec, row, mask)
            for action in range(spec[N_ACTIONS]):
                if mask[action] == 0:
                    continue
                child[:] = row
                apply_action(spec, child, action, log)
                children += 1
                k = child_key(spec, row, key, child, log)
                result = add(table, k)
                if result == PRESENT:
                    continue
                if result == FULL:
                    complete = False
                    continue
                cards = foundation_cards(spec, child)
                if cards > best:
                    best = cards
                if free >= 0:
                    n = free
                    free = np.int64(c_next[n])
                elif fresh < pool:
                    n = fresh
                    fresh += 1
                else:
                    complete = False
                    continue
                c_score[n] = evaluate(spec, child, weights)
                c_parent[n] = node
                c_action[n] = action
                c_key[n] = k
                if cards == spec[DECK_SIZE]:
                    if nodes < max_nodes:
                        winner = nodes
                        parents[nodes] = node
                        actions[nodes] = action
                        nodes += 1
                    break
                drawn = np.int64(row[SIZES + STOCK]) - child[SIZES + STOCK]
                if drawn < 0:
                    drawn = 1
                if drawn == 0:
                    _heap_push(heap_score, heap_item, heap, c_score[n], n)
                    heap += 1
                else:
                    to = layer + drawn
                    if to >= MAX_LAYERS:
                        complete = False
                        continue
                    if to > last:
                        last = to
                    c_next[n] = buckets[to]
                    buckets[to] = n
        for i in range(heap):
            c = np.int64(heap_item[i])
            c_next[c] = free
            free = c
        layer += 1
    return winner, complete, best, nodes, children, parents[:nodes].copy(), actions[:nodes].copy()
