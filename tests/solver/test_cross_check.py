"""The solver against a plain search, on thousands of small positions of every game and option."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
import pytest

from solitaire_env import GAMES, Position, Rules
from solitaire_env.kernel import is_won
from solitaire_env.layout import SIZES, STOCK, WASTE, compile_rules
from solitaire_env.solver import beam, depth_first, solve
from solitaire_env.solver.deadlock import N_ROOM, is_dead
from solitaire_env.solver.evaluation import weights_for
from solitaire_env.solver.facts import facts_of
from tests.solver.small_positions import judged_positions
from tests.variants import VARIANTS, variant_rules

NO_LIMIT = 2**60
OPTIONS = sorted(set(VARIANTS) - {"coyote", "swiss", "courtyard", "variegated"})

Judged = tuple[tuple[Rules, Position, str], ...]


@functools.cache
def judged(name: str, wanted: int) -> Judged:
    rules = GAMES[name] if name in GAMES else variant_rules(name)
    return tuple(judged_positions(rules, wanted, seed=sum(map(ord, name))))


def verdict_of_complete_search(rules: Rules, position: Position, prune: bool) -> str:
    spec, facts, root = compile_rules(rules), facts_of(rules), position.to_state(rules)
    if is_won(spec, root):
        return "won"
    search = depth_first.new_descent(spec, facts, root, depth=30_000, places=2**16, prune=prune)
    result = depth_first.descend(spec, facts, search, prune, NO_LIMIT)
    return {depth_first.FOUND: "won", depth_first.EXHAUSTED: "lost"}.get(result, "no room")


def check(name: str, wanted: int) -> None:
    counts: Counter[str] = Counter()
    for rules, position, verdict in judged(name, wanted):
        counts[verdict] += 1
        found = {
            "solve": solve(position, rules, max_memory=2**24).status,
            "complete": verdict_of_complete_search(rules, position, prune=True),
            "complete, nothing left out": verdict_of_complete_search(rules, position, prune=False),
        }
        assert set(found.values()) == {verdict}, (found, verdict, rules, position.to_text())
        if is_dead(compile_rules(rules), position.to_state(rules), np.zeros(N_ROOM, np.int64)):
            assert verdict == "lost", (rules, position.to_text())
    assert min(counts["won"], counts["lost"]) >= wanted // 20, counts


@pytest.mark.parametrize("game", GAMES)
def test_verdicts_equal_plain_search(game):
    check(game, 2_000)


@pytest.mark.parametrize("name", OPTIONS)
def test_verdicts_equal_plain_search_under_options(name):
    check(name, 250)


@pytest.mark.parametrize("game", GAMES)
def test_beam_says_lost_only_when_it_left_nothing_out(game):
    """A beam so narrow that it must leave positions out is right all the same where it claims anything."""
    claims: Counter[str] = Counter()
    for rules, position, verdict in judged(game, 2_000)[:500]:
        spec, facts, root = compile_rules(rules), facts_of(rules), position.to_state(rules)
        if is_won(spec, root):
            continue
        search = beam.new_beam(spec, facts, root, width=3, nodes=200, places=1024)
        talon = int(root[SIZES + STOCK]) + int(root[SIZES + WASTE])
        result = beam.advance(spec, facts, search, weights_for(rules), 3, talon, NO_LIMIT, NO_LIMIT)
        claim = "won" if result == beam.FOUND else "lost" if search.counters[beam.COMPLETE] else "none"
        claims[claim] += 1
        assert claim in (verdict, "none"), (rules, position.to_text())
    assert claims["won"] > 100
    assert claims["lost"] > 10
