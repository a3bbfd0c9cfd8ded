"""What a draw is worth to a player who does not know the stock: how games end that go on from it.

A playout deals the unknown cards at random and then plays as ``rank_draws`` suggests, without looking at them: in
each layer it goes to the draw that is best on average. When no card is hidden any more, a narrow search with all
cards known tells whether the game is won. That is what the player could really do, so that the estimate is not spoilt
by knowing the future, as it is when each random stock is searched with open cards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solitaire_env.compilation import jit
from solitaire_env.dealing import mix64
from solitaire_env.fitting import foundation_cards
from solitaire_env.layout import DECK_SIZE, SIZES, STATE_SIZE, STOCK, STOCK_SEEN, WASTE, Spec, State
from solitaire_env.solver import beam
from solitaire_env.solver.beam import Beam, advance, restart
from solitaire_env.solver.evaluation import Weights
from solitaire_env.solver.facts import Facts
from solitaire_env.solver.heap import Items
from solitaire_env.solver.layer import (
    DRAWS,
    WINNER,
    Generator,
    Layer,
    explore,
    make_draw,
    new_layer,
    rank_draws,
)


class Playouts(NamedTuple):
    """Room for playouts.

    Attributes:
        layer: Of each layer on the way.
        beam: Of the search at the end.
        state: The position.
        generator: Of the stock's order and of the player's looks ahead.
    """

    layer: Layer
    beam: Beam
    state: State
    generator: Generator


def new_playouts(spec: Spec, facts: Facts, root: State, width: int, end_width: int) -> Playouts:
    """Returns room for playouts from positions of the game of ``root`` that have no more cards to come than it.

    Args:
        spec: The game.
        facts: Of the game.
        root: A position, such as a deal.
        width: Positions expanded in a layer of a playout.
        end_width: Positions expanded in a layer of the search at its end.
    """
    return Playouts(
        new_layer(spec, width),
        beam.room_for(spec, facts, root, end_width),
        np.empty(int(spec[STATE_SIZE]), np.int8),
        np.zeros(1, np.uint64),
    )


@jit
def try_draws(
    spec: Spec,
    facts: Facts,
    layer: Layer,
    draws: Items,
    first: int,
    last: int,
    seed: np.uint64,
    playouts: Playouts,
    weights: Weights,
    width: int,
    end_width: int,
    looks: int,
    values: NDArray[np.float32],
) -> None:
    """Plays out some draws; ``values[i, j]`` becomes 1 where draw ``draws[i]`` wins with random stock ``j``.

    Where it does not win, it becomes the share of the deck that came to the foundations, less 1. Stock ``j`` has the
    same order for all draws.

    Args:
        spec: The game.
        facts: Of the game.
        layer: An exploration.
        draws: Numbers of draws in it.
        first: The first random stock ...
        last: ... and the one after the last.
        seed: Of the random stocks.
        playouts: From ``new_playouts``.
        weights: Of the evaluation.
        width: As of ``new_playouts``.
        end_width: As of ``new_playouts``.
        looks: Random draws by which ``rank_draws`` judges in a playout.
        values: Float32, ``(len(draws), last or more)``.
    """
    state, generator = playouts.state, playouts.generator
    for i in range(len(draws)):
        for j in range(first, last):
            generator[0] = mix64(seed + np.uint64(j))
            make_draw(spec, layer, np.int64(draws[i]), state, spec[DECK_SIZE], generator)
            generator[0] = mix64(seed - np.uint64(j + 1))
            cards = _play_out(spec, facts, playouts, weights, width, end_width, looks)
            values[i, j] = 1 if cards == spec[DECK_SIZE] else np.float32(cards) / np.float32(spec[DECK_SIZE]) - 1


@jit
def is_hidden(state: State) -> bool:
    """Whether the player cannot tell the order of the stock; a single card is known to be the one that is missing."""
    return not state[STOCK_SEEN] and state[SIZES + STOCK] > 1


@jit
def _play_out(
    spec: Spec, facts: Facts, playouts: Playouts, weights: Weights, width: int, end_width: int, looks: int
) -> int:
    """Plays from ``playouts.state`` to the end; returns the most cards that came to the foundations."""
    layer, state = playouts.layer, playouts.state
    while is_hidden(state):
        if foundation_cards(spec, state) == spec[DECK_SIZE]:
            return spec[DECK_SIZE]
        explore(spec, facts, layer, state, weights, width)
        if layer.counters[WINNER] >= 0:
            return spec[DECK_SIZE]
        if layer.counters[DRAWS] == 0:
            return foundation_cards(spec, state)
        best = rank_draws(spec, layer, weights, looks, playouts.generator)
        make_draw(spec, layer, best, state, 0, playouts.generator)
    if foundation_cards(spec, state) == spec[DECK_SIZE]:
        return spec[DECK_SIZE]
    search = playouts.beam
    restart(spec, facts, search, state)
    talon = np.int64(state[SIZES + STOCK]) + np.int64(state[SIZES + WASTE])
    advance(spec, facts, search, weights, end_width, talon, beam.NO_LIMIT, beam.NO_LIMIT)
    return search.counters[beam.BEST]
