"""The four games as options of the reference model, written from the clauses C, S, Y and V."""

from __future__ import annotations

from tests.reference_model import Options

# C1, C3, C4, C5, C7, C8
COYOTE = Options(
    decks=1,
    pile_heights=(1,) * 4,
    reserve=1,
    foundations="dealt",
    base_rank="A",
    build="suit",
    corner="none",
    moves="top_or_run",
    spaces="any",
    refill="none",
    stock_to_space=False,
    cards_per_deal=1,
    redeals=1,
    foundation_returns=False,
)
# S1, S2, S3, S4, S5, S6, S7, S8
SWISS = Options(
    decks=1,
    pile_heights=(1, 2, 3, 4, 5, 4, 3, 2, 1),
    reserve=0,
    foundations="empty",
    base_rank="2",
    build="alternating",
    corner="both",
    moves="any_suffix",
    spaces="ace",
    refill="none",
    stock_to_space=False,
    cards_per_deal=1,
    redeals=0,
    foundation_returns=True,
)
# Y1, Y2, Y3, Y4, Y5, Y6, Y7
COURTYARD = Options(
    decks=2,
    pile_heights=(1,) * 12,
    reserve=0,
    foundations="empty",
    base_rank="A",
    build="suit",
    corner="none",
    moves="any_suffix",
    spaces="none",
    refill="stock",
    stock_to_space=False,
    cards_per_deal=1,
    redeals=0,
    foundation_returns=False,
)
# V1, V2, V3, V4, V5, V6, V7
VARIEGATED_CANFIELD = Options(
    decks=2,
    pile_heights=(1,) * 5,
    reserve=13,
    foundations="dealt",
    base_rank="A",
    build="alternating",
    corner="none",
    moves="any_suffix",
    spaces="any",
    refill="reserve",
    stock_to_space=True,
    cards_per_deal=3,
    redeals=2,
    foundation_returns=False,
)

GAMES = {
    "coyote": COYOTE,
    "swiss": SWISS,
    "courtyard": COURTYARD,
    "variegated_canfield": VARIEGATED_CANFIELD,
}
