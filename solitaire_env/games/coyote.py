"""Coyote: one deck, four piles built down in suit, two passes through the stock.

The aces start on the foundations, which are built up in suit to the king. One card goes to the reserve, one to each of
four piles, 43 to the stock. A pile's top card or its whole run moves, never a part of the run; any card or whole run
fills a space. Cards are dealt singly, and the waste is turned over once.

Variants: ``{"reserve": 13, "refill": "reserve"}`` (as the game is dealt elsewhere), ``{"moves": "any_suffix"}``,
``{"foundation_returns": True}``. Clause by clause: ``seeds/coyote/rules.md``.
"""

from solitaire_env.rules import Rules

COYOTE = Rules(
    decks=1,
    pile_heights=(1, 1, 1, 1),
    reserve=1,
    foundations="dealt",
    base_rank="A",
    build="suit",
    moves="top_or_run",
    spaces="any",
    cards_per_deal=1,
    redeals=1,
)
