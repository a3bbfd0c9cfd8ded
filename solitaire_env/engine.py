"""Steps of one environment and of rows of them, compiled: rules, mask, observation and reward together.

The single and the vector environment call the same functions. All arrays are the caller's; a step allocates nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit, jit_inline, jit_nogil
from solitaire_env.dealing import deal_cards
from solitaire_env.kernel import LOST, PLAYING, WON, Mask, apply_action, is_won, mark_legal, outcome
from solitaire_env.layout import (
    ACTION_TABLE,
    DECK_SIZE,
    FOUNDATION_PILE,
    N_ACTIONS,
    PILE_FOUNDATION,
    WASTE_FOUNDATION,
    Spec,
    State,
)
from solitaire_env.observation import Bits, CardIndex, observe, observe_changes
from solitaire_env.pile_sets import PileSets, find_pile_sets, update_pile_sets
from solitaire_env.repeats import Memory, mask_repeats, remember, remember_first
from solitaire_env.stacks import Log

Options = NDArray[np.int64]
# What a user chose for an environment: the entries of Options.
LEVEL, AVOID_REPEATS, REWARD = range(3)
REWARDS = ("progress", "win")
PROGRESS = REWARDS.index("progress")

ILLEGAL = 3
"""Added to an outcome (PLAYING, WON, LOST) when the action was not legal and nothing changed."""


@jit
def begin(
    spec: Spec,
    options: Options,
    state: State,
    sets: PileSets,
    mask: Mask,
    index: CardIndex,
    observation: Bits,
    memory: Memory,
) -> int:
    """Makes mask and observation of a state laid out afresh; returns PLAYING, WON or LOST."""
    if options[AVOID_REPEATS]:
        remember_first(spec, state, memory)
    observe(spec, options[LEVEL], state, index, observation)
    find_pile_sets(spec, state, sets)
    return _end_of_step(spec, options, state, sets, is_won(spec, state), mask, memory)


@jit_inline
def advance(
    spec: Spec,
    options: Options,
    penalty: float,
    state: State,
    sets: PileSets,
    action: int,
    mask: Mask,
    index: CardIndex,
    observation: Bits,
    memory: Memory,
    log: Log,
) -> tuple[int, float]:
    """Plays an action if ``mask`` has it.

    Returns:
        The outcome, plus ILLEGAL where the action was not legal and nothing changed, and the reward.
    """
    if action < 0 or action >= spec[N_ACTIONS] or mask[action] == 0:
        return ILLEGAL + outcome(spec, state, np.int64(mask.any())), -penalty
    kind = spec[ACTION_TABLE + 4 * action]
    gained = np.int64((kind >= WASTE_FOUNDATION) & (kind <= PILE_FOUNDATION)) - np.int64(kind == FOUNDATION_PILE)
    apply_action(spec, state, action, log)
    if options[AVOID_REPEATS]:
        remember(spec, state, log, memory)
    update_pile_sets(spec, state, log, sets)
    observe_changes(spec, options[LEVEL], state, log, index, observation)
    won = gained > 0 and is_won(spec, state)
    ending = _end_of_step(spec, options, state, sets, won, mask, memory)
    reward = np.float64(won)
    if options[REWARD] == PROGRESS:
        reward += gained / spec[DECK_SIZE]
    return ending, reward


@jit_inline
def _end_of_step(
    spec: Spec, options: Options, state: State, sets: PileSets, won: bool, mask: Mask, memory: Memory
) -> int:
    if won:
        mask[:] = 0
        return WON
    legal = mark_legal(spec, state, sets, mask)
    if options[AVOID_REPEATS]:
        legal = mask_repeats(spec, state, memory, mask, legal)
    return PLAYING if legal > 0 else LOST


@jit
def _copy(source: NDArray[Any], target: NDArray[Any]) -> None:
    for i in range(len(source)):  # compiled, a loop is many times as fast as assigning a whole row
        target[i] = source[i]


@jit
def first_outside(actions: NDArray[np.int64], n_actions: int) -> int:
    """Returns the index of the first action that is none of 0 to ``n_actions - 1``, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= n_actions:
            return i
    return -1


@jit_nogil
def begin_rows(
    rows: NDArray[np.int64],
    spec: Spec,
    options: Options,
    deals: NDArray[np.int64],
    states: State,
    all_sets: PileSets,
    masks: Mask,
    indices: CardIndex,
    observations: Bits,
    memories: Memory,
    out_observations: Bits,
    out_masks: Mask,
    illegal: NDArray[np.bool_],
    won: NDArray[np.bool_],
) -> None:
    """Deals ``deals[i]`` in each row ``i`` of ``rows``; a deal below 0 leaves the state as it is laid out."""
    for i in rows:
        if deals[i] >= 0:
            deal_cards(spec, states[i], deals[i])
        ending = begin(spec, options, states[i], all_sets[i], masks[i], indices[i], observations[i], memories[i])
        illegal[i] = False
        won[i] = ending == WON
        _copy(observations[i], out_observations[i])
        _copy(masks[i], out_masks[i])


@jit_nogil
def advance_rows(
    first: int,
    last: int,
    spec: Spec,
    options: Options,
    penalty: float,
    limit: int,
    actions: NDArray[np.int64],
    states: State,
    all_sets: PileSets,
    masks: Mask,
    indices: CardIndex,
    observations: Bits,
    memories: Memory,
    log: Log,
    deals: NDArray[np.int64],
    next_deals: NDArray[np.int64],
    elapsed: NDArray[np.int64],
    ended: NDArray[np.bool_],
    restarted: NDArray[np.bool_],
    illegal: NDArray[np.bool_],
    rewards: NDArray[np.float64],
    won: NDArray[np.bool_],
    terminated: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    out_observations: Bits,
    out_masks: Mask,
) -> int:
    """Steps the rows from ``first`` up to ``last``; a row that has ended begins its next deal instead.

    ``limit`` truncates an episode after that many steps, 0 never. ``restarted`` tells which rows began a deal; their
    number is returned.
    """
    begun = 0
    for i in range(first, last):
        restarted[i] = ended[i]
        if ended[i]:
            begun += 1
            deals[i] = next_deals[i]
            deal_cards(spec, states[i], deals[i])
            ending = begin(spec, options, states[i], all_sets[i], masks[i], indices[i], observations[i], memories[i])
            elapsed[i] = 0
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            ending, rewards[i] = advance(
                spec,
                options,
                penalty,
                states[i],
                all_sets[i],
                actions[i],
                masks[i],
                indices[i],
                observations[i],
                memories[i],
                log,
            )
            elapsed[i] += 1
            terminated[i] = ending % ILLEGAL != PLAYING
            truncated[i] = limit > 0 and elapsed[i] >= limit
        illegal[i] = ending >= ILLEGAL
        won[i] = ending % ILLEGAL == WON
        ended[i] = terminated[i] or truncated[i]
        _copy(observations[i], out_observations[i])
        _copy(masks[i], out_masks[i])
    return begun
