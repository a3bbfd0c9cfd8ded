"""Small positions, and the plain search that the solver is held against.

The search is breadth first over whole positions: no hash, no order of moves, no dominance, no pile exchanged for
another. It shares the kernel with the solver, whose rules are held against the reference model elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from solitaire_env import Position, Rules
from solitaire_env.cards import RANKS
from solitaire_env.compilation import jit
from solitaire_env.kernel import apply_action, is_won, legal_actions
from solitaire_env.layout import (
    AT_PILES,
    AT_TALON,
    N_ACTIONS,
    PILE_CAPACITY,
    PILES,
    RESERVE,
    SIZES,
    STATE_SIZE,
    STOCK,
    STOCK_SEEN,
    WASTE,
    compile_rules,
)
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.position import foundation_pile
from solitaire_env.solver.moves import copy_row
from solitaire_env.stacks import LOG_SIZE, address


def fewer_piles(rules: Rules, piles: int) -> Rules:
    """The same game with so few piles that a few cards can be in each other's way."""
    return rules.replace(pile_heights=rules.pile_heights[:piles])


def small_position(rules: Rules, cards: int, rng: random.Random) -> Position:
    """A position with ``cards`` cards, at random, off the foundations, which lack cards at random."""
    least = 1 if rules.foundations == "dealt" else 0
    counts = [13] * rules.n_foundations
    while sum(13 - count for count in counts) < cards:
        f = rng.randrange(rules.n_foundations)
        if counts[f] > least:
            counts[f] -= 1
    foundations = [foundation_pile(rules, f // rules.decks, count) for f, count in enumerate(counts)]
    full = [foundation_pile(rules, f // rules.decks, 13) for f in range(rules.n_foundations)]
    off = [card for pile, whole in zip(foundations, full, strict=True) for card in whole[len(pile) :]]
    rng.shuffle(off)

    places: dict[str, list[str]] = {"stock": [], "waste": [], "reserve": []}
    piles: list[list[str]] = [[] for _ in range(rules.n_piles)]
    talon = ["stock", "waste"] if rules.stock_size else []
    favoured = rng.choice([*talon, "piles", "all"])  # positions of all sorts
    hard = rng.random() < 0.7  # no pile empty, and cards needed first deep down
    if hard:
        off.sort(key=lambda card: rng.random() * 8 + (RANKS.index(card[0]) - RANKS.index(rules.base_rank)) % 13)
        for pile in piles:
            if off:
                pile.append(off.pop(rng.randrange(len(off)) if rng.random() < 0.5 else -1))
    for card in off:
        place = favoured if rng.random() < 0.5 else "all"
        if place == "all":
            place = rng.choice([*talon, "piles", "piles", *(["reserve"] if rules.reserve else [])])
        if place == "piles" or (place == "reserve" and len(places["reserve"]) == rules.reserve):
            rng.choice(piles[: rng.randint(1, len(piles))]).append(card)
        else:
            places[place].append(card)
    places["stock"].reverse()
    left = rules.redeals
    if left is not None:
        left = 0 if hard and rng.random() < 0.7 else rng.randint(0, left)
    return Position(
        foundations=tuple(foundations),
        tableau=tuple(tuple(pile) for pile in piles),
        stock=tuple(places["stock"]),
        waste=tuple(places["waste"]),
        reserve=tuple(places["reserve"]),
        redeals_left=left,
        stock_seen=False,
    )


@jit
def _tidy(spec, state):
    """Zeroes all of a row that is no part of the position."""
    state[STOCK_SEEN] = 0
    for pile in range(spec[PILES]):
        for height in range(state[SIZES + pile], spec[PILE_CAPACITY]):
            state[address(spec, pile, height)] = 0
    for at in range(address(spec, RESERVE, state[SIZES + RESERVE]), spec[AT_TALON]):
        state[at] = 0
    for at in range(address(spec, WASTE, state[SIZES + WASTE]), spec[AT_PILES] - state[SIZES + STOCK]):
        state[at] = 0


@jit
def _children(spec, state, sets, mask, log, rows):
    """Writes the positions after each legal action into ``rows``; returns their number, -1 when one is won."""
    legal_actions(spec, state, sets, mask)
    count = 0
    for action in range(spec[N_ACTIONS]):
        if mask[action]:
            copy_row(rows[count], state)
            apply_action(spec, rows[count], action, log)
            if is_won(spec, rows[count]):
                return -1
            _tidy(spec, rows[count])
            count += 1
    return count


def plain_verdict(rules: Rules, position: Position, limit: int) -> str | None:
    """``won`` or ``lost``, or None when there are more than ``limit`` positions."""
    spec: Any = compile_rules(rules)
    root = position.to_state(rules)
    if is_won(spec, root):
        return "won"
    _tidy(spec, root)
    sets, mask, log = make_pile_sets(spec), np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
    rows = np.zeros((spec[N_ACTIONS], spec[STATE_SIZE]), np.int8)
    seen = {root.tobytes()}
    layer = [root]
    while layer:
        below = []
        for state in layer:
            count = _children(spec, state, sets, mask, log, rows)
            if count < 0:
                return "won"
            for row in rows[:count]:
                key = row.tobytes()
                if key not in seen:
                    seen.add(key)
                    below.append(row.copy())
            if len(seen) > limit:
                return None
        layer = below
    return "lost"


def judged_positions(rules: Rules, wanted: int, seed: int, limit: int = 600) -> Iterator[tuple[Rules, Position, str]]:
    """``wanted`` small positions with their verdicts, of ``rules`` but for the number of piles.

    Those that are too large for the plain search are passed over.
    """
    rng = random.Random(seed)
    fewest = 2 if rules.decks == 1 else 1
    while wanted:
        piles = rng.randint(fewest, min(rules.n_piles, fewest + 3))
        fewer = fewer_piles(rules, piles)
        position = small_position(fewer, rng.randint(4, 10 + 2 * piles), rng)
        verdict = plain_verdict(fewer, position, limit)
        if verdict is not None:
            wanted -= 1
            yield fewer, position, verdict
