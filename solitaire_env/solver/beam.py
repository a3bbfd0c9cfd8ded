"""The anytime search: finds wins fast, and proves nothing unless it never had to leave anything out.

Positions are compared only with others at the same point of the same pass through the stock, a *layer*. In a layer
the best position so far is expanded again and again, up to ``width`` times; a child that draws no card joins the
layer, one that does waits in its own. When the stock is gone for good, all that follows is the last layer, which gets
a larger share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline
from solitaire_env.fitting import foundation_cards
from solitaire_env.layout import (
    DECK_SIZE,
    N_ACTIONS,
    PILES,
    REDEALS_LEFT,
    SIZES,
    STATE_SIZE,
    STOCK,
    UNLIMITED,
    WASTE,
    Spec,
    State,
)
from solitaire_env.solver.evaluation import MOVE, CardSets, Parts, evaluate_child, evaluate_parts, new_parts
from solitaire_env.solver.facts import Facts
from solitaire_env.solver.heap import Items, Scores, pop, push
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import NO_ACTION, Actions, MaskRoom, copy_row, follow, list_moves, mask_room
from solitaire_env.solver.transposition import ADDED, FULL, Table, add, new_table, places_for
from solitaire_env.stacks import LOG_SIZE, Log

LAST_LAYER_SHARE = 10
"""How many times ``width`` positions are expanded in a layer that draws no more cards."""

_LAYERS = 4096
_PASSES = 4  # through the stock, at most, that a search makes room for
CANDIDATES = 24  # candidates kept at a time, for each position of the width

# What a search counts.
LAYER, LAST, NODES, FREE, FRESH, POSITIONS, MOVES, BEST, COMPLETE, WINNER, N_COUNTERS = range(11)

RUNNING, FOUND, ENDED = range(3)

NO_LIMIT = 2**62  # of positions, for a search that its width alone is to end


class Beam(NamedTuple):
    """A search under way.

    Attributes:
        counters: See the constants above.
        parents: Of each expanded position, the one it came from ...
        lengths: ... the number of moves to it ...
        actions: ... and the one or two actions of the last.
        rows: Candidates: their states, with room for one more ...
        keys: ... their keys ...
        totals: ... the totals of their piles ...
        parts: ... what their stacks contribute to their scores ...
        cards: ... which cards these hold ...
        scores: ... their scores ...
        origins: ... the expanded positions they came from ...
        steps: ... by which actions ...
        after: ... and the next candidate of the same layer, or the next free one.
        layers: The first candidate that waits in each layer.
        heap_scores: The heap of the present layer ...
        heap_items: ... and its candidates.
        table: All positions seen.
        mask: Room for a mask.
        moves: Room for the moves of a position.
        log: Room for a move's log.
    """

    counters: NDArray[np.int64]
    parents: Items
    lengths: Items
    actions: Actions
    rows: NDArray[np.int8]
    keys: NDArray[np.uint64]
    totals: NDArray[np.uint64]
    parts: Parts
    cards: CardSets
    scores: Scores
    origins: Items
    steps: Actions
    after: Items
    layers: Items
    heap_scores: Scores
    heap_items: Items
    table: Table
    mask: MaskRoom
    moves: Actions
    log: Log


def new_beam(spec: Spec, facts: Facts, root: State, width: int, nodes: int, places: int) -> Beam:
    """Returns a search from ``root`` that expands at most ``nodes`` positions; its table has ``places`` places."""
    size, actions = int(spec[STATE_SIZE]), int(spec[N_ACTIONS])
    pool = CANDIDATES * width + 4 * actions
    parts, cards = new_parts(spec, pool)
    beam = Beam(
        counters=np.zeros(N_COUNTERS, np.int64),
        parents=np.empty(nodes, np.int32),
        lengths=np.empty(nodes, np.int32),
        actions=np.empty((nodes, 2), np.int16),
        rows=np.empty((pool + 1, size), np.int8),
        keys=np.empty(pool, np.uint64),
        totals=np.empty((pool + 1, int(spec[PILES])), np.uint64),
        parts=parts,
        cards=cards,
        scores=np.empty(pool, np.float32),
        origins=np.empty(pool, np.int32),
        steps=np.empty((pool, 2), np.int16),
        after=np.empty(pool, np.int32),
        layers=np.full(_LAYERS, -1, np.int32),
        heap_scores=np.empty(pool, np.float32),
        heap_items=np.empty(pool, np.int32),
        table=new_table(places),
        mask=mask_room(spec),
        moves=np.empty(actions, np.int16),
        log=np.zeros(LOG_SIZE, np.int16),
    )
    restart(spec, facts, beam, root)
    return beam


def room_for(spec: Spec, facts: Facts, root: State, width: int) -> Beam:
    """Returns a search from ``root`` with room for all that a search of the given width expands.

    ``restart`` lets it begin anew from positions with no more cards to come than ``root`` has.
    """
    nodes = width * (layers(root) + LAST_LAYER_SHARE)
    return new_beam(spec, facts, root, width, nodes, places_for(4 * nodes))


def layers(root: State) -> int:
    """Returns how many layers a search makes room for: those of the passes through the stock, but not too many."""
    redeals = int(root[REDEALS_LEFT])
    passes = _PASSES if redeals == UNLIMITED else min(redeals + 1, _PASSES)
    return (int(root[SIZES + STOCK]) + int(root[SIZES + WASTE]) + 1) * passes


@jit
def restart(spec: Spec, facts: Facts, beam: Beam, root: State) -> None:
    """Makes a search begin anew, from a root of the same game."""
    counters = beam.counters
    counters[:] = 0
    beam.table[:] = np.uint64(0)
    beam.layers[:] = -1
    copy_row(beam.rows[0], root)
    beam.keys[0] = position_key(spec, facts, root, beam.totals[0])
    beam.scores[0] = 0
    beam.origins[0] = -1
    beam.steps[0, 0] = beam.steps[0, 1] = NO_ACTION
    beam.after[0] = -1
    add(beam.table, beam.keys[0])
    layer = np.int64(root[SIZES + WASTE])
    beam.layers[layer] = 0
    counters[LAYER] = counters[LAST] = layer
    counters[FREE], counters[FRESH], counters[POSITIONS] = -1, 1, 1
    counters[BEST] = foundation_cards(spec, root)
    counters[COMPLETE], counters[WINNER] = 1, -1


@jit
def advance(
    spec: Spec,
    facts: Facts,
    beam: Beam,
    weights: NDArray[np.float32],
    width: int,
    talon: int,
    pause: int,
    limit: int,
) -> int:
    """Searches on; returns RUNNING, FOUND or ENDED.

    Args:
        spec: The game.
        facts: Of the game.
        beam: The search.
        weights: Of the evaluation.
        width: Positions expanded in a layer.
        talon: Cards in stock and waste at the root.
        pause: Positions after which it returns at the end of a layer, to be called again.
        limit: Positions after which it expands none.
    """
    counters = beam.counters
    while counters[LAYER] <= counters[LAST]:
        if counters[POSITIONS] >= pause:
            return RUNNING
        _search_layer(spec, facts, beam, weights, width, talon, limit)
        if counters[WINNER] >= 0:
            return FOUND
        counters[LAYER] += 1
    return ENDED


@jit
def _search_layer(
    spec: Spec, facts: Facts, beam: Beam, weights: NDArray[np.float32], width: int, talon: int, limit: int
) -> None:
    counters = beam.counters
    heap = 0
    item = np.int64(beam.layers[counters[LAYER]])
    while item >= 0:
        push(beam.heap_scores, beam.heap_items, heap, beam.scores[item], item)
        heap += 1
        item = np.int64(beam.after[item])
    if heap > 0:
        row = beam.rows[beam.heap_items[0]]
        if row[SIZES + STOCK] == 0 and row[REDEALS_LEFT] == 0:
            width *= LAST_LAYER_SHARE
    expanded = 0
    while heap > 0:
        if expanded == width or counters[NODES] + 1 >= len(beam.parents) or counters[POSITIONS] >= limit:
            counters[COMPLETE] = 0
            break
        item = np.int64(pop(beam.heap_scores, beam.heap_items, heap))
        heap = _expand(spec, facts, beam, weights, talon, item, heap - 1)
        _free(beam, item)
        expanded += 1
        if counters[WINNER] >= 0:
            return
    for i in range(heap):
        _free(beam, np.int64(beam.heap_items[i]))


@jit_inline
def _free(beam: Beam, item: int) -> None:
    beam.after[item] = beam.counters[FREE]
    beam.counters[FREE] = item


@jit_inline
def _expand(
    spec: Spec, facts: Facts, beam: Beam, weights: NDArray[np.float32], talon: int, item: int, heap: int
) -> int:
    """Expands a candidate of the present layer; returns the new size of the heap."""
    counters = beam.counters
    node = _new_node(beam, np.int64(beam.origins[item]), beam.steps[item, 0], beam.steps[item, 1])
    row = beam.rows[item]
    if beam.origins[item] < 0:  # the root, of which nobody has noted it yet
        evaluate_parts(spec, row, weights, beam.parts[item], beam.cards[item])
    new = _next_candidate(beam)
    for i in range(list_moves(spec, row, beam.mask, True, beam.moves, 0)):
        action = np.int64(beam.moves[i])
        child = beam.rows[new]
        key, second = follow(
            spec, facts, row, beam.keys[item], beam.totals[item], action, child, beam.totals[new], beam.log
        )
        counters[MOVES] += 1
        added = add(beam.table, key)
        if added != ADDED:
            if added == FULL:
                counters[COMPLETE] = 0
            continue
        counters[POSITIONS] += 1
        cards = foundation_cards(spec, child)
        counters[BEST] = max(counters[BEST], cards)
        if cards == spec[DECK_SIZE]:
            counters[WINNER] = _new_node(beam, node, action, second)
            break
        stock = np.int64(child[SIZES + STOCK])
        drawn = row[SIZES + STOCK] - stock
        if drawn < 0:  # a redeal: the layer of the next pass with as many cards to come
            drawn = (counters[LAYER] // (talon + 1) + 1) * (talon + 1) + talon - stock - counters[LAYER]
        layer = counters[LAYER] + drawn
        if new == len(beam.keys) or layer >= len(beam.layers):
            counters[COMPLETE] = 0
            continue
        _take(beam, new)
        beam.keys[new] = key
        beam.origins[new] = node
        beam.steps[new, 0] = action
        beam.steps[new, 1] = second
        score = evaluate_child(
            spec, row, child, beam.log, weights, beam.parts[item], beam.cards[item], beam.parts[new], beam.cards[new]
        )
        beam.scores[new] = score + weights[MOVE] * beam.lengths[node]
        if drawn == 0:
            push(beam.heap_scores, beam.heap_items, heap, beam.scores[new], new)
            heap += 1
        else:
            beam.after[new] = beam.layers[layer]
            beam.layers[layer] = new
            counters[LAST] = max(counters[LAST], layer)
        new = _next_candidate(beam)
    return heap


@jit_inline
def _new_node(beam: Beam, parent: int, action: int, second: int) -> int:
    node = beam.counters[NODES]
    beam.counters[NODES] += 1
    beam.parents[node] = parent
    beam.lengths[node] = beam.lengths[parent] + 1 if parent >= 0 else 0
    beam.actions[node, 0] = action
    beam.actions[node, 1] = second
    return node


@jit_inline
def _next_candidate(beam: Beam) -> int:
    """A free place among the candidates; where there is none, the room at their end that is never taken."""
    free = beam.counters[FREE]
    return free if free >= 0 else beam.counters[FRESH]


@jit_inline
def _take(beam: Beam, item: int) -> None:
    """Takes the place that ``_next_candidate`` gives."""
    if beam.counters[FREE] >= 0:
        beam.counters[FREE] = beam.after[item]
    else:
        beam.counters[FRESH] += 1
