"""More freedom never loses a won position: redeals, spaces, moves, returns, the stock's top card to a space."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from solitaire_env import GAMES
from solitaire_env.solver import solve
from tests.solver.small_positions import judged_positions

STEPS: dict[str, tuple[str, list[Any]]] = {
    "coyote": ("moves", ["single", "top_or_pile", "top_or_run", "any_suffix"]),
    "swiss": ("spaces", ["none", "ace", "any"]),
    "courtyard": ("spaces", ["none", "ace", "any"]),
    "variegated_canfield": ("moves", ["single", "top_or_pile", "top_or_run", "any_suffix"]),
}


def assert_rising(verdicts: list[str], about: object) -> None:
    assert set(verdicts) <= {"won", "lost"}, about
    assert verdicts == sorted(verdicts), about  # "lost" before "won"


@pytest.mark.parametrize("game", GAMES)
def test_more_redeals(game):
    some = GAMES[game].replace(redeals=3)
    rising = 0
    for rules, position, _ in judged_positions(some, 150, seed=1):
        verdicts = [
            solve(dataclasses.replace(position, redeals_left=left), rules, max_memory=2**24).status for left in range(4)
        ]
        unlimited = dataclasses.replace(position, redeals_left=None)
        verdicts.append(solve(unlimited, rules.replace(redeals=None), max_memory=2**24).status)
        assert_rising(verdicts, (rules, position.to_text()))
        rising += verdicts[0] != verdicts[-1]
    assert rising > 0


@pytest.mark.parametrize("game", GAMES)
def test_freer_rules(game):
    field, values = STEPS[game]
    strict = GAMES[game].replace(stock_to_space=False, **{field: values[0]})
    rising = 0
    for rules, position, _ in judged_positions(strict, 150, seed=2):
        verdicts = [solve(position, rules.replace(**{field: value}), max_memory=2**24).status for value in values]
        returns = rules.replace(**{field: values[-1]}, foundation_returns=True)
        verdicts.append(solve(position, returns, max_memory=2**24).status)
        assert_rising(verdicts, (rules, position.to_text()))
        rising += verdicts[0] != verdicts[-1]
    assert rising > 0


def test_stock_to_space():
    strict = GAMES["variegated_canfield"].replace(stock_to_space=False)
    for rules, position, verdict in judged_positions(strict, 150, seed=3):
        freer = solve(position, rules.replace(stock_to_space=True), max_memory=2**24).status
        assert_rising([verdict, freer], position.to_text())
