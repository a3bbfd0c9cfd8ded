"""What the network of cards is told of an observation: numbers for each card, and which cards lie on which.

Read from the observation alone, like ``agents.features``, from which the rest of what the network is told comes.
Copies of a card share a row, in an order that depends on nothing but what is told of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.feature_numbers import ON_FOUNDATION, TABLE_NUMBERS
from agents.table import FITTING, PILES, Facts, Floats, Room, cards_before, facts_of, lay_out, top_card
from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT
from solitaire_env.compilation import jit
from solitaire_env.layout import NO_CARD
from solitaire_env.rules import Rules

# The numbers of a copy: where it lies ...
IN_PILE, IN_RESERVE, IN_WASTE, IN_STOCK, ON_TOP = range(5)
# ... how many cards lie above it: a mark for each of these counts that are reached, and the count itself ...
DEPTHS = (1, 2, 3, 4, 6, 9, 12, 18, 27, 42)
AT_DEPTHS = 5
DEPTH = AT_DEPTHS + len(DEPTHS)
# ... where deals of three bring it to the top: its place in the stock, and in the stock that the waste will be ...
IN_DEAL = DEPTH + 1
IN_NEXT_DEAL = IN_DEAL + 3
NEXT_DEPTH = IN_NEXT_DEAL + 3
TALON_DEPTH = NEXT_DEPTH + 1
# ... and how it lies to others: on lower cards of its suit, which must go up before, or under higher ones.
(RUN_TO_TOP, AT_BOTTOM, FITS_BENEATH, BLOCKS, BLOCKED) = range(TALON_DEPTH + 1, TALON_DEPTH + 6)
BLOCKS_CARDS, BLOCKED_BY_CARDS, TOLD, COPY_NUMBERS = range(TALON_DEPTH + 6, TALON_DEPTH + 10)

# The numbers of a card, after those of its two copies.
FITS = 2 * COPY_NUMBERS  # on some pile, now
DISTANCES = (1, 2, 3, 4, 6)  # from the foundation, marked like depths
GOES_UP = FITS + 1
AT_DISTANCES = GOES_UP + 1
DISTANCE = AT_DISTANCES + len(DISTANCES)
UP, UP_TWICE = DISTANCE + 1, DISTANCE + 2
CARD_NUMBERS = DISTANCE + 3

_DEPTHS, _DISTANCES = np.array(DEPTHS), np.array(DISTANCES)


class CardFacts(NamedTuple):
    """What an observation says of the cards.

    Attributes:
        numbers: float32, ``(n, 52, CARD_NUMBERS)``.
        neighbours: int64, ``(n, 52, 4)``: the cards that lie on the two copies, and beneath them; NO_CARD where none
            does, or none that is known.
        ends: int64, ``(n, piles, 3)``: of each pile the top card, the deepest of its run, and the one beneath that.
    """

    numbers: Floats
    neighbours: NDArray[np.int64]
    ends: NDArray[np.int64]


class CardReader:
    """Reads observations of one game at any knowledge level."""

    def __init__(self, rules: Rules) -> None:
        self._piles = rules.n_piles
        self._facts = facts_of(rules)
        stacks = np.zeros((rules.n_piles + 3, rules.deck_size), np.int8)
        self._room = Room(stacks, np.zeros(len(stacks), np.int64), np.zeros(8, np.int64))
        self._table = np.zeros(TABLE_NUMBERS, np.float32)

    def read(self, observations: NDArray[np.uint8]) -> CardFacts:
        """Returns what the observations ``(n, m)`` say."""
        n = len(observations)
        read = CardFacts(
            np.zeros((n, CARDS_PER_DECK, CARD_NUMBERS), np.float32),
            np.full((n, CARDS_PER_DECK, 4), NO_CARD),
            np.full((n, self._piles, 3), NO_CARD),
        )
        _read_all(self._facts, np.ascontiguousarray(observations), self._room, self._table, read)
        return read


@jit
def _read_all(facts: Facts, observations: NDArray[np.uint8], room: Room, table: Floats, read: CardFacts) -> None:
    for i in range(len(observations)):
        lay_out(facts, observations[i], room, table)
        numbers = read.numbers[i]
        tops = np.int64(0)  # the cards that fit on some pile
        for pile in range(facts[PILES]):
            top = top_card(room, pile)
            if top != NO_CARD:
                tops |= facts[FITTING + top]
                _read_ends(facts, room, pile, read.ends[i, pile])
        for card in range(CARDS_PER_DECK):
            of_card = numbers[card]
            distance = cards_before(facts, room, card)
            of_card[FITS] = (tops >> card) & 1
            of_card[GOES_UP] = distance == 0
            for j in range(len(_DISTANCES)):
                of_card[AT_DISTANCES + j] = distance > _DISTANCES[j]
            of_card[DISTANCE] = distance / np.float32(RANKS_PER_SUIT)
            up = table[ON_FOUNDATION * CARDS_PER_DECK + card]
            of_card[UP], of_card[UP_TWICE] = up >= 1, up >= 2
        for place in range(facts[PILES] + 3):
            _read_stack(facts, room, place, numbers, read.neighbours[i])
        for card in range(CARDS_PER_DECK):
            _order_copies(numbers[card], read.neighbours[i, card])


@jit
def _read_ends(facts: Facts, room: Room, pile: int, ends: NDArray[np.int64]) -> None:
    stack, size = room.stacks[pile], room.sizes[pile]
    run = 1
    while run < size and _fits(facts, int(stack[size - run - 1]), int(stack[size - run])):
        run += 1
    ends[0], ends[1] = stack[size - 1], stack[size - run]
    if run < size:
        ends[2] = stack[size - run - 1]


@jit
def _fits(facts: Facts, beneath: int, card: int) -> bool:
    return bool((facts[FITTING + beneath] >> np.int64(card)) & 1)


@jit
def _read_stack(facts: Facts, room: Room, place: int, numbers: Floats, neighbours: NDArray[np.int64]) -> None:
    """Adds what is told of the copies that lie in a stack; those of stacks before it have been told."""
    stack, size = room.stacks[place], room.sizes[place]
    run_to_top = True
    for height in range(size - 1, -1, -1):
        card = int(stack[height])
        above = int(stack[height + 1]) if height + 1 < size else NO_CARD
        beneath = int(stack[height - 1]) if height > 0 else NO_CARD
        if height + 1 < size:
            run_to_top = run_to_top and _fits(facts, card, above)
        if card == NO_CARD:
            continue
        copy = 0 if numbers[card, TOLD] == 0 else 1
        neighbours[card, copy] = above
        neighbours[card, 2 + copy] = beneath
        told = numbers[card, copy * COPY_NUMBERS :]
        told[TOLD] = 1
        _read_place(facts, room, place, size - 1 - height, height, told)
        if place < facts[PILES]:
            told[RUN_TO_TOP] = run_to_top
            told[AT_BOTTOM] = height == 0
            told[FITS_BENEATH] = _fits(facts, beneath, card)
        blocks = _count_of_suit(stack, card, 0, height, -1)
        blocked = _count_of_suit(stack, card, height + 1, size, 1)
        told[BLOCKS], told[BLOCKS_CARDS] = blocks > 0, np.float32(blocks) / 3
        told[BLOCKED], told[BLOCKED_BY_CARDS] = blocked > 0, np.float32(blocked) / 3


@jit
def _read_place(facts: Facts, room: Room, place: int, depth: int, height: int, told: Floats) -> None:
    kind = max(0, place - facts[PILES] + 1)
    told[kind] = 1
    told[ON_TOP] = depth == 0
    for j in range(len(_DEPTHS)):
        told[AT_DEPTHS + j] = depth >= _DEPTHS[j]
    told[DEPTH] = np.float32(depth) / 30
    if kind == IN_STOCK:
        told[IN_DEAL + depth % 3] = 1
    elif kind == IN_WASTE:
        told[IN_NEXT_DEAL + height % 3] = 1
        told[NEXT_DEPTH] = np.float32(height) / 30
        told[TALON_DEPTH] = np.float32(height + room.sizes[facts[PILES] + 2]) / 60


@jit
def _count_of_suit(stack: NDArray[np.int8], card: int, first: int, last: int, sign: int) -> int:
    """Counts the cards of a stretch of a stack that are of a card's suit and higher (sign 1) or lower (-1)."""
    count = 0
    for height in range(first, last):
        other = int(stack[height])  # NO_CARD is of no suit
        if other // RANKS_PER_SUIT == card // RANKS_PER_SUIT and sign * (other - card) > 0:
            count += 1
    return count


@jit
def _order_copies(numbers: Floats, neighbours: NDArray[np.int64]) -> None:
    """Puts that copy of a card first of which the first number that differs is the greater one."""
    greater = 0
    for i in range(COPY_NUMBERS):
        if numbers[i] != numbers[COPY_NUMBERS + i]:
            greater = 1 if numbers[i] > numbers[COPY_NUMBERS + i] else 2
            break
    for i in range(0, 4, 2):
        if greater == 0 and neighbours[i] != neighbours[i + 1]:
            greater = 1 if neighbours[i] > neighbours[i + 1] else 2
    if greater != 2:
        return
    for i in range(COPY_NUMBERS):
        numbers[i], numbers[COPY_NUMBERS + i] = numbers[COPY_NUMBERS + i], numbers[i]
    for i in range(0, 4, 2):
        neighbours[i], neighbours[i + 1] = neighbours[i + 1], neighbours[i]
