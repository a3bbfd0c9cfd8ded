"""``solve`` as a user meets it: solutions that replay, limits, clear errors."""

from __future__ import annotations

import numpy as np
import pytest

from solitaire_env import COYOTE, GAMES, Position, Rules, SolitaireEnv
from solitaire_env.position import foundation_pile
from solitaire_env.solver import Solution, search, solve
from tests.variants import VARIANTS, variant_rules


def replay(env: SolitaireEnv, solution: Solution, **options: object) -> None:
    env.reset(options=options)
    info = {}
    for i, action in enumerate(solution.actions):
        _, _, terminated, _, info = env.step(action)
        assert not info["illegal_action"]
        assert terminated == (i + 1 == len(solution.actions))
    assert info["is_success"]


@pytest.mark.parametrize("game", GAMES)
def test_solutions_replay(game):
    env = SolitaireEnv(game)
    won = 0
    for deal in range(20):
        solution = solve(deal, GAMES[game], max_positions=100_000)
        assert (solution.status == "won") == bool(solution.actions)
        if solution.status == "won":
            won += 1
            assert solution.foundation_cards == GAMES[game].deck_size
            replay(env, solution, deal=deal)
    assert won > 0


@pytest.mark.parametrize("name", VARIANTS)
def test_solutions_replay_under_options(name):
    game, overrides = VARIANTS[name]
    env = SolitaireEnv(game, rules=overrides)
    for deal in range(5):
        solution = solve(deal, variant_rules(name), max_positions=50_000)
        if solution.status == "won":
            replay(env, solution, deal=deal)


def test_position_text_and_deal_give_the_same_solution():
    env = SolitaireEnv("courtyard")
    env.reset(options={"deal": 4})
    position = env.position
    by_deal = solve(4, GAMES["courtyard"], max_positions=500_000)
    assert by_deal.status == "won"
    assert solve(position, GAMES["courtyard"], max_positions=500_000) == by_deal
    assert solve(position.to_text(), GAMES["courtyard"], max_positions=500_000) == by_deal
    replay(env, by_deal, position=position)


def won_position(rules: Rules) -> Position:
    piles = tuple(foundation_pile(rules, f // rules.decks, 13) for f in range(rules.n_foundations))
    return Position(piles, ((),) * rules.n_piles, (), (), (), rules.redeals)


@pytest.mark.parametrize("game", GAMES)
def test_won_already(game):
    assert solve(won_position(GAMES[game]), GAMES[game]) == Solution("won", (), 1, GAMES[game].deck_size)


def test_text_that_cannot_be_read():
    with pytest.raises(ValueError, match="lacks T="):
        solve("F=ASZS", COYOTE)


def test_undecided_within_few_positions():
    solution = solve(0, GAMES["variegated_canfield"], max_positions=10)
    assert solution.status == "unknown"
    assert solution.actions == ()
    assert 1 <= solution.positions <= 200
    assert solution.foundation_cards >= 8


def test_time_limit():
    """What is beyond the limit is a slice of the search, not the search."""
    hard = next(d for d in range(100) if solve(d, GAMES["swiss"], max_positions=20_000).status == "unknown")
    solution = solve(hard, GAMES["swiss"], max_positions=10**9, max_seconds=1e-6)
    assert solution.status == "unknown"
    assert solution.positions < 10**6


def test_same_result_twice():
    for game, rules in GAMES.items():
        for deal in range(3):
            assert solve(deal, rules, max_positions=30_000) == solve(deal, rules, max_positions=30_000), game


def test_full_table_is_no_proof():
    """With memory for a few positions only, nothing is claimed that more memory takes back."""
    for deal in range(2):
        small = solve(deal, GAMES["swiss"], max_positions=2_000_000, max_memory=2**24)
        assert small.status in ("won", "unknown")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_positions": 0}, "max_positions is 0"),
        ({"max_positions": 1.5}, "max_positions is 1.5"),
        ({"max_positions": True}, "max_positions is True"),
        ({"max_seconds": 0}, "max_seconds is 0"),
        ({"max_seconds": "long"}, "max_seconds is 'long'"),
        ({"max_memory": 1000}, "max_memory is 1000"),
    ],
)
def test_limits_that_are_not_allowed(keywords, message):
    with pytest.raises(ValueError, match=message):
        solve(0, COYOTE, **keywords)


@pytest.mark.parametrize("deal", [-1, 2**63 - 1, 1.0, None, True])
def test_deals_that_are_not_allowed(deal):
    with pytest.raises(ValueError, match="position_or_deal is"):
        solve(deal, COYOTE)


def test_rules_that_are_not_allowed():
    with pytest.raises(ValueError, match="rules is 'coyote'"):
        solve(0, "coyote")


def test_position_of_another_game():
    with pytest.raises(ValueError, match="too many: AS"):
        solve(won_position(GAMES["courtyard"]), COYOTE)


def test_a_search_that_fails_is_widened_and_then_begun_anew_with_other_weights(monkeypatch):
    tried = []

    def fail(self, width, limit):
        assert limit > 0
        tried.append((width, tuple(self.weights.tolist())))
        self.positions += 1000

    monkeypatch.setattr(search._Search, "_search_anytime", fail)
    monkeypatch.setattr(search._Search, "_search_all", lambda self: self._solution("unknown", []))
    assert solve(0, COYOTE, max_positions=10**9).status == "unknown"
    widths, weights = zip(*tried, strict=True)
    assert widths[:4] == (64, 256, 1024, 1024)
    assert set(widths[4:]) == {1024}
    assert len(set(weights)) == search.RESTARTS + 1 == len(tried) - 2
    own = np.array(weights[0])
    for other in weights[3:]:
        factors = np.array(other)[own != 0] / own[own != 0]
        assert (np.abs(np.log(factors)) <= search.SPREAD + 1e-6).all()
        assert (np.array(other)[own == 0] == 0).all()

    first_time, tried[:] = list(tried), []
    solve(1, COYOTE, max_positions=10**9)
    assert tried == first_time  # the lot is the same for every deal, and every time
    tried.clear()
    solve(0, COYOTE, max_positions=10_000)
    assert len(tried) == 7  # as many as the share of the limit takes


def test_no_search_is_wider_than_the_memory_allows(monkeypatch):
    tried = []

    def fail(self, width, limit):
        tried.append(width)
        self.positions += 100_000

    monkeypatch.setattr(search._Search, "_search_anytime", fail)
    solve(0, GAMES["courtyard"], max_positions=1_000_000, max_memory=2**24)
    assert max(tried) < search.WIDEST
    assert len(tried) > 3
