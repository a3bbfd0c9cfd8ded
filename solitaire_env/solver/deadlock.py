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
from solitaire_env.layout import (
    BASE_RANK,
    DECKS,
    FOUNDATION_COUNTS,
    MAY_LIE_ON,
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
from solitaire_env.rules import MAX_PILES
from solitaire_env.solver.foundations import SUIT, lowest_ranks
from solitaire_env.stacks import address

Room = NDArray[np.int64]

# Room for a test: bit sets of cards, and numbers.
_OPEN = 0  # a copy is open, released or on a foundation
_OPEN_TWICE = 1  # both copies are
_LANDS = 2  # may lie on a landing, or in a space that there is
_REACHES = 3  # a foundation can reach it
_PENDING = 4  # has left waste or reserve for a foundation and is no landing yet
_SPACE = 5  # 1 once a pile can be emptied
_LEFT = 6  # + location: cards not released, the uppermost of which is open
_STUCK_TOP = _LEFT + STOCK + 1  # + pile: that card, when nothing could be released ...
_STUCK_RUN = _STUCK_TOP + MAX_PILES  # + pile: ... and the run that ends with it
N_ROOM = _STUCK_RUN + MAX_PILES

# Sets with 16 bits for each suit, the base rank first: so the suits are gone through side by side.
_LANES = 0x1FFF1FFF1FFF1FFF
_FIRSTS = 0x0001000100010001


@jit
def is_dead(spec: Spec, state: State, room: Room) -> bool:
    """Whether the position is found to be lost; ``room`` is scratch of ``N_ROOM`` entries."""
    _lay_out(spec, state, room)
    while True:
        if _set_reach(spec, state, room):
            return False
        progress = _land_pending(spec, room)
        for pile in range(spec[PILES]):
            stuck = room[_STUCK_TOP + pile] & room[_REACHES] == 0 and room[_STUCK_RUN + pile] & room[_LANDS] == 0
            if not stuck and _dig_pile(spec, state, pile, room):
                progress = True
        for location in range(RESERVE, STOCK):
            if room[_LEFT + location] > 0 and _dig(spec, state, location, room):
                progress = True
        if not progress:
            return True


@jit
def _lay_out(spec: Spec, state: State, room: Room) -> None:
    """Notes what is open at the start."""
    once, twice, lands = _lay_out_foundations(spec, state)
    space = 0
    for pile in range(spec[PILES]):
        size = np.int64(state[SIZES + pile])
        room[_LEFT + pile] = size
        unknown = 0 if size == 0 else -1
        room[_STUCK_TOP + pile] = room[_STUCK_RUN + pile] = unknown
        if size == 0:
            space = 1
        else:
            card = np.int64(state[address(spec, pile, size - 1)])
            bit = np.int64(1) << card
            twice |= once & bit
            once |= bit
            lands |= spec[MAY_LIE_ON + card]
    for location in range(RESERVE, STOCK + 1):
        size = np.int64(state[SIZES + location])
        all_open = location == STOCK or (location == WASTE and state[REDEALS_LEFT] != 0)
        room[_LEFT + location] = 0 if all_open else size
        if size == 0:
            continue
        first, last = address(spec, location, 0), address(spec, location, size - 1)
        if not all_open:
            bit = np.int64(1) << np.int64(state[last])
            twice |= once & bit
            once |= bit
            continue
        for at in range(min(first, last), max(first, last) + 1):
            card = np.int64(state[np.uint64(at)])
            bit = np.int64(1) << card
            twice |= once & bit
            once |= bit
            lands |= spec[np.uint64(MAY_LIE_ON + card)]
    room[_OPEN], room[_OPEN_TWICE] = once, twice
    room[_LANDS] = lands | (spec[SPACE_CARDS] if space else np.int64(0))
    room[_SPACE] = space
    room[_PENDING] = 0


@jit
def _lay_out_foundations(spec: Spec, state: State) -> tuple[int, int, int]:
    """Cards on the foundations, cards there twice, and what may lie on them where they are returned."""
    once, twice, lands = np.int64(0), np.int64(0), np.int64(0)
    for suit in range(4):
        first = FOUNDATION_COUNTS + suit * spec[DECKS]
        once |= lowest_ranks(spec, state[first]) << (13 * suit)
        if spec[DECKS] == 2:
            twice |= lowest_ranks(spec, state[first + 1]) << (13 * suit)
    if spec[RETURNS]:
        for card in range(52):
            lands |= spec[MAY_LIE_ON + card] & -((once >> card) & 1)
    return once, twice, lands


@jit
def _open(room: Room, card: int) -> None:
    bit = np.int64(1) << card
    room[_OPEN_TWICE] |= room[_OPEN] & bit
    room[_OPEN] |= bit


@jit
def _add_landing(spec: Spec, room: Room, card: int) -> None:
    room[_LANDS] |= spec[MAY_LIE_ON + card]


@jit
def _add_space(spec: Spec, room: Room) -> None:
    room[_SPACE] = 1
    room[_LANDS] |= spec[SPACE_CARDS]


@jit
def _set_reach(spec: Spec, state: State, room: Room) -> bool:
    """Notes which cards a foundation can reach; returns whether all foundations can be completed.

    It can reach the ranks, from the base on, of which a copy is open without a gap, and the one after; the second
    foundation of a suit those of which both copies are.
    """
    once = _without_gap(_to_lanes(spec, room[_OPEN]))
    every = _without_gap(_to_lanes(spec, room[_OPEN_TWICE])) if spec[DECKS] == 2 else once
    ranks = (once << 1) | _FIRSTS
    if spec[DECKS] == 2 and not spec[RETURNS]:  # where a copy is up already the other needs the second foundation
        up = np.int64(0)
        for suit in range(4):
            up |= ((np.int64(1) << np.int64(state[FOUNDATION_COUNTS + 2 * suit])) - 1) << (16 * suit)
        ranks = (ranks & ~up) | (((every << 1) | _FIRSTS) & up)
    room[_REACHES] = _from_lanes(spec, ranks & _LANES)
    return every == _LANES


@jit
def _without_gap(lanes: int) -> int:
    """The ranks up to the first that is missing."""
    return ((lanes ^ (lanes + _FIRSTS)) >> 1) & _LANES


@jit
def _to_lanes(spec: Spec, cards: int) -> int:
    lanes = cards & SUIT | (cards & SUIT << 13) << 3 | (cards & SUIT << 26) << 6 | (cards & SUIT << 39) << 9
    before = ((np.int64(1) << spec[BASE_RANK]) - 1) * _FIRSTS  # the ranks below the base rank come last
    return ((lanes & ~before) >> spec[BASE_RANK]) | ((lanes & before) << (13 - spec[BASE_RANK]))


@jit
def _from_lanes(spec: Spec, lanes: int) -> int:
    before = ((np.int64(1) << (13 - spec[BASE_RANK])) - 1) * _FIRSTS
    lanes = ((lanes & ~before) >> (13 - spec[BASE_RANK])) | ((lanes & before) << spec[BASE_RANK])
    return lanes & SUIT | (lanes >> 3 & SUIT << 13) | (lanes >> 6 & SUIT << 26) | (lanes >> 9 & SUIT << 39)


@jit
def _dig_pile(spec: Spec, state: State, pile: int, room: Room) -> bool:
    """Releases what can be released from a pile, as far as is known now; returns whether anything was."""
    at = address(spec, pile, 0)
    left = room[_LEFT + pile]
    top, run = np.int64(0), np.int64(0)
    while left > 0:
        carrier = left - 1
        card = np.int64(state[at + carrier])
        lands = (room[_LANDS] >> card) & 1
        if not lands and not (room[_REACHES] >> card) & 1:
            top = run = np.int64(1) << card
            while not lands and carrier > 0 and (spec[MAY_LIE_ON + state[at + carrier - 1]] >> card) & 1:
                carrier -= 1
                card = np.int64(state[at + carrier])
                lands = (room[_LANDS] >> card) & 1
                run |= np.int64(1) << card
            if not lands:
                break
        while left > carrier:
            left -= 1
            if left > 0:
                card = np.int64(state[at + left - 1])
                _open(room, card)
                _add_landing(spec, room, card)
    dug = left < room[_LEFT + pile]
    room[_LEFT + pile] = left
    if left == 0:
        _add_space(spec, room)
        top = run = np.int64(0)  # there is nothing more to release
    room[_STUCK_TOP + pile], room[_STUCK_RUN + pile] = top, run
    return dug


@jit
def _land_pending(spec: Spec, room: Room) -> bool:
    """Makes landings of cards that have left waste or reserve for a foundation and may now lie in a pile instead."""
    landing = room[_PENDING] & room[_LANDS]
    if not landing:
        return False
    room[_PENDING] &= ~landing
    for card in range(52):
        if (landing >> card) & 1:
            _add_landing(spec, room, card)
    return True


@jit
def _dig(spec: Spec, state: State, location: int, room: Room) -> bool:
    """Releases what can be released from the reserve or the waste; returns whether anything was."""
    left = room[_LEFT + location]
    refill = spec[REFILL]
    refills = refill == (REFILL_RESERVE if location == RESERVE else REFILL_WASTE_THEN_STOCK)
    while left > 0:
        card = np.int64(state[address(spec, location, left - 1)])
        lands = (refills and room[_SPACE]) or (room[_LANDS] >> card) & 1
        if not lands and not (room[_REACHES] >> card) & 1:
            break
        if lands:
            _add_landing(spec, room, card)
        else:
            room[_PENDING] |= np.int64(1) << card  # it might have waited
        left -= 1
        if left > 0:
            _open(room, np.int64(state[address(spec, location, left - 1)]))
    dug = left < room[_LEFT + location]
    room[_LEFT + location] = left
    return dug
