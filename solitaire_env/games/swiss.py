"""Swiss: one deck, nine piles built down in alternating colours and round the corner, a single pass.

Piles of 1 2 3 4 5 4 3 2 1 cards are dealt face up, 27 go to the stock. Foundations start with a two and are built up in
suit to the ace. Kings go on aces and aces on kings, any suffix of a run moves, and only an ace, or a run whose deepest
card is one, fills a space. The top card of a foundation may be taken back.

Variants: ``{"corner": "ring"}``, ``{"corner": "ace_high"}``, ``{"corner": "none"}``, ``{"foundation_returns": False}``.
Clause by clause: ``seeds/swiss/rules.md``.
"""

from solitaire_env.rules import Rules

SWISS = Rules(
    decks=1,
    pile_heights=(1, 2, 3, 4, 5, 4, 3, 2, 1),
    foundations="empty",
    base_rank="2",
    build="alternating",
    corner="both",
    moves="any_suffix",
    spaces="ace",
    cards_per_deal=1,
    redeals=0,
    foundation_returns=True,
)
