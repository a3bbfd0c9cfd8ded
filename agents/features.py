"""What the trained networks are told of an observation: numbers for the whole table, and numbers for each pile.

An observation says where every card lies. What a player looks at is how cards lie to each other: which run a pile
ends in, what it rests on, how far a card is from its foundation, what the next deals bring. A network takes long to
find that out from card by card marks, so it is worked out here, from the observation alone: nothing in here is hidden
from the player. Nothing is tried out either: no move is made, no later position looked at.

Every pile is described in the same way, so that a network can treat all piles alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.feature_numbers import (
    CONFLICTS,
    COUNTS,
    COVER,
    COVERED,
    DISTANCES,
    EMPTY,
    FITS,
    FLAGS,
    HEAD_CARD,
    HEAD_FITS,
    MOST_CONFLICTS,
    MOST_COVER,
    MOST_REDEALS,
    MOST_SPACES,
    NEXT_IN_STOCK,
    ONE_RUN,
    PILE_CARDS,
    PILE_NUMBERS,
    RESERVE_NEAR,
    REST_CARD,
    REST_FITS,
    REST_GOES_UP,
    RUN_LENGTH,
    SIZE,
    SIZES,
    SPACES,
    STOCK_FAR,
    STOCK_NEAR,
    TABLE_NUMBERS,
    TAKES_RESERVE,
    TAKES_WASTE,
    TOP_CARD,
    TOP_DISTANCES,
    TOP_FITS,
    TOP_GOES_UP,
    WASTE_CONFLICT,
    WASTE_DEEP,
    WASTE_NEAR,
    WASTE_TOP,
)
from agents.table import (
    AT_REDEALS,
    AT_SEEN,
    FITTING,
    NOTHING_BENEATH,
    PILES,
    REDEALS,
    SPACES_ANY,
    Facts,
    Floats,
    Room,
    cards_before,
    facts_of,
    fits_elsewhere,
    lay_out,
    put_on,
    top_card,
)
from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT
from solitaire_env.compilation import jit
from solitaire_env.layout import NO_CARD
from solitaire_env.rules import Rules


class FeatureReader:
    """Reads observations of one game at any knowledge level."""

    def __init__(self, rules: Rules) -> None:
        self.piles = rules.n_piles
        self._facts = facts_of(rules)
        stacks = np.zeros((rules.n_piles + 3, rules.deck_size), np.int8)
        self._room = Room(stacks, np.zeros(len(stacks), np.int64), np.zeros(8, np.int64))

    def read(self, observations: NDArray[np.uint8]) -> tuple[Floats, Floats]:
        """Returns what the observations ``(n, m)`` say.

        Returns:
            The numbers of the table, float32 ``(n, TABLE_NUMBERS)``, and of the piles, ``(n, piles, PILE_NUMBERS)``.
        """
        n = len(observations)
        table = np.zeros((n, TABLE_NUMBERS), np.float32)
        piles = np.zeros((n, self.piles, PILE_NUMBERS), np.float32)
        _read_all(self._facts, np.ascontiguousarray(observations), self._room, table, piles)
        return table, piles


@jit
def _read_all(facts: Facts, observations: NDArray[np.uint8], room: Room, table: Floats, piles: Floats) -> None:
    for i in range(len(observations)):
        lay_out(facts, observations[i], room, table[i])
        _read_table(facts, observations[i], room, table[i])
        for pile in range(facts[PILES]):
            _read_pile(facts, room, pile, piles[i, pile])


@jit
def _read_table(facts: Facts, observation: NDArray[np.uint8], room: Room, table: Floats) -> None:
    stacks, sizes, counts = room
    reserve = facts[PILES]
    waste, stock = reserve + 1, reserve + 2
    deck = np.float32(stacks.shape[1])
    conflicts = _read_waste(facts, room, waste, deck, table)
    for height in range(sizes[stock]):
        card = np.int64(stacks[stock, height])
        if card != NO_CARD:
            ahead = sizes[stock] - 1 - height
            at = STOCK_NEAR * CARDS_PER_DECK + card
            table[at] = max(table[at], np.float32(1) / (1 + ahead))
            table[STOCK_FAR * CARDS_PER_DECK + card] += ahead / deck
    for height in range(sizes[reserve]):
        card = np.int64(stacks[reserve, height])
        at = RESERVE_NEAR * CARDS_PER_DECK + card
        table[at] = max(table[at], np.float32(1) / (sizes[reserve] - height))
    spaces = _read_tops(facts, room, table)
    if top_card(room, stock) != NO_CARD:
        table[NEXT_IN_STOCK * CARDS_PER_DECK + top_card(room, stock)] = 1
    if top_card(room, waste) != NO_CARD:
        table[WASTE_TOP * CARDS_PER_DECK + top_card(room, waste)] = 1
        table[TOP_DISTANCES + cards_before(facts, room, top_card(room, waste))] = 1
    if top_card(room, reserve) != NO_CARD:
        table[TOP_DISTANCES + RANKS_PER_SUIT + cards_before(facts, room, top_card(room, reserve))] = 1
    table[SIZES] = sizes[stock] / deck
    table[SIZES + 1] = sizes[waste] / deck
    table[SIZES + 2] = sizes[reserve] / np.float32(RANKS_PER_SUIT)
    table[SIZES + 3] = sizes[stock] == 0
    table[SIZES + 4] = np.float32(0.1) * conflicts
    for i in range(min(facts[REDEALS], MOST_REDEALS)):
        table[SIZES + 5 + i] = observation[facts[AT_REDEALS] + i]
    if facts[AT_SEEN] >= 0:
        table[SIZES + 5 + MOST_REDEALS] = observation[facts[AT_SEEN]]
    for i in range(min(spaces, MOST_SPACES)):
        table[SPACES + i] = 1
    for i in range(8):
        table[COUNTS + i] = counts[i] / np.float32(RANKS_PER_SUIT)


@jit
def _read_waste(facts: Facts, room: Room, waste: int, deck: float, table: Floats) -> int:
    """Returns the number of cards that lie on one of their suit which must go up before."""
    lowest = NOTHING_BENEATH
    conflicts = 0
    size = room.sizes[waste]
    for height in range(size):
        card = np.int64(room.stacks[waste, height])
        if card == NO_CARD:
            continue
        depth = size - 1 - height
        at = WASTE_NEAR * CARDS_PER_DECK + card
        table[at] = max(table[at], np.float32(1) / (1 + depth))
        table[WASTE_DEEP * CARDS_PER_DECK + card] += depth / deck
        conflict, lowest = put_on(lowest, card, cards_before(facts, room, card))
        if conflict:
            conflicts += 1
            table[WASTE_CONFLICT * CARDS_PER_DECK + card] = 1
    return conflicts


@jit
def _read_tops(facts: Facts, room: Room, table: Floats) -> int:
    """Returns the number of spaces."""
    fitting = np.int64(0)
    spaces = 0
    for pile in range(facts[PILES]):
        size = room.sizes[pile]
        if size == 0:
            spaces += 1
        else:
            fitting |= facts[FITTING + top_card(room, pile)]
        for height in range(size):
            card = np.int64(room.stacks[pile, height])
            table[COVERED * CARDS_PER_DECK + card] += np.float32(0.125) * (size - 1 - height)
    for card in range(CARDS_PER_DECK):
        table[FITS * CARDS_PER_DECK + card] = (fitting >> card) & 1
    return spaces


@jit
def _mark_card(facts: Facts, room: Room, card: int, which: int, numbers: Floats) -> None:
    if card != NO_CARD:
        numbers[which * CARDS_PER_DECK + card] = 1
        numbers[DISTANCES + which * RANKS_PER_SUIT + cards_before(facts, room, card)] = 1


@jit
def _read_pile(facts: Facts, room: Room, pile: int, numbers: Floats) -> None:
    stacks, size = room.stacks, room.sizes[pile]
    flags = numbers[FLAGS:]
    waste, reserve = top_card(room, facts[PILES] + 1), top_card(room, facts[PILES])
    if size == 0:
        flags[EMPTY] = 1
        flags[TAKES_WASTE] = facts[SPACES_ANY] == 1 and waste != NO_CARD
        flags[TAKES_RESERVE] = facts[SPACES_ANY] == 1 and reserve != NO_CARD
        return
    top = top_card(room, pile)
    run = 1
    while run < size and (facts[FITTING + stacks[pile, size - run - 1]] >> stacks[pile, size - run]) & 1:
        run += 1
    head = np.int64(stacks[pile, size - run])
    rest = np.int64(stacks[pile, size - run - 1]) if run < size else NO_CARD
    _mark_card(facts, room, top, TOP_CARD, numbers)
    _mark_card(facts, room, head, HEAD_CARD, numbers)
    _mark_card(facts, room, rest, REST_CARD, numbers)
    lowest = NOTHING_BENEATH
    conflicts = 0
    cover = MOST_COVER
    for height in range(size):
        card = np.int64(stacks[pile, height])
        numbers[PILE_CARDS * CARDS_PER_DECK + card] = 1
        distance = cards_before(facts, room, card)
        conflict, lowest = put_on(lowest, card, distance)
        conflicts += conflict
        if distance == 0:
            cover = min(cover, size - 1 - height)
    numbers[RUN_LENGTH + min(run, RANKS_PER_SUIT) - 1] = 1
    for i in range(min(conflicts, MOST_CONFLICTS)):
        numbers[CONFLICTS + i] = 1
    for i in range(cover):
        numbers[COVER + i] = 1
    flags[TOP_GOES_UP] = cards_before(facts, room, top) == 0
    flags[TOP_FITS] = fits_elsewhere(facts, room, top, pile)
    flags[HEAD_FITS] = fits_elsewhere(facts, room, head, pile)
    if rest != NO_CARD:
        flags[REST_GOES_UP] = cards_before(facts, room, rest) == 0
        flags[REST_FITS] = fits_elsewhere(facts, room, rest, pile)
    if waste != NO_CARD:
        flags[TAKES_WASTE] = (facts[FITTING + top] >> waste) & 1
    if reserve != NO_CARD:
        flags[TAKES_RESERVE] = (facts[FITTING + top] >> reserve) & 1
    flags[ONE_RUN] = run == size
    flags[SIZE] = size / np.float32(RANKS_PER_SUIT)
