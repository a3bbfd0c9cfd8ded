"""Variegated Canfield: two decks, a reserve of thirteen, deals of three, three passes.

The eight aces start on the foundations, built up in suit to the king. Thirteen cards go face up to the reserve, one to
each of five piles, 78 to the stock. Piles build down in alternating colours and any suffix of a run moves. The reserve
fills a pile that becomes empty; once it is used up a space takes the waste's top, a run, or the stock's top card
unseen.

Variants: ``{"moves": "top_or_pile"}``, ``{"stock_to_space": False}``, ``{"foundation_returns": True}``,
``{"redeals": None}``. Clause by clause: ``seeds/variegated_canfield/rules.md``.
"""

from solitaire_env.rules import Rules

VARIEGATED_CANFIELD = Rules(
    decks=2,
    pile_heights=(1,) * 5,
    reserve=13,
    foundations="dealt",
    base_rank="A",
    build="alternating",
    moves="any_suffix",
    spaces="any",
    refill="reserve",
    stock_to_space=True,
    cards_per_deal=3,
    redeals=2,
)
