"""What the trained networks are told of an observation: numbers for the whole table, and numbers for each pile.

An observation says where every card lies. What a player looks at is how cards lie to each other: which run a pile
ends in, what it rests on, how far a card is from its foundation, what the next deals bring. A network takes long to
find that out from card by card marks, so it is worked out here, from the observation alone: nothing in here is hidden
from the player. Nothing is tried out either: no move is made, no later position looked at.

Every pile is described in the same way, so that a network can treat all piles alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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

# The numbers of a pile: 52 each for ...
TOP_CARD, HEAD_CARD, REST_CARD, PILE_CARDS = range(4)
# ... then, from here on, distances of the first three from their foundations, and smaller things.
_DISTANCES = 4 * CARDS_PER_DECK
_RUN_LENGTH = _DISTANCES + 3 * RANKS_PER_SUIT
_CONFLICTS = _RUN_LENGTH + RANKS_PER_SUIT
_MOST_CONFLICTS = 6
_COVER = _CONFLICTS + _MOST_CONFLICTS
_MOST_COVER = 8
_FLAGS = _COVER + _MOST_COVER
(
    _EMPTY,
    _TOP_GOES_UP,
    _TOP_FITS,
    _HEAD_FITS,
    _REST_GOES_UP,
    _REST_FITS,
    _TAKES_WASTE,
    _TAKES_RESERVE,
    _ONE_RUN,
    _SIZE,
) = range(10)
PILE_NUMBERS = _FLAGS + 10

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
_TOP_DISTANCES = 16 * CARDS_PER_DECK
_SIZES = _TOP_DISTANCES + 2 * RANKS_PER_SUIT
_MOST_REDEALS = 3
_SPACES = _SIZES + 5 + _MOST_REDEALS + 1
_MOST_SPACES = 3
_COUNTS = _SPACES + _MOST_SPACES
TABLE_NUMBERS = _COUNTS + 8

_NO_CARDS = np.int64(0x0F0F0F0F)


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


class FeatureReader:
    """Reads observations of one game at any knowledge level."""

    def __init__(self, rules: Rules) -> None:
        self.piles = rules.n_piles
        self._facts = _facts_of(rules)
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


def _facts_of(rules: Rules) -> Facts:
    columns = {column.name: column.start for column in observation_table(rules)}
    facts = np.zeros(FITTING + CARDS_PER_DECK, np.int64)
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
    facts[FITTING:] = compile_rules(rules)[MAY_LIE_ON : MAY_LIE_ON + CARDS_PER_DECK]
    return facts


@jit
def _read_all(facts: Facts, observations: NDArray[np.uint8], room: Room, table: Floats, piles: Floats) -> None:
    for i in range(len(observations)):
        _lay_out(facts, observations[i], room, table[i])
        _read_table(facts, observations[i], room, table[i])
        for pile in range(facts[PILES]):
            _read_pile(facts, room, pile, piles[i, pile])


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
def _lay_out(facts: Facts, observation: NDArray[np.uint8], room: Room, table: Floats) -> None:
    """Puts the cards where the observation says they are, and fills in what it says of each card by itself."""
    stacks, sizes, counts = room
    reserve = facts[PILES]
    waste, stock = reserve + 1, reserve + 2
    bits = facts[BITS]
    sizes[:] = 0
    counts[:] = 0
    stacks[:] = NO_CARD
    sizes[stock] = _number(observation, facts[AT_SIZES], bits)
    sizes[waste] = _number(observation, facts[AT_SIZES] + bits, bits)
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
def _distance(facts: Facts, room: Room, card: int) -> int:
    """How many cards of its suit must go up before a copy of ``card`` that is not up yet, 0 when it could go now."""
    suit = card // RANKS_PER_SUIT
    rank = (card - RANKS_PER_SUIT * suit - facts[BASE_RANK] + RANKS_PER_SUIT) % RANKS_PER_SUIT
    longer, shorter = room.counts[2 * suit], room.counts[2 * suit + 1]
    if rank >= longer or facts[DECKS] == 1:
        return max(0, rank - longer)
    return max(0, rank - shorter)


@jit
def _put_on(lowest: int, card: int, distance: int) -> tuple[bool, int]:
    """Puts a card on a stack: whether one beneath it, of its suit, must go up before it, and the new ``lowest``.

    ``lowest`` has a byte for each suit: the distance of the nearest card in the stack, ``_NO_CARDS`` at the start.
    """
    shift = 8 * (card // RANKS_PER_SUIT)
    low = (lowest >> shift) & 15
    if distance > low:
        return True, lowest
    return False, lowest - ((low - distance) << shift)


@jit
def _top(room: Room, place: int) -> int:
    size = room.sizes[place]
    return np.int64(room.stacks[place, size - 1]) if size > 0 else NO_CARD


@jit
def _fits(facts: Facts, room: Room, card: int, but: int) -> bool:
    """Whether a card may lie on the top of some pile other than ``but``."""
    fits = False
    for pile in range(facts[PILES]):
        top = _top(room, pile)
        if pile != but and top != NO_CARD:
            fits |= (facts[FITTING + top] >> card) & 1 == 1
    return fits


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
    if _top(room, stock) != NO_CARD:
        table[NEXT_IN_STOCK * CARDS_PER_DECK + _top(room, stock)] = 1
    if _top(room, waste) != NO_CARD:
        table[WASTE_TOP * CARDS_PER_DECK + _top(room, waste)] = 1
        table[_TOP_DISTANCES + _distance(facts, room, _top(room, waste))] = 1
    if _top(room, reserve) != NO_CARD:
        table[_TOP_DISTANCES + RANKS_PER_SUIT + _distance(facts, room, _top(room, reserve))] = 1
    table[_SIZES] = sizes[stock] / deck
    table[_SIZES + 1] = sizes[waste] / deck
    table[_SIZES + 2] = sizes[reserve] / np.float32(RANKS_PER_SUIT)
    table[_SIZES + 3] = sizes[stock] == 0
    table[_SIZES + 4] = np.float32(0.1) * conflicts
    for i in range(min(facts[REDEALS], _MOST_REDEALS)):
        table[_SIZES + 5 + i] = observation[facts[AT_REDEALS] + i]
    if facts[AT_SEEN] >= 0:
        table[_SIZES + 5 + _MOST_REDEALS] = observation[facts[AT_SEEN]]
    for i in range(min(spaces, _MOST_SPACES)):
        table[_SPACES + i] = 1
    for i in range(8):
        table[_COUNTS + i] = counts[i] / np.float32(RANKS_PER_SUIT)


@jit
def _read_waste(facts: Facts, room: Room, waste: int, deck: float, table: Floats) -> int:
    """Returns the number of cards that lie on one of their suit which must go up before."""
    lowest = _NO_CARDS
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
        conflict, lowest = _put_on(lowest, card, _distance(facts, room, card))
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
            fitting |= facts[FITTING + _top(room, pile)]
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
        numbers[_DISTANCES + which * RANKS_PER_SUIT + _distance(facts, room, card)] = 1


@jit
def _read_pile(facts: Facts, room: Room, pile: int, numbers: Floats) -> None:
    stacks, size = room.stacks, room.sizes[pile]
    flags = numbers[_FLAGS:]
    waste, reserve = _top(room, facts[PILES] + 1), _top(room, facts[PILES])
    if size == 0:
        flags[_EMPTY] = 1
        flags[_TAKES_WASTE] = facts[SPACES_ANY] == 1 and waste != NO_CARD
        flags[_TAKES_RESERVE] = facts[SPACES_ANY] == 1 and reserve != NO_CARD
        return
    top = _top(room, pile)
    run = 1
    while run < size and (facts[FITTING + stacks[pile, size - run - 1]] >> stacks[pile, size - run]) & 1:
        run += 1
    head = np.int64(stacks[pile, size - run])
    rest = np.int64(stacks[pile, size - run - 1]) if run < size else NO_CARD
    _mark_card(facts, room, top, TOP_CARD, numbers)
    _mark_card(facts, room, head, HEAD_CARD, numbers)
    _mark_card(facts, room, rest, REST_CARD, numbers)
    lowest = _NO_CARDS
    conflicts = 0
    cover = _MOST_COVER
    for height in range(size):
        card = np.int64(stacks[pile, height])
        numbers[PILE_CARDS * CARDS_PER_DECK + card] = 1
        distance = _distance(facts, room, card)
        conflict, lowest = _put_on(lowest, card, distance)
        conflicts += conflict
        if distance == 0:
            cover = min(cover, size - 1 - height)
    numbers[_RUN_LENGTH + min(run, RANKS_PER_SUIT) - 1] = 1
    for i in range(min(conflicts, _MOST_CONFLICTS)):
        numbers[_CONFLICTS + i] = 1
    for i in range(cover):
        numbers[_COVER + i] = 1
    flags[_TOP_GOES_UP] = _distance(facts, room, top) == 0
    flags[_TOP_FITS] = _fits(facts, room, top, pile)
    flags[_HEAD_FITS] = _fits(facts, room, head, pile)
    if rest != NO_CARD:
        flags[_REST_GOES_UP] = _distance(facts, room, rest) == 0
        flags[_REST_FITS] = _fits(facts, room, rest, pile)
    if waste != NO_CARD:
        flags[_TAKES_WASTE] = (facts[FITTING + top] >> waste) & 1
    if reserve != NO_CARD:
        flags[_TAKES_RESERVE] = (facts[FITTING + top] >> reserve) & 1
    flags[_ONE_RUN] = run == size
    flags[_SIZE] = size / np.float32(RANKS_PER_SUIT)
