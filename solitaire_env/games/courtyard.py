"""Courtyard: two decks, twelve piles built down in suit that the stock refills, a single pass.

One card goes to each of twelve piles, 92 to the stock; the eight foundations start empty and are built up in suit from
the ace. Any suffix of a run moves. A pile that becomes empty is filled at once from the stock; when the stock is gone
it stays empty, and nothing may be moved to it.

Variants: ``{"spaces": "any"}``, ``{"refill": "waste_then_stock"}``, ``{"foundation_returns": True}``.
Clause by clause: ``seeds/courtyard/rules.md``.
"""

from solitaire_env.rules import Rules

COURTYARD = Rules(
    decks=2,
    pile_heights=(1,) * 12,
    foundations="empty",
    base_rank="A",
    build="suit",
    moves="any_suffix",
    spaces="none",
    refill="stock",
    cards_per_deal=1,
    redeals=0,
)
