"""Moves that need not be tried, or need no other tried beside them, each with the proof that no win is lost.

The tests hold every one against the search without it.
"""

from __future__ import annotations

import numpy as np

from solitaire_env.compilation import jit
from solitaire_env.fitting import first_space, needed_cards, refill_follows, run_length
from solitaire_env.kernel import moved_cards
from solitaire_env.layout import (
    ACTION_TABLE,
    BASE_RANK,
    CARDS_PER_DEAL,
    DECKS,
    FIRST_ACTION,
    FOUNDATION_COUNTS,
    MAY_LIE_ON,
    PILE_FOUNDATION,
    PILE_PILE,
    PILES,
    REDEALS_LEFT,
    REFILL,
    REFILL_NONE,
    REFILL_RESERVE,
    REFILL_STOCK,
    RESERVE,
    RESERVE_FOUNDATION,
    RETURNS,
    SIZES,
    SPACE_CARDS,
    WASTE,
    WASTE_FOUNDATION,
    Spec,
    State,
)
from solitaire_env.solver.foundations import gone_cards
from solitaire_env.stacks import top_card

_NONE = -1


@jit
def safe_action(spec: Spec, state: State) -> int:
    """A legal play to a foundation after which a position that can be won still can, or -1.

    Let P be the position, c the card, and P' the position after c is played. The play is safe, in a game whose
    foundations return nothing, when every card that may lie on c is on the foundations, all copies of it, and when
    c's own copy, if there is one off the foundations, could go up now as well: then nothing will ever be put on c,
    and nothing waits for the place that c takes. Take any win from P and leave out what it does with c alone; where
    it moves c at the end of a run, move the run without c. Each move that is left is legal from P': every card finds
    its foundation as far built as before or farther, the card beneath c is open at least as early, a run without its
    last card may move where it could with it (also where only whole runs or whole piles move), there are at least as
    many empty piles, and what is left out never frees a landing or a space that P' has not got. Moves that then only
    exchange equal piles are left out too. So P' is won. What has to be seen to is what else a play does:

    * Refill. If c is alone in its pile, the play empties the pile. Without a refill that is one space more. With
      refills from the reserve P' has the reserve's next card x in that pile, and all later ones are one place ahead:
      x can be played from there, its pile being filled by the card after it, just as from the reserve; when the win
      from P takes c away, x fills the pile there too, and the positions are alike. So it is when c is the reserve's
      top and would have filled a pile. Refills from stock or waste are another matter, for they change which cards
      are dealt: then the pile must hold more than c. In the win from P no pile then comes to hold c alone, so that
      the same moves empty piles as before; except where a space is open while refills follow, which happens only in
      positions set up by hand or after a redeal: nothing counts as safe there.
    * Waste. Without c the waste is shorter, which shifts what is dealt together on the next pass: c must be dealt
      singly or on the last pass. (A deal that brings only c is left out; a redeal of only c as well.) Where the waste
      fills piles, c could have filled one: nothing in the waste counts as safe there.
    """
    if spec[RETURNS]:
        return _NONE
    refill = spec[REFILL]
    if refill == REFILL_STOCK and state[REDEALS_LEFT] != 0:
        return _NONE
    refills = refill_follows(spec, state)
    if refills and first_space(spec, state) >= 0:
        return _NONE
    needed = needed_cards(spec, state)
    gone = gone_cards(spec, state)
    if state[SIZES + RESERVE] > 0 and _takes_nothing(spec, state, RESERVE, needed, gone):
        return spec[FIRST_ACTION + RESERVE_FOUNDATION]
    for pile in range(spec[PILES]):
        height = state[SIZES + pile]
        if height > 0 and _takes_nothing(spec, state, pile, needed, gone):
            if height > 1 or refill == REFILL_RESERVE or not refills:
                return spec[FIRST_ACTION + PILE_FOUNDATION] + pile
    if state[SIZES + WASTE] > 0:
        singly = spec[CARDS_PER_DEAL] == 1 or state[REDEALS_LEFT] == 0
        stays = refill in (REFILL_NONE, REFILL_RESERVE, REFILL_STOCK)
        if singly and stays and _takes_nothing(spec, state, WASTE, needed, gone):
            return spec[FIRST_ACTION + WASTE_FOUNDATION]
    return _NONE


@jit
def _takes_nothing(spec: Spec, state: State, location: int, needed: int, gone: int) -> bool:
    """Whether a foundation takes the top card of a location, and nothing will ever be put on it or wait for its place.

    Args:
        spec: The game.
        state: The position.
        location: A stack that is not empty.
        needed: The cards that a foundation takes next.
        gone: The cards of which all copies are on the foundations.
    """
    card = np.int64(top_card(spec, state, location))
    if not (needed >> card) & 1 or spec[MAY_LIE_ON + card] & ~gone:
        return False
    suit = card // 13
    beneath = card - 13 * suit - spec[BASE_RANK]
    if beneath < 0:
        beneath += 13
    return state[FOUNDATION_COUNTS + (suit + 1) * spec[DECKS] - 1] >= beneath


@jit
def piles_are_idle(spec: Spec, state: State) -> bool:
    """Whether putting a whole pile on another cannot help: see ``is_idle``."""
    if spec[SPACE_CARDS] or refill_follows(spec, state):
        return False
    return spec[REFILL] in (REFILL_NONE, REFILL_RESERVE) or state[REDEALS_LEFT] == 0


@jit
def is_idle(spec: Spec, state: State, action: int) -> bool:
    """Whether an action puts a whole pile on another where ``piles_are_idle``: no win needs it.

    Nothing may be put into spaces and no refill will ever come, so that the emptied pile is of no use. Let P be the
    position before and P' after the move, h the deepest card of the moved pile and y the card on which it lands. A
    win from P' is played from P with the pile left where it is: its top is open just the same, y is open besides;
    where P' moves y with cards from h on above it, P moves y's run by itself; every other move is the same move.
    """
    if spec[ACTION_TABLE + 4 * action] != PILE_PILE:
        return False
    source = spec[ACTION_TABLE + 4 * action + 1]
    height = state[SIZES + source]
    return run_length(spec, state, source) == height and moved_cards(spec, state, action) == height
