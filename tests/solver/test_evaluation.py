"""Scores kept up to date move by move, and the heap that orders them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solitaire_env.dealing import new_deal
from solitaire_env.kernel import legal_actions
from solitaire_env.layout import N_ACTIONS, PILES, compile_rules
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.solver.evaluation import evaluate, evaluate_child, evaluate_parts, new_parts, weights_for
from solitaire_env.solver.facts import facts_of
from solitaire_env.solver.heap import pop, push
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import follow
from solitaire_env.stacks import LOG_SIZE
from tests.variants import VARIANTS, variant_rules


@pytest.mark.parametrize("name", VARIANTS)
def test_score_of_a_child(name):
    """Along random games the score that is kept is, to the last bit, the score from scratch."""
    rules = variant_rules(name)
    spec, facts, weights = compile_rules(rules), facts_of(rules), weights_for(rules)
    rng = random.Random(6)
    mask, log = np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
    parts, cards = new_parts(spec, 3)
    totals = np.zeros((2, spec[PILES]), np.uint64)
    scores = set()
    for deal in range(10):
        state = new_deal(spec, deal)
        score = evaluate_parts(spec, state, weights, parts[0], cards[0])
        for _ in range(150):
            assert score == pytest.approx(evaluate(spec, state, weights), abs=1e-9)
            if not legal_actions(spec, state, make_pile_sets(spec), mask):
                break
            child = np.zeros_like(state)
            key = position_key(spec, facts, state, totals[0])
            actions = np.flatnonzero(mask).tolist()
            follow(spec, facts, state, np.uint64(key), totals[0], rng.choice(actions), child, totals[1], log)
            score = evaluate_child(spec, state, child, log, weights, parts[0], cards[0], parts[1], cards[1])
            assert score == evaluate_parts(spec, child, weights, parts[2], cards[2])
            assert (parts[1] == parts[2]).all()
            assert (cards[1] == cards[2]).all()
            scores.add(score)
            state = child
            parts[0], cards[0] = parts[1], cards[1]
    assert len(scores) > 20


def test_heap_gives_the_highest_score_first():
    rng = np.random.default_rng(7)
    scores, items = np.full(200, np.nan, np.float32), np.zeros(200, np.int32)
    waiting: list[float] = []
    worth: dict[int, float] = {}
    for item in range(2_000):
        if len(waiting) < 200 and (not waiting or rng.random() < 0.6):
            worth[item] = float(np.float32(rng.integers(50)))
            push(scores, items, len(waiting), np.float32(worth[item]), item)
            waiting.append(worth[item])
        else:
            best = pop(scores, items, len(waiting))
            assert worth.pop(int(best)) == max(waiting)
            waiting.remove(max(waiting))
    assert waiting
