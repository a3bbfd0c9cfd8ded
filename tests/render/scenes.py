"""Positions to be drawn, the longest piles and the strangest rules among them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from solitaire_env import Position, Rules
from solitaire_env.cards import CARDS_PER_DECK, card_text
from solitaire_env.position import foundation_pile

FREE_RULES: dict[str, Any] = {"foundations": "empty", "build": "suit", "spaces": "any"}


def shuffled(rules: Rules, seed: int) -> list[str]:
    cards = [card_text(code) for code in range(CARDS_PER_DECK)] * rules.decks
    random.Random(seed).shuffle(cards)
    return cards


def scene(
    rules: Rules,
    piles: Sequence[int] = (),
    *,
    reserve: int = 0,
    waste: int = 0,
    seed: int = 0,
    redeals_left: int | None = 0,
) -> Position:
    """Lays so many cards on each pile, the reserve and the waste; the others are the stock."""
    cards = shuffled(rules, seed)
    heights = [*piles, *[0] * (rules.n_piles - len(piles))]

    def take(number: int) -> tuple[str, ...]:
        taken = tuple(cards[:number])
        del cards[:number]
        return taken

    return Position(
        foundations=((),) * rules.n_foundations,
        tableau=tuple(take(height) for height in heights),
        reserve=take(reserve),
        waste=take(waste),
        stock=tuple(cards),
        redeals_left=redeals_left,
    )


def won(rules: Rules) -> Position:
    return Position(
        foundations=tuple(foundation_pile(rules, index // rules.decks, 13) for index in range(rules.n_foundations)),
        tableau=((),) * rules.n_piles,
        stock=(),
        waste=(),
        reserve=(),
        redeals_left=0,
    )


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Rules, Position]:
    """Any number of piles, one or two decks, and all cards spread in any way."""
    decks = draw(st.integers(1, 2))
    n_piles = draw(st.integers(1, 16))
    with_reserve, with_stock = draw(st.booleans()), draw(st.booleans())
    size = decks * CARDS_PER_DECK
    reserve = draw(st.integers(1, size)) if with_reserve else 0
    dealt = 0 if with_stock and reserve < size else size - reserve
    heights = (dealt, *[0] * (n_piles - 1))
    deal = draw(st.integers(1, 12))
    rules = Rules(decks=decks, pile_heights=heights, reserve=reserve, cards_per_deal=deal, **FREE_RULES)
    cuts = sorted(draw(st.lists(st.integers(0, size - reserve), max_size=n_piles - 1)))
    ends = [*cuts, size - reserve]
    piles = [end - start for start, end in zip([0, *cuts], ends, strict=True)]
    left = draw(st.integers(0, reserve))
    if rules.stock_size:
        gone = draw(st.integers(0, piles[-1]))
        piles[-1] -= gone
        return rules, scene(rules, piles, reserve=left, waste=gone, seed=draw(st.integers(0, 99)))
    return rules, scene(rules, piles, reserve=left, seed=draw(st.integers(0, 99)))
