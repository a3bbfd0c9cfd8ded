"""Explorations up to the next draw, and playouts: legal, blind to the order of the stock, and fair to every draw."""

from __future__ import annotations

import numpy as np
import pytest

from solitaire_env import GAMES, Position
from solitaire_env.dealing import new_deal
from solitaire_env.kernel import apply_action, legal_actions
from solitaire_env.layout import CARDS_PER_DEAL, DECK_SIZE, N_ACTIONS, SIZES, STOCK, compile_rules, stack
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.solver import beam
from solitaire_env.solver.evaluation import MOVE, evaluate, weights_for
from solitaire_env.solver.facts import facts_of
from solitaire_env.solver.layer import DRAWS, NODES, Layer, explore, make_draw, new_layer, rank_draws
from solitaire_env.solver.moves import line_from_root
from solitaire_env.solver.playout import is_hidden, new_playouts, try_draws
from solitaire_env.stacks import LOG_SIZE

WIDTH = 64


def _dealt(game: str, deal: int, draws: int = 0) -> np.ndarray:
    """A deal after some draws, each the best in the evaluation's eyes."""
    spec = compile_rules(GAMES[game])
    state = new_deal(spec, deal)
    generator = np.zeros(1, np.uint64)
    for _ in range(draws):
        layer = _explored(game, state)
        best = rank_draws(spec, layer, weights_for(GAMES[game]), 2, generator)
        make_draw(spec, layer, best, state, 0, generator)
    return state


def _explored(game: str, state: np.ndarray) -> Layer:
    rules = GAMES[game]
    layer = new_layer(compile_rules(rules), WIDTH)
    explore(compile_rules(rules), facts_of(rules), layer, state, weights_for(rules), WIDTH)
    return layer


@pytest.mark.parametrize("game", GAMES)
def test_every_draw_is_reached_by_legal_actions_and_draws(game: str) -> None:
    spec = compile_rules(GAMES[game])
    log, mask = np.zeros(LOG_SIZE, np.int16), np.zeros(spec[N_ACTIONS], np.int8)
    for deal, draws in ((1000, 0), (1001, 6), (1002, 12)):
        root = _dealt(game, deal, draws)
        layer = _explored(game, root)
        assert layer.counters[DRAWS] > 0
        for draw in range(layer.counters[DRAWS]):
            state = root.copy()
            node = int(layer.draw_nodes[draw])
            actions = [*line_from_root(layer.parents, layer.actions, node), int(layer.draw_actions[draw])]
            for action in actions:
                assert state[SIZES + STOCK] == root[SIZES + STOCK]
                legal_actions(spec, state, make_pile_sets(spec), mask)
                assert mask[action]
                apply_action(spec, state, action, log)
            assert state[SIZES + STOCK] != root[SIZES + STOCK]


@pytest.mark.parametrize("game", GAMES)
def test_an_exploration_does_not_depend_on_the_order_of_the_stock(game: str) -> None:
    spec = compile_rules(GAMES[game])
    root = _dealt(game, 1003, 5)
    other = root.copy()
    cards = stack(spec, other, STOCK, int(other[SIZES + STOCK]))
    cards[:] = cards[::-1].copy()
    one, two = _explored(game, root), _explored(game, other)
    nodes, draws = one.counters[NODES], one.counters[DRAWS]
    assert (one.counters == two.counters).all()
    assert (one.actions[:nodes] == two.actions[:nodes]).all()
    assert (one.draw_nodes[:draws] == two.draw_nodes[:draws]).all()
    assert (one.draw_actions[:draws] == two.draw_actions[:draws]).all()


def test_draws_are_ranked_by_the_mean_over_the_cards_that_may_come() -> None:
    """In Swiss, where one card comes at a time: the mean over every card of the stock, taken one by one."""
    spec, weights, log = compile_rules(GAMES["swiss"]), weights_for(GAMES["swiss"]), np.zeros(LOG_SIZE, np.int16)
    layer = _explored("swiss", _dealt("swiss", 1004, 3))
    best = rank_draws(spec, layer, weights, 4000, np.zeros(1, np.uint64))
    draws = int(layer.counters[DRAWS])
    for draw in range(draws):
        node = int(layer.draw_nodes[draw])
        scores = []
        for card in range(layer.rows[node][SIZES + STOCK]):
            state = layer.rows[node].copy()
            cards = stack(spec, state, STOCK, int(state[SIZES + STOCK]))
            cards[-1], cards[card] = cards[card], cards[-1]
            apply_action(spec, state, int(layer.draw_actions[draw]), log)
            scores.append(evaluate(spec, state, weights))
        assert layer.draw_scores[draw] == pytest.approx(np.mean(scores) + weights[MOVE] * layer.lengths[node], abs=0.3)
    assert layer.draw_scores[best] == layer.draw_scores[:draws].max()


@pytest.mark.parametrize("game", GAMES)
def test_all_draws_meet_the_same_stock(game: str) -> None:
    spec, generator = compile_rules(GAMES[game]), np.zeros(1, np.uint64)
    root = _dealt(game, 1005, 2)
    layer = _explored(game, root)
    size = int(root[SIZES + STOCK])
    whole = np.sort(stack(spec, root, STOCK, size))
    state, stocks = root.copy(), []
    for draw in range(layer.counters[DRAWS]):
        generator[0] = 99
        make_draw(spec, layer, draw, state, spec[DECK_SIZE], generator)
        stocks.append(stack(spec, state, STOCK, int(state[SIZES + STOCK])).copy())
        assert not (np.setdiff1d(stocks[-1], whole)).size
    fewest = min(map(len, stocks))
    assert all((stock[:fewest] == stocks[0][:fewest]).all() for stock in stocks)  # the bottom, drawn last
    assert fewest >= size - spec[CARDS_PER_DEAL]
    assert (stack(spec, root, STOCK, size)[:fewest] != stocks[0][:fewest]).any()


def _values(position: str, samples: int) -> np.ndarray:
    rules = GAMES["swiss"]
    spec, facts, weights = compile_rules(rules), facts_of(rules), weights_for(rules)
    root = Position.from_text(position).to_state(rules)
    assert is_hidden(root)
    layer = _explored("swiss", root)
    draws = np.arange(layer.counters[DRAWS], dtype=np.int32)
    values = np.zeros((len(draws), samples), np.float32)
    playouts = new_playouts(spec, facts, root, 20, 8)
    try_draws(spec, facts, layer, draws, 0, samples, np.uint64(7), playouts, weights, 20, 8, 2, values)
    return values


FULL = "23456789TJQK"


def _foundation(suit: str, cards: str = FULL) -> str:
    return "".join(rank + suit for rank in cards)


def test_a_playout_wins_what_cannot_be_missed_and_no_more() -> None:
    """Four aces in the stock go up whenever they come; a stock that buries a three under a two's need never wins."""
    full = "/".join(_foundation(suit) for suit in "SHDC")
    won = _values(f"F={full} T={'/'.join('-' * 9)} S=ASAHADAC W=- R=- redeals=0", 6)
    assert (won == 1).all()
    lost = "-/-/-/-"
    cards = [rank + suit for suit in "SHDC" for rank in "A" + FULL]
    stock, waste = cards[1:3], [cards[0], *cards[3:]]
    values = _values(f"F={lost} T={'/'.join('-' * 9)} S={''.join(stock)} W={''.join(sorted(waste))} R=- redeals=0", 6)
    assert ((values >= -1) & (values < 0)).all()


def test_a_restarted_search_is_as_good_as_new() -> None:
    for game in GAMES:
        rules = GAMES[game]
        spec, facts, weights = compile_rules(rules), facts_of(rules), weights_for(rules)
        roots = [_dealt(game, deal) for deal in (1006, 1007)]
        used, limit = beam.room_for(spec, facts, roots[0], 8), 2**40
        talon = int(roots[0][SIZES + STOCK])
        beam.advance(spec, facts, used, weights, 8, talon, limit, limit)
        beam.restart(spec, facts, used, roots[1])
        new = beam.room_for(spec, facts, roots[1], 8)
        for search in (used, new):
            beam.advance(spec, facts, search, weights, 8, talon, limit, limit)
        assert (used.counters[: beam.N_COUNTERS] == new.counters).all()
        assert (used.actions[: new.counters[beam.NODES]] == new.actions[: new.counters[beam.NODES]]).all()
