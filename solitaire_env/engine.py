"""One environment's step, compiled: rules, mask and observation together. Both the single and the vector env call it."""

from __future__ import annotations

import numpy as np

from solitaire_env.kernel import WON, apply_action, foundation_cards, jit, legal_actions, outcome
from solitaire_env.layout import N_ACTIONS
from solitaire_env.observation import observe, observe_changes
from solitaire_env.repeats import COUNT, mask_repeats, remember

# What a user chose for an environment, as an int64 array.
LEVEL, AVOID_REPEATS = range(2)

ILLEGAL = 3
"""Added to an outcome (PLAYING, WON, LOST) when the action was not legal and nothing changed."""


@jit
def begin(spec, options, state, mask, index, observation, memory):
    """Makes mask and observation of a freshly dealt state; returns PLAYING, WON or LOST."""
    if options[AVOID_REPEATS]:
        memory[COUNT] = np.uint64(0)
        remember(spec, state, memory)
    observe(spec, options[LEVEL], state, index, observation)
    return _end_of_step(spec, options, state, mask, memory)


@jit
def advance(spec, options, state, action, mask, index, observation, memory, log):
    """Plays an action if ``mask`` has it.

    Returns:
        The outcome, plus ILLEGAL where the action was not legal, and the foundation cards gained (negative when taken back).
    """
    if action < 0 or action >= spec[N_ACTIONS] or mask[action] == 0:
        legal = 0
        for i in range(spec[N_ACTIONS]):
            legal += mask[i]
        return ILLEGAL + outcome(spec, state, legal), 0
    before = foundation_cards(spec, state)
    apply_action(spec, state, action, log)
    if options[AVOID_REPEATS]:
        remember(spec, state, memory)
    observe_changes(spec, options[LEVEL], state, log, index, observation)
    ending = _end_of_step(spec, options, state, mask, memory)
    return ending, foundation_cards(spec, state) - before


@jit
def _end_of_step(spec, options, state, mask, memory):
    legal = legal_actions(spec, state, mask)
    if options[AVOID_REPEATS]:
        legal = mask_repeats(spec, state, memory, mask, legal)
    ending = outcome(spec, state, legal)
    if ending == WON:
        mask[:] = 0
    return ending
