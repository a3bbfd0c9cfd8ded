"""Exchanging suits: positions that are the same game to the rules, and more examples to learn from."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from solitaire_env.actions import ActionTable
from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT, SUITS
from solitaire_env.layout import may_lie_on
from solitaire_env.observation import row_width
from solitaire_env.rules import Rules

Exchange = tuple[int, ...]
"""What each suit becomes, in the order S H D C."""


def suit_exchanges(rules: Rules) -> list[Exchange]:
    """Returns all exchanges of suits that keep what may lie on what: 24 where piles build in suit, else 8."""
    cards = range(CARDS_PER_DECK)
    fits = np.array([[may_lie_on(rules, card, beneath) for beneath in cards] for card in cards])
    kept = []
    for exchange in itertools.permutations(range(len(SUITS))):
        to = exchanged_cards(exchange)
        if (fits[np.ix_(to, to)] == fits).all():
            kept.append(exchange)
    return kept


def exchanged_cards(exchange: Exchange) -> NDArray[np.int64]:
    """Returns what each card becomes, int64 ``(52,)``."""
    return np.array([exchange[card // RANKS_PER_SUIT] * RANKS_PER_SUIT + card % RANKS_PER_SUIT for card in range(52)])


def exchanged_actions(rules: Rules, exchange: Exchange) -> NDArray[np.int64]:
    """Returns what each action becomes, int64 ``(n,)``: only a foundation as source has a suit."""
    table = ActionTable(rules)
    to = []
    for index in range(table.n):
        action = table.decode(index)
        if action.kind == "foundation_pile":
            suit, copy = divmod(action.source, rules.decks)
            action = action._replace(source=exchange[suit] * rules.decks + copy)
        to.append(table.encode(action))
    return np.array(to)


def exchange_suits(
    rules: Rules,
    exchange: Exchange,
    observations: NDArray[np.uint8],
    masks: NDArray[np.bool_],
    actions: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int64]]:
    """Returns observations ``(n, m)``, masks and actions as they are after an exchange of suits."""
    rows = CARDS_PER_DECK * row_width(rules)
    table = observations[:, :rows].reshape(len(observations), CARDS_PER_DECK, -1)
    exchanged = np.empty_like(table)
    exchanged[:, exchanged_cards(exchange)] = table
    to = exchanged_actions(rules, exchange)
    exchanged_masks = np.empty_like(masks)
    exchanged_masks[:, to] = masks
    flat = exchanged.reshape(len(observations), rows)
    return np.concatenate([flat, observations[:, rows:]], axis=1), exchanged_masks, to[actions]
