"""Exchanging suits gives what the exchanged position gives."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.symmetry import exchange_suits, exchanged_actions, exchanged_cards, suit_exchanges
from solitaire_env import GAMES, Position, SolitaireEnv
from solitaire_env.cards import card_code, card_text


@pytest.mark.parametrize("game", GAMES)
def test_exchanges_keep_the_rules(game: str) -> None:
    exchanges = suit_exchanges(GAMES[game])
    assert len(exchanges) == (24 if GAMES[game].build == "suit" else 8)
    assert (0, 1, 2, 3) in exchanges
    assert ((0, 2, 1, 3) in exchanges) == (len(exchanges) in (8, 24))  # both red suits
    assert ((1, 0, 2, 3) in exchanges) == (len(exchanges) == 24)  # a black one and a red one


@pytest.mark.parametrize("game", GAMES)
def test_an_exchanged_position_is_seen_so(game: str) -> None:
    rules, generator = GAMES[game], np.random.default_rng(0)
    exchanges = suit_exchanges(rules)
    env, other = SolitaireEnv(game), SolitaireEnv(game)
    observation, info = env.reset(options={"deal": 1_000_000})
    for step in range(80):
        exchange = exchanges[step % len(exchanges)]
        cards = exchanged_cards(exchange)

        def of(pile: tuple[str, ...], cards: np.ndarray = cards) -> tuple[str, ...]:
            return tuple(card_text(int(cards[card_code(card)])) for card in pile)

        here = env.position
        foundations = [()] * len(here.foundations)
        for i, pile in enumerate(here.foundations):
            suit, copy = divmod(i, rules.decks)
            foundations[exchange[suit] * rules.decks + copy] = of(pile)
        changed = Position(
            foundations=tuple(foundations),
            tableau=tuple(of(pile) for pile in here.tableau),
            stock=of(here.stock),
            waste=of(here.waste),
            reserve=of(here.reserve),
            redeals_left=here.redeals_left,
            stock_seen=here.stock_seen,
        )
        seen, known = other.reset(options={"position": changed})
        mask = info["action_mask"].astype(bool)
        action = generator.choice(np.flatnonzero(mask))
        got = exchange_suits(rules, exchange, observation[None], mask[None], np.array([action]))
        assert (got[0][0] == seen).all()
        assert (got[1][0] == known["action_mask"].astype(bool)).all()
        assert got[2][0] == exchanged_actions(rules, exchange)[action]
        observation, _, terminated, _, info = env.step(action)
        other.step(got[2][0])
        assert of(env.position.waste) == other.position.waste
        if terminated:
            break
