"""Keys kept up to date move by move, and what counts as one position."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solitaire_env import GAMES, Position
from solitaire_env.cards import RANKS, SUITS
from solitaire_env.dealing import new_deal
from solitaire_env.hashing import position_hash
from solitaire_env.kernel import legal_actions
from solitaire_env.layout import N_ACTIONS, PILES, compile_rules
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.solver.facts import EXCHANGES, facts_of
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import follow
from solitaire_env.stacks import LOG_SIZE
from tests.solver.small_positions import fewer_piles
from tests.variants import VARIANTS, variant_rules


@pytest.mark.parametrize("name", VARIANTS)
def test_key_of_a_child(name):
    """Along random games the key that is kept equals the key from scratch."""
    rules = variant_rules(name)
    spec, facts = compile_rules(rules), facts_of(rules)
    rng = random.Random(5)
    mask, log = np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
    for deal in range(10):
        state = new_deal(spec, deal)
        totals, child_totals, fresh = np.zeros((3, spec[PILES]), np.uint64)
        key = position_key(spec, facts, state, totals)
        for _ in range(150):
            if not legal_actions(spec, state, make_pile_sets(spec), mask):
                break
            child = np.zeros_like(state)
            action = rng.choice(np.flatnonzero(mask).tolist())
            key, _ = follow(spec, facts, state, np.uint64(key), totals, action, child, child_totals, log)
            state = child
            totals[:] = child_totals
            assert key == position_key(spec, facts, state, fresh)
            assert (totals == fresh).all()
            if not facts[EXCHANGES]:
                assert key == position_hash(spec, state)


def courtyard_key(piles: list[str], up: int) -> int:
    """Key of a position with three piles; ``up`` spades are on each spade foundation, the other suits are complete."""
    rules = fewer_piles(GAMES["courtyard"], 3)
    suits = ["".join(rank + suit for rank in RANKS) for suit in SUITS]
    foundations = [suits[0][: 2 * up]] * 2 + [suit for suit in suits[1:] for _ in range(2)]
    text = f"F={'/'.join(foundations)} T={'/'.join(piles)} S=- W=- R=- redeals=0"
    state = Position.from_text(text).to_state(rules)
    return position_key(compile_rules(rules), facts_of(rules), state, np.zeros(3, np.uint64))


def test_exchanged_ends_share_a_key():
    key = courtyard_key(["KSQSJS", "KSQSJSTS9S", "TS9S"], 8)
    assert courtyard_key(["KSQSJSTS9S", "TS9S", "KSQSJS"], 8) == key  # order of piles
    assert courtyard_key(["KSQSJSTS9S", "KSQSJS", "TS9S"], 8) == key
    assert courtyard_key(["KSQSJSTS9S", "KSQSJSTS", "9S"], 8) != key  # other heads and tops
    key = courtyard_key(["KSQSJS", "QSJSTS9S", "KSTS9S"], 8)
    assert courtyard_key(["KSQSJSTS9S", "QSJS", "KSTS9S"], 8) == key  # exchanged ends
    assert courtyard_key(["KSQSJSTS9S", "QSJSTS9S", "KS"], 8) != key
