"""Pile sets that follow the moves against pile sets found anew, and masks made of them against masks from scratch."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

from solitaire_env import SolitaireEnv, SolitaireVectorEnv
from solitaire_env.kernel import legal_actions
from solitaire_env.layout import N_ACTIONS, compile_rules
from solitaire_env.pile_sets import find_pile_sets, make_pile_sets
from solitaire_env.rules import Rules
from tests.variants import VARIANTS, variant_rules

STEPS = 150


def check(rules: Rules, state: Any, sets: Any, mask: Any = None) -> None:
    """Compares what an environment keeps of a state with what is found from the state alone."""
    spec = compile_rules(rules)
    fresh, from_scratch = make_pile_sets(spec), np.ones(spec[N_ACTIONS], np.int8)
    fresh[:] = -1
    find_pile_sets(spec, state, fresh)
    np.testing.assert_array_equal(sets, fresh)
    if mask is not None:
        legal_actions(spec, state, fresh, from_scratch)
        np.testing.assert_array_equal(mask, from_scratch)


@pytest.mark.parametrize("autoreset_mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("avoid_repeats", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_kept_in_step_over_moves_and_resets(name: str, avoid_repeats: bool, autoreset_mode: str) -> None:
    rules = variant_rules(name)
    envs = SolitaireVectorEnv(
        rules, 4, avoid_repeats=avoid_repeats, max_episode_steps=40, autoreset_mode=autoreset_mode
    )
    _, infos = envs.reset(seed=1)
    rng = random.Random(2)
    rows = envs._rows
    changed = 0
    for step in range(STEPS):
        masks = infos["action_mask"]
        actions = [rng.choice(np.flatnonzero(mask).tolist() or [0]) for mask in masks]
        before = rows._pile_sets.copy()
        *_, infos = envs.step(np.array(actions))
        changed += bool((rows._pile_sets != before).any())
        if step % 50 == 49:  # what was kept before a reset is of no use after it
            position = envs.positions()[3]
            options: dict[str, Any] = {"reset_mask": np.array([True, False, True, False])}
            _, _ = envs.reset(options={**options, **({"position": position} if step == 99 else {})})
            infos = {"action_mask": rows.masks.copy()}
        for i in range(4):
            won = not rows.masks[i].any()
            check(rules, rows.states[i], rows._pile_sets[i], None if avoid_repeats or won else rows.masks[i])
    assert changed > STEPS // 10


@pytest.mark.parametrize("name", ["coyote", "swiss", "courtyard-corner", "variegated"])
def test_copied_single_environments_keep_sets_of_their_own(name: str) -> None:
    env = SolitaireEnv(variant_rules(name))
    env.reset(options={"deal": 3})
    rng = random.Random(4)
    for _ in range(STEPS):
        legal = np.flatnonzero(env._mask).tolist()
        if not legal:
            break
        other = copy.deepcopy(env)
        other.step(rng.choice(legal))
        check(env.rules, env._state, env._pile_sets, env._mask)
        env.step(rng.choice(legal))
        check(env.rules, env._state, env._pile_sets, None if not env._mask.any() else env._mask)


def test_an_illegal_action_leaves_them_as_they_are() -> None:
    env = SolitaireEnv("swiss")
    env.reset(options={"deal": 3})
    illegal = int(np.flatnonzero(env._mask == 0)[0])
    before = env._pile_sets.copy()
    assert env.step(illegal)[4]["illegal_action"]
    np.testing.assert_array_equal(env._pile_sets, before)
    check(env.rules, env._state, env._pile_sets, env._mask)
