"""The moves that a search looks at in a position, and what they lead to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit_inline
from solitaire_env.fitting import foundation_for, run_length
from solitaire_env.kernel import Mask, apply_action, mark_legal
from solitaire_env.layout import (
    ACTION_TABLE,
    DEAL,
    FIRST_ACTION,
    FOUNDATION_PILE,
    N_ACTIONS,
    PILE_FOUNDATION,
    PILE_PILE,
    PILES,
    Spec,
    State,
)
from solitaire_env.pile_sets import PileSets, find_pile_sets, make_pile_sets
from solitaire_env.solver.dominance import is_idle, piles_are_idle, safe_action
from solitaire_env.solver.facts import EXCHANGES, Facts
from solitaire_env.solver.keys import Totals, child_key, position_key
from solitaire_env.stacks import LOG_ALL, Log, top_card

NO_ACTION = -1
WORD = 8  # actions that a mask's scan skips at once
BYTE_NUMBERS = np.uint64(0x0001020304050607)  # times 1 << 8 * n, n comes to the top

Actions = NDArray[np.int16]


class MaskRoom(NamedTuple):
    """Room for a mask, padded to whole words, and for what it is made of.

    Attributes:
        bytes: The mask.
        words: The same memory, ``WORD`` actions an entry, the first in the lowest byte.
        sets: Room for the pile sets.
    """

    bytes: Mask
    words: NDArray[np.uint64]
    sets: PileSets


def mask_room(spec: Spec) -> MaskRoom:
    """Returns room for the mask of a game."""
    mask = np.zeros(-(-int(spec[N_ACTIONS]) // WORD) * WORD, np.int8)
    return MaskRoom(mask, mask.view(np.uint64), make_pile_sets(spec))


def line_from_root(parents: NDArray[np.int32], steps: Actions, node: int) -> list[int]:
    """Returns the actions that lead from the root to a position.

    Args:
        parents: Of each position, the one it came from, -1 for the root.
        steps: Of each position, the one or two actions of the move to it; int16, ``(n, 2)``.
        node: The position.
    """
    actions: list[int] = []
    while node >= 0:
        first, second = steps[node].tolist()
        actions += [action for action in (second, first) if action != NO_ACTION]
        node = int(parents[node])
    return actions[::-1]


@jit_inline
def copy_row(target: State, source: State) -> None:
    """Copies a state."""
    for i in range(len(target)):
        target[np.uint64(i)] = source[np.uint64(i)]


@jit_inline
def list_moves(spec: Spec, state: State, room: MaskRoom, prune: bool, moves: Actions, at: int) -> int:
    """Writes the actions worth looking at into ``moves`` from index ``at`` on; returns the index after the last.

    The last is the one to look at first: plays to the foundations, then from waste and reserve, then among the piles;
    deals come last.

    Args:
        spec: The game.
        state: The position.
        room: From ``mask_room``.
        prune: Whether dominated moves are left out.
        moves: Receives the actions.
        at: Where to begin.
    """
    mask, words = room.bytes, room.words
    if prune:
        safe = safe_action(spec, state)
        if safe != NO_ACTION:
            moves[at] = safe
            return at + 1
    find_pile_sets(spec, state, room.sets)
    mark_legal(spec, state, room.sets, mask)
    idle = prune and piles_are_idle(spec, state)
    deal = spec[FIRST_ACTION + DEAL]
    among_piles = spec[FIRST_ACTION + FOUNDATION_PILE]
    if deal < spec[FIRST_ACTION + DEAL + 1] and mask[deal]:
        moves[at] = deal
        at += 1
    first = among_piles // WORD
    for word in range(first, len(words)):
        marks = words[np.uint64(word)]
        if word == first:
            marks &= ~np.uint64(0) << np.uint64(WORD * (among_piles % WORD))
        while marks:
            lowest = marks & (~marks + np.uint64(1))
            action = word * WORD + np.int64(lowest * BYTE_NUMBERS >> np.uint64(56))
            marks ^= lowest
            if not (idle and is_idle(spec, state, action)):
                moves[np.uint64(at)] = action
                at += 1
    last = (among_piles - 1) // WORD
    for word in range(last, -1, -1):
        if words[word] == np.uint64(0):
            continue
        for action in range(min(word * WORD + WORD, among_piles) - 1, word * WORD - 1, -1):
            if mask[action] and action != deal:
                moves[at] = action
                at += 1
    return at


@jit_inline
def follow(
    spec: Spec,
    facts: Facts,
    parent: State,
    key: np.uint64,
    totals: Totals,
    action: int,
    child: State,
    child_totals: Totals,
    log: Log,
) -> tuple[np.uint64, int]:
    """Makes ``child`` from ``parent`` by an action; returns its key, and a second action played after it or NO_ACTION.

    ``totals`` are those of the parent (see keys.py), ``child_totals`` becomes those of the child.

    A second action is played where the first only exchanges the ends of two runs, so that the position is held for
    the same (see keys.py), and leaves one of them a single card that a foundation takes. That play is the only one
    that is open in one of the positions held for the same and has no match in another: it takes away a head, where
    the play of an equal top card from a longer run does not. For all others it is the same which head a top belongs
    to: a card on a top, a run on a top, a suffix to a space (it takes two neighbours of a run apart, and how many
    runs hold both depends on heads and tops alone). One exchange is enough: a head without cards above is had by
    giving those above it to the run whose top equals it.
    """
    copy_row(child, parent)
    for pile in range(spec[PILES]):
        child_totals[np.uint64(pile)] = totals[np.uint64(pile)]
    apply_action(spec, child, action, log)
    after = child_key(spec, facts, parent, key, child, log, child_totals)
    if facts[EXCHANGES] and after == key and spec[ACTION_TABLE + 4 * action] == PILE_PILE:
        source = spec[ACTION_TABLE + 4 * action + 1]
        if run_length(spec, child, source) == 1 and foundation_for(spec, child, top_card(spec, child, source)) >= 0:
            second = spec[FIRST_ACTION + PILE_FOUNDATION] + source
            apply_action(spec, child, second, log)
            log[0] = LOG_ALL  # it tells of the second action only
            return position_key(spec, facts, child, child_totals), second
    return after, NO_ACTION
