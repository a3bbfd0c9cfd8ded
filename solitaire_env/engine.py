"""Steps of one environment and of rows of them, compiled: rules, mask, observation and reward together.

The single and the vector environment call the same functions. All arrays are the caller's; a step allocates nothing.
"""

from __future__ import annotations

import numba
import numpy as np

from solitaire_env.dealing import deal_cards
from solitaire_env.kernel import LOST, PLAYING, WON, apply_action, foundation_cards, is_won, jit, legal_actions, outcome
from solitaire_env.layout import DECK_SIZE, N_ACTIONS
from solitaire_env.observation import observe, observe_changes
from solitaire_env.repeats import COUNT, mask_repeats, remember

# What a user chose for an environment, as an int64 array.
LEVEL, AVOID_REPEATS, REWARD = range(3)
REWARDS = ("progress", "win")
PROGRESS = REWARDS.index("progress")

ILLEGAL = 3
"""Added to an outcome (PLAYING, WON, LOST) when the action was not legal and nothing changed."""


@jit
def begin(spec, options, state, mask, index, observation, memory):
    """Makes mask and observation of a state laid out afresh; returns PLAYING, WON or LOST."""
    if options[AVOID_REPEATS]:
        memory[COUNT] = np.uint64(0)
        remember(spec, state, memory)
    observe(spec, options[LEVEL], state, index, observation)
    return _end_of_step(spec, options, state, mask, memory)


@jit
def advance(spec, options, penalty, state, action, mask, index, observation, memory, log):
    """Plays an action if ``mask`` has it.

    Returns:
        The outcome, plus ILLEGAL where the action was not legal and nothing changed, and the reward.
    """
    if action < 0 or action >= spec[N_ACTIONS] or mask[action] == 0:
        return ILLEGAL + _outcome_again(spec, state, mask), -penalty
    before = foundation_cards(spec, state)
    apply_action(spec, state, action, log)
    if options[AVOID_REPEATS]:
        remember(spec, state, memory)
    observe_changes(spec, options[LEVEL], state, log, index, observation)
    ending = _end_of_step(spec, options, state, mask, memory)
    reward = 1.0 if ending == WON else 0.0
    if options[REWARD] == PROGRESS:
        reward += (foundation_cards(spec, state) - before) / spec[DECK_SIZE]
    return ending, reward


@jit
def _end_of_step(spec, options, state, mask, memory):
    legal = legal_actions(spec, state, mask)
    if options[AVOID_REPEATS]:
        legal = mask_repeats(spec, state, memory, mask, legal)
    ending = outcome(spec, state, legal)
    if ending == WON:
        mask[:] = 0
    return ending


@jit
def _outcome_again(spec, state, mask):
    if is_won(spec, state):
        return WON
    for action in range(spec[N_ACTIONS]):
        if mask[action]:
            return PLAYING
    return LOST


@jit
def _copy(source, target):
    for i in range(len(source)):  # compiled, a loop is many times as fast as assigning a whole row
        target[i] = source[i]


@numba.njit(cache=True, nogil=True)
def begin_rows(
    rows, spec, options, deals, states, masks, indices, observations, memories, out_observations, out_masks, outcomes
):
    """Deals ``deals[i]`` in each row ``i`` of ``rows``; a deal below 0 leaves the state as it is laid out."""
    for i in rows:
        if deals[i] >= 0:
            deal_cards(spec, states[i], deals[i])
        outcomes[i] = begin(spec, options, states[i], masks[i], indices[i], observations[i], memories[i])
        _copy(observations[i], out_observations[i])
        _copy(masks[i], out_masks[i])


@numba.njit(cache=True, nogil=True)
def advance_rows(
    first,
    last,
    spec,
    options,
    penalty,
    limit,
    actions,
    states,
    masks,
    indices,
    observations,
    memories,
    log,
    deals,
    next_deals,
    elapsed,
    ended,
    restarted,
    outcomes,
    rewards,
    terminated,
    truncated,
    out_observations,
    out_masks,
):
    """Steps the rows from ``first`` up to ``last``; a row that has ended begins its next deal instead.

    ``limit`` truncates an episode after that many steps, 0 never. ``restarted`` tells which rows began a deal.
    """
    for i in range(first, last):
        restarted[i] = ended[i]
        if ended[i]:
            deals[i] = next_deals[i]
            deal_cards(spec, states[i], deals[i])
            outcomes[i] = begin(spec, options, states[i], masks[i], indices[i], observations[i], memories[i])
            elapsed[i] = 0
            rewards[i] = 0.0
            terminated[i] = False
            truncated[i] = False
        else:
            outcomes[i], rewards[i] = advance(
                spec,
                options,
                penalty,
                states[i],
                actions[i],
                masks[i],
                indices[i],
                observations[i],
                memories[i],
                log,
            )
            elapsed[i] += 1
            terminated[i] = outcomes[i] % ILLEGAL != PLAYING
            truncated[i] = limit > 0 and elapsed[i] >= limit
        ended[i] = terminated[i] or truncated[i]
        _copy(observations[i], out_observations[i])
        _copy(masks[i], out_masks[i])
