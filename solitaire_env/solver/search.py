"""``solve``: whether a deal or position can be won when all cards are known, and how."""

from __future__ import annotations

import dataclasses
import time
from typing import Literal

import numpy as np

from solitaire_env.dealing import DEAL_LIMIT, mix64, new_deal
from solitaire_env.fitting import foundation_cards
from solitaire_env.kernel import is_won
from solitaire_env.layout import PILES, SIZES, STOCK, WASTE, Spec, State, compile_rules
from solitaire_env.position import Position, as_position
from solitaire_env.rules import Rules
from solitaire_env.solver import beam, depth_first
from solitaire_env.solver.evaluation import Weights, weights_for
from solitaire_env.solver.facts import Facts, facts_of
from solitaire_env.solver.moves import line_from_root
from solitaire_env.solver.shortening import shorten
from solitaire_env.solver.transposition import places_for

Status = Literal["won", "lost", "unknown"]

FIRST_WIDTH = 64
WIDER = 4
WIDEST = 1024
"""The anytime search begins with ``FIRST_WIDTH`` and becomes ``WIDER`` times as wide each time that it fails, up to
``WIDEST``. Then it begins anew with other weights, drawn about the game's own."""

SPREAD = 0.7
"""Largest logarithm of what a weight is multiplied by. Of validation deals that wider and wider searches had left open,
searches no wider but with other weights won a fifth to a third: where one way to judge goes wrong another does not."""

RESTARTS = 60
"""Searches with other weights before the complete search begins, whatever the limits are."""

ANYTIME_SHARE = 0.7
"""Share of the positions that the anytime search may visit before the complete search begins."""

_SLICE = 50_000  # positions between two looks at the clock
_DEPTH = 20_000  # of the complete search


@dataclasses.dataclass(frozen=True)
class Solution:
    """What a search found out.

    Attributes:
        status: ``"won"``: the actions win. ``"lost"``: no play wins. ``"unknown"``: neither was found in the limits.
        actions: Action indices that win when they are played one after another by ``env.step`` from the deal or
            position (of an environment with ``avoid_repeats`` off); empty unless won.
        positions: Positions visited, those of one search that another visits again counted again.
        foundation_cards: The most cards on the foundations in any position visited.
    """

    status: Status
    actions: tuple[int, ...]
    positions: int
    foundation_cards: int


def solve(
    position_or_deal: Position | str | int,
    rules: Rules,
    *,
    max_positions: int = 2_000_000,
    max_seconds: float | None = None,
    max_memory: int = 2**30,
) -> Solution:
    """Searches for a win with all cards known, the stock's order included.

    First an anytime search, narrow to begin with, then wider, then with other weights, looks for a win. If it uses up
    its share of the positions, a complete search follows, which finds a win or, when it has been through everything,
    proves that there is none. Without ``max_seconds`` the result is the same on every machine.

    Both searches tell positions apart by 64-bit keys, and two positions of equal keys would be held for one. Among n
    positions that happens with a probability of at most n * n / 2**65: 3e-6 for ten million.

    Args:
        position_or_deal: A position, its text, or a deal number.
        rules: The rules, such as ``solitaire_env.COYOTE``.
        max_positions: Positions visited before giving up.
        max_seconds: Seconds before giving up; looked at every few ten thousand positions. The first call in a new
            installation compiles, which counts.
        max_memory: Bytes that the tables may take.

    Raises:
        ValueError: An argument is not allowed, or the position is none of this game; the message says why.
    """
    if not isinstance(rules, Rules):
        raise ValueError(f"rules is {rules!r}: allowed is a value of Rules, such as solitaire_env.COYOTE")
    if not _is_whole(max_positions) or max_positions < 1:
        raise ValueError(f"max_positions is {max_positions!r}: allowed are whole numbers from 1 up")
    if max_seconds is not None and not (isinstance(max_seconds, int | float) and max_seconds > 0):
        raise ValueError(f"max_seconds is {max_seconds!r}: allowed are None and numbers above 0")
    if not _is_whole(max_memory) or max_memory < 2**24:
        raise ValueError(f"max_memory is {max_memory!r}: allowed are whole numbers of bytes from {2**24} up")
    search = _Search(rules, _root(position_or_deal, rules), max_positions, max_seconds, max_memory)
    return search.run()


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _root(position_or_deal: Position | str | int, rules: Rules) -> State:
    if isinstance(position_or_deal, Position | str):
        return as_position(position_or_deal).to_state(rules)
    if not _is_whole(position_or_deal) or not 0 <= position_or_deal < DEAL_LIMIT:
        raise ValueError(
            f"position_or_deal is {position_or_deal!r}: allowed are a Position, its text, and deals "
            f"0 to {DEAL_LIMIT - 1}"
        )
    return new_deal(compile_rules(rules), position_or_deal)


def other_weights(weights: Weights, number: int) -> Weights:
    """Returns weights about the given ones, drawn by a fixed lot for each number."""
    lots = [int(mix64(np.uint64(number * len(weights) + i))) / 2**64 for i in range(len(weights))]
    return (weights * np.exp(SPREAD * (2 * np.array(lots) - 1))).astype(np.float32)


class _Search:
    """One call of ``solve``: what is left of its limits, and what it has found."""

    def __init__(
        self, rules: Rules, root: State, max_positions: int, max_seconds: float | None, max_memory: int
    ) -> None:
        self.rules = rules
        self.spec: Spec = compile_rules(rules)
        self.facts: Facts = facts_of(rules)
        self.weights = weights_for(rules)
        self.root = root
        self.max_positions = max_positions
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.max_memory = max_memory
        self.positions = 1
        self.best = int(foundation_cards(self.spec, root))
        self.talon = int(root[SIZES + STOCK]) + int(root[SIZES + WASTE])

    def run(self) -> Solution:
        if is_won(self.spec, self.root):
            return self._solution("won", [])
        width = FIRST_WIDTH
        restarts = 0
        share = int(self.max_positions * ANYTIME_SHARE)
        while self.positions < share and restarts <= RESTARTS and not self._late():
            solution = self._search_anytime(width, share - self.positions)
            if solution is not None:
                return solution
            if width < WIDEST and self._beam_bytes(width * WIDER) <= self.max_memory:
                width *= WIDER
            else:
                restarts += 1
                self.weights = other_weights(weights_for(self.rules), restarts)
        if self.positions < self.max_positions and not self._late():
            return self._search_all()
        return self._solution("unknown", [])

    def _late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _solution(self, status: Status, line: list[int]) -> Solution:
        actions = shorten(self.spec, self.root, line) if line else []
        return Solution(status, tuple(actions), self.positions, self.best)

    def _search_anytime(self, width: int, limit: int) -> Solution | None:
        nodes = self._beam_nodes(width)
        search = beam.new_beam(self.spec, self.facts, self.root, width, nodes, places_for(min(limit, 4 * nodes)))
        counters = search.counters
        result = beam.RUNNING
        while result == beam.RUNNING and counters[beam.POSITIONS] < limit and not self._late():
            pause = min(int(counters[beam.POSITIONS]) + _SLICE, limit)
            result = beam.advance(self.spec, self.facts, search, self.weights, width, self.talon, pause, limit)
        self.positions += int(counters[beam.POSITIONS])
        self.best = max(self.best, int(counters[beam.BEST]))
        if result == beam.FOUND:
            return self._solution("won", line_from_root(search.parents, search.actions, int(counters[beam.WINNER])))
        if result == beam.ENDED and counters[beam.COMPLETE]:
            return self._solution("lost", [])  # nothing was left out
        return None

    def _search_all(self) -> Solution:
        limit = self.max_positions - self.positions
        bytes_a_level = len(self.root) + 8 * int(self.spec[PILES]) + 2 * depth_first.MOVES_A_POSITION + 20
        depth = min(_DEPTH, self.max_memory // 4 // bytes_a_level)
        places = min(places_for(limit), places_for(self.max_memory // 2 // 8 + 1) // 2)
        search = depth_first.new_descent(self.spec, self.facts, self.root, depth, places)
        counters = search.counters
        result = depth_first.RUNNING
        while result == depth_first.RUNNING and counters[depth_first.POSITIONS] < limit and not self._late():
            pause = min(int(counters[depth_first.POSITIONS]) + _SLICE, limit)
            result = depth_first.descend(self.spec, self.facts, search, True, pause)
        self.positions += int(counters[depth_first.POSITIONS])
        self.best = max(self.best, int(counters[depth_first.BEST]))
        if result == depth_first.FOUND:
            return self._solution("won", depth_first.line(search))
        return self._solution("lost" if result == depth_first.EXHAUSTED else "unknown", [])

    def _beam_nodes(self, width: int) -> int:
        return width * (beam.layers(self.root) + beam.LAST_LAYER_SHARE)

    def _beam_bytes(self, width: int) -> int:
        nodes = self._beam_nodes(width)
        bytes_a_candidate = len(self.root) + 24 * int(self.spec[PILES]) + 80
        return 8 * nodes + 8 * places_for(4 * nodes) + beam.CANDIDATES * width * bytes_a_candidate
