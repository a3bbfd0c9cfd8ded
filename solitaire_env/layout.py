"""Where everything lies: the compiled form of ``Rules`` and the state array.

``compile_rules`` turns a ``Rules`` value into one int64 array, the *spec*, which is all that the kernel knows of a
game: numbers at the head (the constants below index them), then small tables. One compiled kernel therefore serves
every game.

A *state* is one int8 row of ``spec[STATE_SIZE]`` entries::

    REDEALS_LEFT  STOCK_SEEN  sizes of all locations  foundation counts  reserve  talon  piles

A *location* is a stack of cards: piles are locations 0 to 15, then ``RESERVE``, ``WASTE`` and ``STOCK``; ``FOUNDATION``
stands for all foundations, of which only the counts are kept. The talon is one buffer for waste and stock: the waste
grows from its left end, the stock ends at its right end and is drawn from the left, so that dealing is a copy within
the buffer and a redeal moves the waste as one block, in order.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solitaire_env.cards import CARDS_PER_DECK, RANKS, RANKS_PER_SUIT, SUITS, card_rank, card_suit, is_red
from solitaire_env.rules import CHOICES, MAX_PILES, Rules

Spec = NDArray[Any]  # int64
State = NDArray[Any]  # int8

# Locations.
RESERVE = MAX_PILES
WASTE = MAX_PILES + 1
STOCK = MAX_PILES + 2
FOUNDATION = MAX_PILES + 3

# Head of a state row.
REDEALS_LEFT = 0  # UNLIMITED or the number left
STOCK_SEEN = 1  # 1 once the waste has been turned over: the player then knows the stock
SIZES = 2  # + location: cards on a pile, the reserve, the waste, the stock
FOUNDATION_COUNTS = SIZES + FOUNDATION  # + suit * decks + copy, the longer of two equal suits first
STATE_HEAD = FOUNDATION_COUNTS + 8
UNLIMITED = -1
NO_CARD = CARDS_PER_DECK

# Head of a spec: the rules.
DECKS = 0
DECK_SIZE = 1
PILES = 2
FOUNDATIONS = 3
DEALT_FOUNDATIONS = 4
BASE_RANK = 5
MOVES = 6
REFILL = 7
STOCK_TO_SPACE = 8
CARDS_PER_DEAL = 9
REDEALS = 10
RETURNS = 11
RESERVE_DEALT = 12
# ... the state ...
PILE_CAPACITY = 13
STATE_SIZE = 14
AT_TALON = 15  # offsets into a state row
AT_PILES = 16
# ... the actions: the first index of each kind, in the order of the kinds ...
N_ACTIONS = 17
PILE_SLOTS = 18
SPACE_SLOTS = 19
FIRST_ACTION = 20  # + kind
# ... the observation: see observation.py ...
N_OBSERVATION = 31
ROW_WIDTH = 32
CODE_BITS = 33
COLUMN_FOUNDATION = 34
COLUMN_TOP = 35
COLUMN_WASTE_TOP = 36
COLUMN_RESERVE = 37
COLUMN_WASTE = 38
COLUMN_STOCK = 39
COLUMN_CODE = 40
COLUMN_RESERVE_TOP = 41
AT_GLOBALS = 42
REDEAL_BITS = 43
# ... and the tables.
SPACE_CARDS = 44  # bit set of the cards that may fill a space
MAY_LIE_ON = 45  # + card: bit set of the cards that may lie on it, none on NO_CARD
HEIGHTS = MAY_LIE_ON + CARDS_PER_DECK + 1  # + pile: cards dealt to it
BIT_NUMBER = HEIGHTS + MAX_PILES  # + a hash of a power of two: its exponent, see fitting.bit_number
ACTION_TABLE = BIT_NUMBER + 16  # + 4 * action: kind, source, target, slot

AT_RESERVE = STATE_HEAD

MOVES_ANY_SUFFIX, MOVES_TOP_OR_RUN, MOVES_TOP_OR_PILE, MOVES_SINGLE = range(4)
REFILL_NONE, REFILL_STOCK, REFILL_RESERVE, REFILL_WASTE_THEN_STOCK = range(4)

# Kinds of action.
KINDS = (
    "deal",
    "waste_foundation",
    "reserve_foundation",
    "pile_foundation",
    "waste_pile",
    "reserve_pile",
    "foundation_pile",
    "stock_space",
    "pile_pile",
    "pile_space",
)
(
    DEAL,
    WASTE_FOUNDATION,
    RESERVE_FOUNDATION,
    PILE_FOUNDATION,
    WASTE_PILE,
    RESERVE_PILE,
    FOUNDATION_PILE,
    STOCK_SPACE,
    PILE_PILE,
    PILE_SPACE,
) = range(len(KINDS))

DE_BRUIJN = 0x09AF
"""16 bits in which each window of four bits is another number: they tell the powers of two below 2**16 apart."""

OUT_OF_ORDER_CARDS = 12
"""Cards beyond the highest dealt pile that may lie out of order at the bottom of a pile in a position of a user's
own."""


def stack(spec: Spec, state: State, location: int, size: int) -> State:
    """Returns a view of the lowest ``size`` places of a pile, the reserve, the waste or the stock, the bottom first."""
    if location == STOCK:
        right = int(spec[AT_PILES])
        return state[right - size : right][::-1]
    first = int(
        {RESERVE: AT_RESERVE, WASTE: spec[AT_TALON]}.get(location, spec[AT_PILES] + location * spec[PILE_CAPACITY])
    )
    return state[first : first + size]


def may_lie_on(rules: Rules, card: int, beneath: int) -> bool:
    """Tells whether ``card`` may be placed on ``beneath`` in the tableau (C3, S3, S4, Y3, V3)."""
    if rules.build == "suit" and card_suit(card) != card_suit(beneath):
        return False
    if rules.build == "alternating" and is_red(card) == is_red(beneath):
        return False
    ace, king = 0, RANKS_PER_SUIT - 1
    rank, under = card_rank(card), card_rank(beneath)
    if (rank, under) == (king, ace):
        return rules.corner != "none"
    if (rank, under) == (ace, king):
        return rules.corner == "both"
    return rank + 1 == under and not (rank == ace and rules.corner == "ace_high")


def runs_turn(rules: Rules) -> bool:
    """Tells whether a run may turn the corner and go on, so that a rank may occur in it more than once."""
    return rules.corner in ("ring", "both")


def pile_capacity(rules: Rules) -> int:
    """Returns the most cards that a pile can hold, a few out of order at its bottom included."""
    if runs_turn(rules):
        return rules.deck_size
    return min(rules.deck_size, max(rules.pile_heights) + OUT_OF_ORDER_CARDS + RANKS_PER_SUIT - 1)


def suffix_slots(rules: Rules, heads: int) -> int:
    """Returns how many suffixes of one pile can fit one target on which ``heads`` cards of the deck would fit.

    The deepest card of a fitting suffix is one of those cards, so their number is a bound; in a run that never turns
    the corner the ranks differ, so that there is one.
    """
    by_rule = {"any_suffix": rules.deck_size, "top_or_run": 2, "top_or_pile": 2, "single": 1}[rules.moves]
    return min(by_rule, heads if runs_turn(rules) else 1)


@functools.cache
def compile_rules(rules: Rules) -> Spec:
    """Returns the spec of the rules: int64, one dimension; see the module's docstring.

    The array is shared between all users of equal rules and must not be written to.
    """
    decks, piles = rules.decks, rules.n_piles
    lie_on = [sum(1 << c for c in range(CARDS_PER_DECK) if may_lie_on(rules, c, b)) for b in range(CARDS_PER_DECK)]
    fits = decks * max(bits.bit_count() for bits in lie_on)
    aces = decks * (1 if rules.build == "suit" else len(SUITS))
    pile_slots = suffix_slots(rules, fits)
    if rules.spaces == "none":
        space_slots = 0
    elif rules.spaces == "ace":
        space_slots = suffix_slots(rules, aces)
    else:
        longest = pile_capacity(rules) if runs_turn(rules) else RANKS_PER_SUIT
        space_slots = {"any_suffix": longest, "top_or_run": 2, "top_or_pile": 2, "single": 1}[rules.moves]

    actions: list[tuple[int, int, int, int]] = []
    first: list[int] = []
    for kind in range(len(KINDS)):
        first.append(len(actions))
        actions.extend(_actions_of_kind(rules, kind, pile_slots, space_slots))

    spec = np.zeros(ACTION_TABLE + 4 * len(actions), np.int64)
    spec[DECKS], spec[DECK_SIZE] = decks, rules.deck_size
    spec[PILES], spec[FOUNDATIONS] = piles, rules.n_foundations
    spec[DEALT_FOUNDATIONS] = int(rules.foundations == "dealt")
    spec[BASE_RANK] = RANKS.index(rules.base_rank)
    spec[MOVES] = CHOICES["moves"].index(rules.moves)
    spec[REFILL] = CHOICES["refill"].index(rules.refill)
    spec[STOCK_TO_SPACE] = int(rules.stock_to_space)
    spec[CARDS_PER_DEAL] = rules.cards_per_deal
    spec[REDEALS] = UNLIMITED if rules.redeals is None else rules.redeals
    spec[RETURNS] = int(rules.foundation_returns)
    spec[RESERVE_DEALT] = rules.reserve

    spec[PILE_CAPACITY] = pile_capacity(rules)
    spec[AT_TALON] = AT_RESERVE + rules.reserve
    spec[AT_PILES] = spec[AT_TALON] + rules.deck_size
    spec[STATE_SIZE] = spec[AT_PILES] + piles * spec[PILE_CAPACITY]

    spec[N_ACTIONS], spec[PILE_SLOTS], spec[SPACE_SLOTS] = len(actions), pile_slots, space_slots
    spec[FIRST_ACTION : FIRST_ACTION + len(KINDS)] = first
    _set_observation_columns(rules, spec)

    spaces = {"any": range(CARDS_PER_DECK), "ace": range(0, CARDS_PER_DECK, RANKS_PER_SUIT), "none": ()}[rules.spaces]
    spec[SPACE_CARDS] = sum(1 << c for c in spaces)
    spec[MAY_LIE_ON : MAY_LIE_ON + CARDS_PER_DECK] = lie_on
    spec[HEIGHTS : HEIGHTS + piles] = rules.pile_heights
    for bit in range(16):
        spec[BIT_NUMBER + ((DE_BRUIJN << bit & 0xFFFF) >> 12)] = bit
    spec[ACTION_TABLE:] = np.ravel(actions)
    return spec


def _actions_of_kind(rules: Rules, kind: int, pile_slots: int, space_slots: int) -> list[tuple[int, int, int, int]]:
    """Lists the actions of a kind as (kind, source, target, slot), -1 where a kind has no such part."""
    piles = range(rules.n_piles)
    if kind in (DEAL, WASTE_FOUNDATION):
        return [(kind, -1, -1, 0)] if rules.stock_size else []
    if kind == RESERVE_FOUNDATION:
        return [(kind, -1, -1, 0)] if rules.reserve else []
    if kind == PILE_FOUNDATION:
        return [(kind, p, -1, 0) for p in piles]
    if kind == WASTE_PILE:
        return [(kind, -1, q, 0) for q in piles] if rules.stock_size else []
    if kind == RESERVE_PILE:
        return [(kind, -1, q, 0) for q in piles] if rules.reserve else []
    if kind == FOUNDATION_PILE:
        return [(kind, f, q, 0) for f in range(rules.n_foundations) for q in piles] if rules.foundation_returns else []
    if kind == STOCK_SPACE:
        return [(kind, -1, -1, 0)] if rules.stock_to_space else []
    if kind == PILE_PILE:
        return [(kind, p, q, j) for p in piles for q in piles if p != q for j in range(pile_slots)]
    return [(kind, p, -1, j) for p in piles for j in range(space_slots)]


def _set_observation_columns(rules: Rules, spec: Spec) -> None:
    """Sets where each column of a card's row lies in an observation; the meaning is in observation.py."""
    decks = rules.decks
    code_bits = (rules.deck_size).bit_length()  # of 1 + the greatest height in any location
    column = rules.n_piles
    for index, width in (
        (COLUMN_FOUNDATION, decks),
        (COLUMN_TOP, 1),
        (COLUMN_WASTE_TOP, 1),
        (COLUMN_RESERVE_TOP, int(rules.reserve > 1)),
        (COLUMN_RESERVE, decks if rules.reserve else 0),
        (COLUMN_WASTE, decks),
        (COLUMN_STOCK, decks if decks == 2 or rules.redeals != 0 else 0),
        (COLUMN_CODE, decks * code_bits),
    ):
        spec[index] = column if width else -1
        column += width
    spec[CODE_BITS] = code_bits
    spec[ROW_WIDTH] = column
    spec[AT_GLOBALS] = CARDS_PER_DECK * column
    spec[REDEAL_BITS] = rules.redeals or 0
    seen_bit = int(rules.redeals != 0)
    spec[N_OBSERVATION] = spec[AT_GLOBALS] + 2 * code_bits + spec[REDEAL_BITS] + seen_bit
