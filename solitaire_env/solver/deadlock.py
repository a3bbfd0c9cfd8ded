"""A test for positions that cannot be won any more.

It asks what could ever be reached if nothing that is once possible ever became impossible: a card once open as a
landing stays one whatever is put on it, takes any number of cards, and every card still in the stock may be had at
any time. The cards that can be *released*, taken from where they lie, then only grow in number, and are found by
going round until nothing changes. Whatever can really be done can be done in that easier game as well, by induction
over the moves:

* The top card of a pile, the waste or the reserve is open, and a card beneath when those above it are released.
* An open card is released if a foundation can reach it, that is, if enough copies of all cards before it are open or
  released; or if it may lie on a landing: an open card of a pile, a released card, a card of the stock, or, in games
  where foundations return cards, a card on a foundation; or if it may fill a space and some pile can be emptied.
* A run goes along with its deepest card that may lie on a landing, and then all its cards count as open.
* Where a refill takes cards from the reserve or the waste, these are released once some pile can be emptied. While
  the waste can still be turned over, its cards count as cards of the stock.

If even so the foundations cannot be completed, the position is lost. Most often the cause is a card in the waste that
needs a card beneath it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.fitting import suit_of
from solitaire_env.layout import (
    BASE_RANK,
    DECKS,
    FOUNDATION_COUNTS,
    FOUNDATIONS,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_RESERVE,
    REFILL_WASTE_THEN_STOCK,
    RESERVE,
    RETURNS,
    SIZES,
    SPACE_CARDS,
    STOCK,
    WASTE,
    Spec,
    State,
)
from solitaire_env.solver.facts import LIES_ON, Facts
from solitaire_env.stacks import address

Room = NDArray[np.int64]

# Room for a test.
_LANDINGS, _SPACE, _REACH_ONE, _REACH_ALL, _PENDING = range(5)
_OPEN = 5  # + card: copies open, released or on foundations
_LEFT = _OPEN + 52  # + location: cards not released, the uppermost of which is open
N_ROOM = _LEFT + STOCK + 1

_COMPLETE = 13 * 0x01010101  # a byte a suit


@jit
def is_dead(spec: Spec, facts: Facts, state: State, room: Room) -> bool:
    """Whether the position is found to be lost; ``room`` is scratch of ``N_ROOM`` entries."""
    _lay_out(spec, state, room)
    while True:
        _set_reach(spec, room)
        if room[_REACH_ALL] == _COMPLETE:
            return False
        progress = _land_pending(spec, facts, room)
        for pile in range(spec[PILES]):
            if room[_LEFT + pile] > 0 and _dig_pile(spec, facts, state, pile, room):
                progress = True
        for location in range(RESERVE, STOCK):
            if room[_LEFT + location] > 0 and _dig(spec, facts, state, location, room):
                progress = True
        if not progress:
            return True


@jit
def _lay_out(spec: Spec, state: State, room: Room) -> None:
    """Notes what is open at the start."""
    room[_LANDINGS] = 0
    room[_PENDING] = 0
    room[_OPEN : _OPEN + 52] = 0
    for foundation in range(spec[FOUNDATIONS]):
        card = suit_of(spec, foundation) * 13 + spec[BASE_RANK]
        turn = card + 13 - spec[BASE_RANK]
        for _ in range(state[FOUNDATION_COUNTS + foundation]):
            room[_OPEN + card] += 1
            if spec[RETURNS]:
                room[_LANDINGS] |= np.int64(1) << card
            card += 1
            if card == turn:
                card -= 13
    room[_SPACE] = 0
    for pile in range(spec[PILES]):
        size = np.int64(state[SIZES + pile])
        room[_LEFT + pile] = size
        if size == 0:
            room[_SPACE] = 1
        else:
            _open(room, np.int64(state[address(spec, pile, size - 1)]), True)
    _lay_out_talon(spec, state, room)


@jit
def _lay_out_talon(spec: Spec, state: State, room: Room) -> None:
    for location in range(RESERVE, STOCK + 1):
        size = np.int64(state[SIZES + location])
        all_open = location == STOCK or (location == WASTE and state[REDEALS_LEFT] != 0)
        room[_LEFT + location] = 0 if all_open else size
        for height in range(0 if all_open else max(size - 1, 0), size):
            _open(room, np.int64(state[address(spec, location, height)]), all_open)


@jit
def _open(room: Room, card: int, is_landing: bool) -> None:
    room[_OPEN + card] += 1
    if is_landing:
        room[_LANDINGS] |= np.int64(1) << card


@jit
def _set_reach(spec: Spec, room: Room) -> None:
    """Notes how many ranks, from the base on, have a copy open without a gap, and how many have all copies."""
    one = np.int64(0)
    every = np.int64(0)
    for suit in range(4):
        for copies in range(1, spec[DECKS] + 1):
            card = suit * 13 + spec[BASE_RANK]
            ranks = np.int64(0)
            while ranks < 13 and room[_OPEN + card] >= copies:
                ranks += 1
                card += 1
                if card == suit * 13 + 13:
                    card -= 13
            if copies == 1:
                one |= ranks << (8 * suit)
            if copies == spec[DECKS]:
                every |= ranks << (8 * suit)
    room[_REACH_ONE] = one
    room[_REACH_ALL] = every


@jit
def _lies_somewhere(spec: Spec, facts: Facts, room: Room, card: int) -> bool:
    """Whether the card may lie on a landing or fill a space."""
    return (facts[LIES_ON + card] & room[_LANDINGS]) != 0 or (room[_SPACE] and (spec[SPACE_CARDS] >> card) & 1)


@jit
def _reaches_foundation(spec: Spec, state: State, room: Room, card: int) -> bool:
    suit = card // 13
    beneath = card - 13 * suit - spec[BASE_RANK]
    if beneath < 0:
        beneath += 13
    reach = room[_REACH_ONE]
    if spec[DECKS] == 2 and not spec[RETURNS] and state[FOUNDATION_COUNTS + 2 * suit] > beneath:
        reach = room[_REACH_ALL]  # a copy is up already: this one needs the second foundation
    return (reach >> (8 * suit)) & 255 >= beneath


@jit
def _dig_pile(spec: Spec, facts: Facts, state: State, pile: int, room: Room) -> bool:
    """Releases what can be released from a pile, as far as is known now; returns whether anything was."""
    at = address(spec, pile, 0)
    left = room[_LEFT + pile]
    while left > 0:
        carrier = left - 1
        card = np.int64(state[at + carrier])
        lands = _lies_somewhere(spec, facts, room, card)
        if not lands and not _reaches_foundation(spec, state, room, card):
            while not lands and carrier > 0 and (facts[LIES_ON + card] >> state[at + carrier - 1]) & 1:
                carrier -= 1
                card = np.int64(state[at + carrier])
                lands = _lies_somewhere(spec, facts, room, card)
            if not lands:
                break
        while left > carrier:
            left -= 1
            if left > 0:
                _open(room, np.int64(state[at + left - 1]), True)
    dug = left < room[_LEFT + pile]
    room[_LEFT + pile] = left
    if left == 0:
        room[_SPACE] = 1
    return dug


@jit
def _land_pending(spec: Spec, facts: Facts, room: Room) -> bool:
    """Makes landings of cards that have left waste or reserve for a foundation and may now lie in a pile instead."""
    landed = False
    pending = room[_PENDING]
    card = 0
    while pending:
        if pending & 1 and _lies_somewhere(spec, facts, room, card):
            room[_LANDINGS] |= np.int64(1) << card
            room[_PENDING] &= ~(np.int64(1) << card)
            landed = True
        pending >>= 1
        card += 1
    return landed


@jit
def _dig(spec: Spec, facts: Facts, state: State, location: int, room: Room) -> bool:
    """Releases what can be released from the reserve or the waste; returns whether anything was."""
    left = room[_LEFT + location]
    refill = spec[REFILL]
    refills = refill == (REFILL_RESERVE if location == RESERVE else REFILL_WASTE_THEN_STOCK)
    while left > 0:
        card = np.int64(state[address(spec, location, left - 1)])
        lands = (refills and room[_SPACE]) or _lies_somewhere(spec, facts, room, card)
        if not lands and not _reaches_foundation(spec, state, room, card):
            break
        if lands:
            room[_LANDINGS] |= np.int64(1) << card
        else:
            room[_PENDING] |= np.int64(1) << card  # it might have waited
        left -= 1
        if left > 0:
            _open(room, np.int64(state[address(spec, location, left - 1)]), False)
    dug = left < room[_LEFT + location]
    room[_LEFT + location] = left
    return dug
