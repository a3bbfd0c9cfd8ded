"""Narrow searches: what they find wins, and what was seen is not entered."""

from __future__ import annotations

import numpy as np
import pytest

from solitaire_env import GAMES, SolitaireEnv
from solitaire_env.dealing import new_deal
from solitaire_env.kernel import apply_action, is_won
from solitaire_env.layout import compile_rules
from solitaire_env.solver import solve
from solitaire_env.solver.narrow import NarrowSearch
from solitaire_env.stacks import LOG_SIZE


@pytest.mark.parametrize("game", GAMES)
def test_what_it_finds_wins(game: str) -> None:
    search, spec, log = NarrowSearch(GAMES[game]), compile_rules(GAMES[game]), np.zeros(LOG_SIZE, np.int16)
    found = 0
    for deal in range(12):
        state = new_deal(spec, deal)
        line = search.win(state, (16, 64))
        assert line == search.win(state, (16, 64)), "what was searched before makes no difference"
        if line is None:
            continue
        found += 1
        env = SolitaireEnv(game)
        env.reset(options={"deal": deal})
        for i, action in enumerate(line):
            *_, terminated, _, info = env.step(action)
            assert not info["illegal_action"]
            assert terminated == (i == len(line) - 1)
            apply_action(spec, state, action, log)
        assert info["is_success"]
        assert is_won(spec, state)
        assert search.win(state, (16,)) == []
    assert found >= 4


def test_finds_none_where_there_is_none() -> None:
    lost = next(deal for deal in range(200) if solve(deal, GAMES["coyote"]).status == "lost")
    assert NarrowSearch(GAMES["coyote"]).win(new_deal(compile_rules(GAMES["coyote"]), lost), (16, 64)) is None


@pytest.mark.parametrize("game", ["coyote", "swiss", "variegated_canfield"])
def test_does_not_enter_what_was_seen(game: str) -> None:
    search, spec, log = NarrowSearch(GAMES[game]), compile_rules(GAMES[game]), np.zeros(LOG_SIZE, np.int16)
    turned_away = 0
    for deal in range(12):
        root = new_deal(spec, deal)
        line = search.win(root, (16, 64))
        if line is None:
            continue
        first = root.copy()
        apply_action(spec, first, line[0], log)
        seen = [search.key(first)]
        other = search.win(root, (16, 64), seen)
        if other is None:
            continue
        turned_away += 1
        state = root.copy()
        for action in other:
            apply_action(spec, state, action, log)
            assert search.key(state) not in seen
    assert turned_away
