"""Narrow searches, one after another, from many positions of a game: which of them can still be won, and how.

``solve`` makes its tables anew for every position, and searches until it knows. Where thousands of positions a second
are asked about, and a win that is overlooked now and then does no harm, a search a few positions wide in tables that
are there already answers within a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.dealing import new_deal
from solitaire_env.kernel import is_won
from solitaire_env.layout import PILES, SIZES, STOCK, WASTE, State, compile_rules
from solitaire_env.rules import Rules
from solitaire_env.solver import beam
from solitaire_env.solver.evaluation import weights_for
from solitaire_env.solver.facts import EXCHANGES, facts_of
from solitaire_env.solver.keys import position_key
from solitaire_env.solver.moves import line_from_root
from solitaire_env.solver.transposition import Table, add


class NarrowSearch:
    """Searches from positions of one game with all cards known."""

    def __init__(self, rules: Rules) -> None:
        self._spec, self._facts, self._weights = compile_rules(rules), facts_of(rules), weights_for(rules)
        self._deal = new_deal(self._spec, 0)
        self._beams: dict[int, beam.Beam] = {}
        self._totals = np.zeros(int(self._spec[PILES]), np.uint64)

    def key(self, state: State) -> np.uint64:
        """Returns the key of a position, for ``seen``."""
        return np.uint64(position_key(self._spec, self._facts, state, self._totals))

    def win(self, state: State, widths: Sequence[int], seen: Sequence[np.uint64] = ()) -> list[int] | None:
        """Returns actions that win, empty from a position that is won; None if none are found.

        Args:
            state: A position with no more cards to come than a deal has.
            widths: Positions expanded between two draws: one search for each, until one finds a win.
            seen: Keys of positions that must not be entered again. They are not heeded where positions share keys
                that can be reached from each other, which is where two decks build in suit.
        """
        if is_won(self._spec, state):
            return []
        keys = np.array(() if self._facts[EXCHANGES] else seen, np.uint64)
        talon = int(state[SIZES + STOCK]) + int(state[SIZES + WASTE])
        for width in widths:
            if width not in self._beams:
                self._beams[width] = beam.room_for(self._spec, self._facts, self._deal, width)
            search = self._beams[width]
            beam.restart(self._spec, self._facts, search, state)
            _add_all(search.table, keys)
            result = beam.advance(
                self._spec, self._facts, search, self._weights, width, talon, beam.NO_LIMIT, beam.NO_LIMIT
            )
            if result == beam.FOUND:
                return line_from_root(search.parents, search.actions, int(search.counters[beam.WINNER]))
            if search.counters[beam.COMPLETE]:
                return None
        return None


@jit
def _add_all(table: Table, keys: NDArray[np.uint64]) -> None:
    for i in range(len(keys)):
        add(table, keys[i])
