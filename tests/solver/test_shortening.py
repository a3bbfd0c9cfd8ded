"""Detours go, the win stays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solitaire_env import GAMES
from solitaire_env.dealing import new_deal
from solitaire_env.hashing import position_hash
from solitaire_env.kernel import apply_action, legal_actions
from solitaire_env.layout import N_ACTIONS, compile_rules
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.solver.shortening import shorten
from solitaire_env.stacks import LOG_SIZE


@pytest.mark.parametrize("game", GAMES)
def test_same_end_by_no_more_moves(game):
    spec = compile_rules(GAMES[game])
    rng = random.Random(3)
    sets, mask, log = make_pile_sets(spec), np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
    saved = 0
    for deal in range(20):
        root = new_deal(spec, deal)
        state, actions = root.copy(), []
        while len(actions) < 80 and legal_actions(spec, state, sets, mask):
            actions.append(rng.choice(np.flatnonzero(mask).tolist()))
            apply_action(spec, state, actions[-1], log)
        shorter = shorten(spec, root, actions)
        end = root.copy()
        for action in shorter:
            legal_actions(spec, end, sets, mask)
            assert mask[action]
            apply_action(spec, end, action, log)
        assert position_hash(spec, end) == position_hash(spec, state)
        assert len(shorter) <= len(actions)
        saved += len(actions) - len(shorter)
    assert saved > 0
