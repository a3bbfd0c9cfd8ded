"""The complete search: depth first, every position once; when it ends without a win there is none.

Positions once seen are not entered again, by whichever way they are reached, so that it ends under any rules, unlimited
redeals included. It stops undecided, and says so, when its table or its stack is full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.fitting import foundation_cards
from solitaire_env.layout import (
    ACTION_TABLE,
    DECK_SIZE,
    FOUNDATION_PILE,
    N_ACTIONS,
    PILE_PILE,
    PILES,
    STATE_SIZE,
    Spec,
    State,
)
from solitaire_env.solver.deadlock import N_ROOM, Room, is_dead
from solitaire_env.solver.facts import Facts
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import NO_ACTION, Actions, MaskRoom, follow, list_moves, mask_room
from solitaire_env.solver.transposition import FULL, PRESENT, Table, add, new_table
from solitaire_env.stacks import LOG_SIZE, Log

# What a search counts.
DEPTH, POSITIONS, MOVES, DEAD, BEST, N_COUNTERS = range(6)

RUNNING, FOUND, EXHAUSTED, FILLED = range(4)

MOVES_A_POSITION = 16
"""Moves for which there is room on the stack, for each position of its depth."""


class Descent(NamedTuple):
    """A search under way.

    Attributes:
        counters: See the constants above.
        rows: The states on the way from the root to the present position ...
        keys: ... their keys ...
        totals: ... the totals of their piles ...
        ends: ... the index after the last of their moves still to be tried ...
        line: ... and the one or two actions that lead on.
        moves: The moves still to be tried, of one position after another.
        table: All positions seen.
        mask: Room for a mask.
        room: Room for the test for dead positions.
        log: Room for a move's log.
    """

    counters: NDArray[np.int64]
    rows: NDArray[np.int8]
    keys: NDArray[np.uint64]
    totals: NDArray[np.uint64]
    ends: NDArray[np.int64]
    line: Actions
    moves: Actions
    table: Table
    mask: MaskRoom
    room: Room
    log: Log


def new_descent(spec: Spec, facts: Facts, root: State, depth: int, places: int, prune: bool = True) -> Descent:
    """Returns a search from ``root`` that goes ``depth`` positions deep; its table has ``places`` places."""
    size, actions = int(spec[STATE_SIZE]), int(spec[N_ACTIONS])
    descent = Descent(
        counters=np.zeros(N_COUNTERS, np.int64),
        rows=np.empty((depth + 1, size), np.int8),
        keys=np.empty(depth + 1, np.uint64),
        totals=np.empty((depth + 1, int(spec[PILES])), np.uint64),
        ends=np.zeros(depth + 1, np.int64),
        line=np.full((depth + 1, 2), NO_ACTION, np.int16),
        moves=np.empty(MOVES_A_POSITION * depth + actions, np.int16),
        table=new_table(places),
        mask=mask_room(spec),
        room=np.zeros(N_ROOM, np.int64),
        log=np.zeros(LOG_SIZE, np.int16),
    )
    descent.rows[0] = root
    descent.keys[0] = position_key(spec, facts, root, descent.totals[0])
    add(descent.table, descent.keys[0])
    descent.ends[0] = list_moves(spec, descent.rows[0], descent.mask, prune, descent.moves, 0)
    descent.counters[POSITIONS] = 1
    descent.counters[BEST] = foundation_cards(spec, root)
    return descent


def line(descent: Descent) -> list[int]:
    """Returns the actions that lead from the root to the present position."""
    steps = descent.line[: descent.counters[DEPTH]].ravel().tolist()
    return [action for action in steps if action != NO_ACTION]


@jit
def descend(spec: Spec, facts: Facts, descent: Descent, prune: bool, limit: int) -> int:
    """Searches until ``limit`` positions are seen.

    Args:
        spec: The game.
        facts: Of the game.
        descent: The search.
        prune: Whether dominated moves and dead positions are left out, as in ``new_descent``.
        limit: Positions.

    Returns:
        RUNNING: the limit is reached. FOUND: ``line`` tells the win. EXHAUSTED: there is none. FILLED: there was no
        room to go on, and nothing is known.
    """
    counters = descent.counters
    rows, keys, totals, ends, moves = descent.rows, descent.keys, descent.totals, descent.ends, descent.moves
    while counters[DEPTH] >= 0:
        depth = counters[DEPTH]
        start = ends[depth - 1] if depth > 0 else 0
        if ends[depth] == start:
            counters[DEPTH] -= 1
            continue
        if counters[POSITIONS] >= limit:
            return RUNNING
        if depth + 2 > len(keys) or ends[depth] + len(descent.mask.bytes) > len(moves):
            return FILLED
        ends[depth] -= 1
        action = np.int64(moves[ends[depth]])
        child = rows[depth + 1]
        key, second = follow(
            spec, facts, rows[depth], keys[depth], totals[depth], action, child, totals[depth + 1], descent.log
        )
        counters[MOVES] += 1
        added = add(descent.table, key)
        if added == PRESENT:
            continue
        if added == FULL:
            return FILLED
        counters[POSITIONS] += 1
        descent.line[depth, 0] = action
        descent.line[depth, 1] = second
        cards = foundation_cards(spec, child)
        counters[BEST] = max(counters[BEST], cards)
        if cards == spec[DECK_SIZE]:
            counters[DEPTH] += 1
            return FOUND
        if prune and _may_kill(spec, action) and is_dead(spec, child, descent.room):
            counters[DEAD] += 1
            continue
        counters[DEPTH] += 1
        keys[depth + 1] = key
        ends[depth + 1] = list_moves(spec, child, descent.mask, prune, moves, ends[depth])
    return EXHAUSTED


@jit
def _may_kill(spec: Spec, action: int) -> bool:
    """Whether the test for dead positions is worth its while: not after moves that can be undone."""
    kind = spec[ACTION_TABLE + 4 * action]
    return kind < PILE_PILE and kind != FOUNDATION_PILE
