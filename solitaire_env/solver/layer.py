"""What can be reached before the next card is drawn: the part of the game that holds no surprise.

A player who does not know the stock still knows all that happens until a card leaves it, so that this much can be
searched like a game with open cards. ``explore`` expands the most promising positions and notes each way to go on that
draws a card, a *draw*. Nothing here looks at a card of the stock but ``rank_draws``, which shuffles the stock first:
whatever lies there, the result is the same for the same cards in the same order, and the caller chooses the order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.dealing import GOLDEN, mix64
from solitaire_env.fitting import foundation_cards
from solitaire_env.kernel import apply_action
from solitaire_env.layout import CARDS_PER_DEAL, DECK_SIZE, N_ACTIONS, PILES, SIZES, STATE_SIZE, STOCK, Spec, State
from solitaire_env.solver.evaluation import (
    MOVE,
    CardSets,
    Parts,
    Weights,
    evaluate,
    evaluate_child,
    evaluate_parts,
    new_parts,
)
from solitaire_env.solver.facts import Facts
from solitaire_env.solver.heap import Items, Scores, pop, push
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import NO_ACTION, Actions, MaskRoom, copy_row, follow, list_moves, mask_room
from solitaire_env.solver.transposition import ADDED, Table, add, new_table
from solitaire_env.stacks import LOG_SIZE, Log, address

Generator = NDArray[np.uint64]
"""State of a SplitMix64 generator of random numbers: one entry."""

CHILDREN = 12  # positions and draws for which there is room, for each position expanded

# What an exploration counts.
NODES, DRAWS, WINNER, N_COUNTERS = range(4)


class Layer(NamedTuple):
    """An exploration.

    Attributes:
        counters: See the constants above; ``WINNER`` is a won position or -1.
        rows: States of the positions reached, the root first ...
        keys: ... their keys ...
        totals: ... the totals of their piles ...
        parts: ... what their stacks contribute to their scores ...
        cards: ... which cards these hold ...
        parents: ... the positions they came from ...
        lengths: ... the number of moves to them ...
        actions: ... and the one or two actions of the last.
        draw_nodes: Draws: the positions from which they are made ...
        draw_actions: ... by which actions ...
        draw_scores: ... and how good they look, set by ``rank_draws``.
        heap_scores: The heap of positions not expanded yet ...
        heap_items: ... and their numbers.
        table: The keys of all positions reached.
        mask: Room for a mask.
        moves: Room for the moves of a position.
        child: Room for a state.
        log: Room for a move's log.
    """

    counters: NDArray[np.int64]
    rows: NDArray[np.int8]
    keys: NDArray[np.uint64]
    totals: NDArray[np.uint64]
    parts: Parts
    cards: CardSets
    parents: Items
    lengths: Items
    actions: Actions
    draw_nodes: Items
    draw_actions: NDArray[np.int16]
    draw_scores: Scores
    heap_scores: Scores
    heap_items: Items
    table: Table
    mask: MaskRoom
    moves: NDArray[np.int16]
    child: State
    log: Log


def new_layer(spec: Spec, width: int) -> Layer:
    """Returns room for explorations that expand at most ``width`` positions."""
    size, actions = int(spec[STATE_SIZE]), int(spec[N_ACTIONS])
    places = CHILDREN * width + actions
    parts, cards = new_parts(spec, places)
    return Layer(
        counters=np.zeros(N_COUNTERS, np.int64),
        rows=np.empty((places, size), np.int8),
        keys=np.empty(places, np.uint64),
        totals=np.empty((places, int(spec[PILES])), np.uint64),
        parts=parts,
        cards=cards,
        parents=np.empty(places, np.int32),
        lengths=np.empty(places, np.int32),
        actions=np.empty((places, 2), np.int16),
        draw_nodes=np.empty(places, np.int32),
        draw_actions=np.empty(places, np.int16),
        draw_scores=np.empty(places, np.float32),
        heap_scores=np.empty(places, np.float32),
        heap_items=np.empty(places, np.int32),
        table=new_table(1 << (2 * places).bit_length()),
        mask=mask_room(spec),
        moves=np.empty(actions, np.int16),
        child=np.empty(size, np.int8),
        log=np.zeros(LOG_SIZE, np.int16),
    )


@jit
def explore(spec: Spec, facts: Facts, layer: Layer, root: State, weights: Weights, width: int) -> None:
    """Expands the ``width`` most promising positions that can be reached without drawing; stops at a win.

    Args:
        spec: The game.
        facts: Of the game.
        layer: From ``new_layer``; receives the positions and draws.
        root: The position to begin with, not won.
        weights: Of the evaluation.
        width: Positions expanded at most.
    """
    counters = layer.counters
    layer.table[:] = np.uint64(0)
    copy_row(layer.rows[0], root)
    layer.keys[0] = position_key(spec, facts, root, layer.totals[0])
    evaluate_parts(spec, root, weights, layer.parts[0], layer.cards[0])
    layer.parents[0] = -1
    layer.lengths[0] = 0
    layer.actions[0, 0] = layer.actions[0, 1] = NO_ACTION
    add(layer.table, layer.keys[0])
    counters[NODES], counters[DRAWS], counters[WINNER] = 1, 0, -1
    push(layer.heap_scores, layer.heap_items, 0, np.float32(0), 0)
    heap = 1
    for _ in range(width):
        if heap == 0 or counters[WINNER] >= 0:
            return
        node = np.int64(pop(layer.heap_scores, layer.heap_items, heap))
        heap = _expand(spec, facts, layer, weights, node, heap - 1)


@jit
def _expand(spec: Spec, facts: Facts, layer: Layer, weights: Weights, node: int, heap: int) -> int:
    """Expands a position; returns the new size of the heap."""
    counters = layer.counters
    row = layer.rows[node]
    for i in range(list_moves(spec, row, layer.mask, True, layer.moves, 0)):
        action = np.int64(layer.moves[i])
        new, draw = counters[NODES], counters[DRAWS]
        if new == len(layer.keys) or draw == len(layer.keys):
            return heap
        child = layer.rows[new]
        key, second = follow(
            spec, facts, row, layer.keys[node], layer.totals[node], action, child, layer.totals[new], layer.log
        )
        if child[SIZES + STOCK] != row[SIZES + STOCK]:
            layer.draw_nodes[draw] = node
            layer.draw_actions[draw] = action
            counters[DRAWS] += 1
            continue
        if add(layer.table, key) != ADDED:
            continue
        layer.keys[new] = key
        layer.parents[new] = node
        layer.lengths[new] = layer.lengths[node] + 1
        layer.actions[new, 0] = action
        layer.actions[new, 1] = second
        counters[NODES] += 1
        if foundation_cards(spec, child) == spec[DECK_SIZE]:
            counters[WINNER] = new
            return heap
        score = evaluate_child(
            spec,
            row,
            child,
            layer.log,
            weights,
            layer.parts[node],
            layer.cards[node],
            layer.parts[new],
            layer.cards[new],
        )
        push(layer.heap_scores, layer.heap_items, heap, score + weights[MOVE] * layer.lengths[new], new)
        heap += 1
    return heap


@jit
def rank_draws(spec: Spec, layer: Layer, weights: Weights, looks: int, generator: Generator) -> int:
    """Scores each draw by the mean evaluation after ``looks`` random draws; returns the best one, or -1.

    The cards drawn are taken at random from the stock, the same for all draws, so that the order in which the stock
    lies has no more influence than that of a shuffled pack.
    """
    best = -1
    start = generator[0]
    for draw in range(layer.counters[DRAWS]):
        generator[0] = start
        total = np.float32(0)
        for _ in range(looks):
            make_draw(spec, layer, draw, layer.child, spec[CARDS_PER_DEAL], generator)
            total += evaluate(spec, layer.child, weights)
        layer.draw_scores[draw] = total / looks + weights[MOVE] * layer.lengths[layer.draw_nodes[draw]]
        if best < 0 or layer.draw_scores[draw] > layer.draw_scores[best]:
            best = draw
    return best


@jit
def make_draw(spec: Spec, layer: Layer, draw: int, state: State, shuffled: int, generator: Generator) -> None:
    """Makes ``state`` the position after a draw, the next ``shuffled`` cards of the stock having been drawn by lot."""
    copy_row(state, layer.rows[layer.draw_nodes[draw]])
    shuffle_stock(spec, state, shuffled, generator)
    apply_action(spec, state, np.int64(layer.draw_actions[draw]), layer.log)


@jit
def shuffle_stock(spec: Spec, state: State, cards: int, generator: Generator) -> None:
    """Puts random cards of the stock on its top: so many, or all where it has not as many."""
    size = np.int64(state[SIZES + STOCK])
    kept = np.int64(max(size - cards, 1))
    for left in range(int(size), int(kept), -1):
        one = address(spec, STOCK, left - 1)
        other = address(spec, STOCK, _draw_number(generator, left))
        card = state[one]
        state[one] = state[other]
        state[other] = card


@jit
def _draw_number(generator: Generator, choices: int) -> int:
    """A number from 0 to ``choices`` - 1; so few choices out of 2**64 leave no bias to speak of."""
    generator[0] += GOLDEN
    return np.int64(mix64(generator[0]) % np.uint64(choices))
