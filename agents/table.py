"""Where an observation says that the cards lie: laid out in stacks, as they lie on the table.

Compiled, for ``agents.features``, which reads from the stacks how cards lie to each other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.feature_numbers import IN_RESERVE, IN_STOCK, IN_WASTE, ON_FOUNDATION, ON_PILE, UNSEEN
from solitaire_env.cards import CARDS_PER_DECK, RANKS, RANKS_PER_SUIT
from solitaire_env.compilation import jit
from solitaire_env.layout import MAY_LIE_ON, NO_CARD, compile_rules
from solitaire_env.observation import observation_table, row_width
from solitaire_env.rules import Rules

Floats = NDArray[np.float32]
Facts = NDArray[Any]  # int64

# What the compiled functions know of a game: numbers, then for each card the bit set of the cards that may lie on it.
PILES, DECKS, BASE_RANK, SPACES_ANY, REDEALS, ROW, BITS, AT_SIZES, AT_REDEALS, AT_SEEN = range(10)
AT_FOUNDATION, AT_RESERVE, AT_WASTE, AT_STOCK, AT_HEIGHT = range(10, 15)
FITTING = 15

NOTHING_BENEATH = np.int64(0x0F0F0F0F)


class Room(NamedTuple):
    """Room to work in.

    Attributes:
        stacks: int8, ``(piles + 3, cards)``: the cards of the piles, reserve, waste and stock, NO_CARD where unknown.
        sizes: int64: how many cards each of them has.
        counts: int64, ``(8,)``: cards on the longer and on the shorter foundation of each suit.
    """

    stacks: NDArray[np.int8]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]


def facts_of(rules: Rules) -> Facts:
    """Returns what the compiled functions know of a game."""
    columns = {column.name: column.start for column in observation_table(rules)}
    facts = np.zeros(FITTING + CARDS_PER_DECK + 1, np.int64)  # the last, of NO_CARD: nothing fits on it
    facts[PILES], facts[DECKS], facts[BASE_RANK] = rules.n_piles, rules.decks, RANKS.index(rules.base_rank)
    facts[SPACES_ANY], facts[REDEALS] = int(rules.spaces == "any"), rules.redeals or 0
    facts[ROW], facts[BITS] = row_width(rules), rules.deck_size.bit_length()
    facts[AT_SIZES], facts[AT_REDEALS] = columns["stock_size"], columns.get("redeals_left", -1)
    facts[AT_SEEN] = columns.get("stock_seen", -1)
    for at, name in (
        (AT_FOUNDATION, "foundation"),
        (AT_RESERVE, "reserve"),
        (AT_WASTE, "waste"),
        (AT_STOCK, "stock"),
        (AT_HEIGHT, "height"),
    ):
        facts[at] = columns.get(name, -1)
    facts[FITTING:-1] = compile_rules(rules)[MAY_LIE_ON : MAY_LIE_ON + CARDS_PER_DECK]
    return facts


@jit
def _number(observation: NDArray[np.uint8], at: int, bits: int) -> int:
    number = 0
    for bit in range(bits):
        number |= np.int64(observation[at + bit]) << bit
    return number


@jit
def _copies(facts: Facts, observation: NDArray[np.uint8], row: int, column: int) -> int:
    """How many copies of a card a column counts; 0 without the column."""
    if column < 0:
        return 0
    copies = np.int64(observation[row + column])
    if facts[DECKS] == 2:
        copies += observation[row + column + 1]
    return copies


@jit
def lay_out(facts: Facts, observation: NDArray[np.uint8], room: Room, table: Floats) -> None:
    """Puts the cards where the observation says they are, and fills in what it says of each card by itself."""
    stacks, sizes, counts = room
    reserve = facts[PILES]
    waste, stock = reserve + 1, reserve + 2
    bits = facts[BITS]
    sizes[:] = 0
    counts[:] = 0
    stacks[:] = NO_CARD
    most = int(stacks.shape[1])  # what is no observation of the game's may claim more
    sizes[stock] = min(most, _number(observation, facts[AT_SIZES], bits))
    sizes[waste] = min(most, _number(observation, facts[AT_SIZES] + bits, bits))
    for card in range(CARDS_PER_DECK):
        row = card * facts[ROW]
        up = _copies(facts, observation, row, facts[AT_FOUNDATION])
        for copy in range(up):
            counts[2 * (card // RANKS_PER_SUIT) + copy] += 1
        in_reserve = _copies(facts, observation, row, facts[AT_RESERVE])
        in_waste = _copies(facts, observation, row, facts[AT_WASTE])
        in_stock = _copies(facts, observation, row, facts[AT_STOCK])
        on_pile = 0
        last_pile = 0
        for pile in range(facts[PILES]):
            if observation[row + pile]:
                on_pile += 1
                last_pile = pile
        found = 0
        unmarked = 0  # with one deck and no redeal the stock has no mark, only the height is told
        for copy in range(facts[DECKS]):
            height = _number(observation, row + facts[AT_HEIGHT] + copy * bits, bits) - 1
            if height < 0 or height >= stacks.shape[1]:
                continue
            place = _place_of(facts, observation, row, copy, on_pile, last_pile, in_reserve, in_waste)
            stacks[place, height] = card
            found += 1
            unmarked += np.int64(place == stock)
            if place <= reserve:
                sizes[place] = max(sizes[place], height + 1)
        if facts[AT_STOCK] < 0:
            in_stock = unmarked
        table[IN_WASTE * CARDS_PER_DECK + card] = in_waste
        table[IN_STOCK * CARDS_PER_DECK + card] = in_stock
        table[IN_RESERVE * CARDS_PER_DECK + card] = in_reserve
        table[ON_FOUNDATION * CARDS_PER_DECK + card] = up
        table[ON_PILE * CARDS_PER_DECK + card] = found - in_reserve - in_waste - in_stock
        table[UNSEEN * CARDS_PER_DECK + card] = facts[DECKS] - found - up


@jit
def _place_of(
    facts: Facts,
    observation: NDArray[np.uint8],
    row: int,
    copy: int,
    on_pile: int,
    last_pile: int,
    in_reserve: int,
    in_waste: int,
) -> int:
    """The stack of a card's copy that has a height; of two copies the piles come first, then reserve, waste, stock."""
    second = np.int64(_number(observation, row + facts[AT_HEIGHT] + facts[BITS], facts[BITS]) > 0)
    if facts[DECKS] == 1:
        second = 0
    elsewhere = 1 + second - on_pile  # copies that have a height and a mark that is none of a pile's
    if on_pile > 0:
        if copy == 0 and on_pile == 2:
            for pile in range(facts[PILES]):
                if observation[row + pile]:
                    return pile
        marked = in_reserve + in_waste + _copies(facts, observation, row, facts[AT_STOCK])
        if copy == 0 or on_pile == 2 or (elsewhere == 1 and marked == 0):
            return last_pile
        copy = 0
    if copy < in_reserve:
        return np.int64(facts[PILES])
    if copy < in_reserve + in_waste:
        return np.int64(facts[PILES] + 1)
    return np.int64(facts[PILES] + 2)


@jit
def cards_before(facts: Facts, room: Room, card: int) -> int:
    """How many cards of its suit must go up before a copy of ``card`` that is not up yet, 0 when it could go now."""
    suit = card // RANKS_PER_SUIT
    rank = (card - RANKS_PER_SUIT * suit - facts[BASE_RANK] + RANKS_PER_SUIT) % RANKS_PER_SUIT
    longer, shorter = room.counts[2 * suit], room.counts[2 * suit + 1]
    if rank >= longer or facts[DECKS] == 1:
        return max(0, rank - longer)
    return max(0, rank - shorter)


@jit
def put_on(lowest: int, card: int, distance: int) -> tuple[bool, int]:
    """Puts a card on a stack: whether one beneath it, of its suit, must go up before it, and the new ``lowest``.

    ``lowest`` has a byte for each suit: the distance of the nearest card in the stack, at first ``NOTHING_BENEATH``.
    """
    shift = 8 * (card // RANKS_PER_SUIT)
    low = (lowest >> shift) & 15
    if distance > low:
        return True, lowest
    return False, lowest - ((low - distance) << shift)


@jit
def top_card(room: Room, place: int) -> int:
    """The top card of a stack, NO_CARD if it is empty."""
    size = room.sizes[place]
    return np.int64(room.stacks[place, size - 1]) if size > 0 else NO_CARD


@jit
def fits_elsewhere(facts: Facts, room: Room, card: int, but: int) -> bool:
    """Whether a card may lie on the top of some pile other than ``but``."""
    fits = False
    for pile in range(facts[PILES]):
        top = top_card(room, pile)
        if pile != but and top != NO_CARD:
            fits |= (facts[FITTING + top] >> card) & 1 == 1
    return fits
