"""Builds hand-made positions: says where the cards that matter lie, the rest finds its place.

Depends on the reference model only, never on the package under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from tests.reference_model import (
    SUITS,
    Options,
    Pile,
    RefPosition,
    foundation_cards,
    full_deck,
)


def cards(text: str) -> Pile:
    """``"KD QD"`` as a pile, the top card last."""
    return tuple(text.split())


def make_position(
    options: Options,
    tableau: Sequence[str],
    *,
    waste: str = "",
    reserve: str = "",
    stock: str = "",
    foundations: Mapping[str, str] | None = None,
    rest: Literal["stock", "waste", "nowhere"] = "stock",
    redeals_made: int = 0,
) -> RefPosition:
    """Makes a position of exactly the deck's cards.

    Args:
        options: The game.
        tableau: The piles, as text; piles not given are empty.
        waste: The waste, its top last.
        reserve: The reserve, its top last.
        stock: The cards to be drawn, the one drawn next last.
        foundations: By suit, the ranks of the top cards, the higher foundation first
            (``{"S": "K 3", "H": "2 -"}``, ``-`` for an empty one). Suits not named are as dealt.
        rest: Where the cards not named go: at the bottom of the stock or of the waste; "nowhere"
            demands that there are none.
        redeals_made: How often the waste has been turned over, so that the stock is known.

    Raises:
        ValueError: A card is named too often, or is left over when none may be.
    """
    piles = [cards(pile) for pile in tableau]
    piles += [()] * (len(options.pile_heights) - len(piles))
    dealt = options.base_rank if options.foundations == "dealt" else "-"
    built: list[Pile] = []
    for suit in SUITS:
        tops = (foundations or {}).get(suit, " ".join([dealt] * options.decks)).split()
        ladder = foundation_cards(options, suit)
        heights = [0 if top == "-" else ladder.index(top + suit) + 1 for top in tops]
        built += [tuple(ladder[:height]) for height in heights]

    named = [cards(waste), cards(reserve), cards(stock), *piles, *built]
    left = Counter(full_deck(options))
    left.subtract(card for pile in named for card in pile)
    if min(left.values()) < 0:
        raise ValueError(f"named too often: {[card for card, n in left.items() if n < 0]}")
    others = tuple(left.elements())
    if rest == "nowhere" and others:
        raise ValueError(f"left over: {others}")
    return RefPosition(
        foundations=tuple(built),
        tableau=tuple(piles),
        stock=(others if rest == "stock" else ()) + cards(stock),
        waste=(others if rest == "waste" else ()) + cards(waste),
        reserve=cards(reserve),
        redeals_left=None if options.redeals is None else options.redeals - redeals_made,
        stock_seen=redeals_made > 0,
    )
