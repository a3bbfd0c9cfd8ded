"""What each number stands for that the trained networks are told: of a pile, and of the whole table."""

from __future__ import annotations

from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT

# The numbers of a pile: 52 each for ...
TOP_CARD, HEAD_CARD, REST_CARD, PILE_CARDS = range(4)
# ... then, from here on, distances of the first three from their foundations, and smaller things.
DISTANCES = 4 * CARDS_PER_DECK
RUN_LENGTH = DISTANCES + 3 * RANKS_PER_SUIT
CONFLICTS = RUN_LENGTH + RANKS_PER_SUIT
MOST_CONFLICTS = 6
COVER = CONFLICTS + MOST_CONFLICTS
MOST_COVER = 8
FLAGS = COVER + MOST_COVER
(
    EMPTY,
    TOP_GOES_UP,
    TOP_FITS,
    HEAD_FITS,
    REST_GOES_UP,
    REST_FITS,
    TAKES_WASTE,
    TAKES_RESERVE,
    ONE_RUN,
    SIZE,
) = range(10)
PILE_NUMBERS = FLAGS + 10

# The numbers of the table: 52 each for ...
(
    IN_WASTE,
    WASTE_NEAR,
    WASTE_DEEP,
    IN_STOCK,
    STOCK_NEAR,
    STOCK_FAR,
    UNSEEN,
    IN_RESERVE,
    RESERVE_NEAR,
    ON_PILE,
    COVERED,
    FITS,
    ON_FOUNDATION,
    WASTE_CONFLICT,
    WASTE_TOP,
    NEXT_IN_STOCK,
) = range(16)
# ... then, from here on, distances of the waste's and the reserve's top cards, and smaller things.
TOP_DISTANCES = 16 * CARDS_PER_DECK
SIZES = TOP_DISTANCES + 2 * RANKS_PER_SUIT
MOST_REDEALS = 3
SPACES = SIZES + 5 + MOST_REDEALS + 1
MOST_SPACES = 3
COUNTS = SPACES + MOST_SPACES
TABLE_NUMBERS = COUNTS + 8
