"""The reference model against itself: random games keep the deck and what must not change."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.reference_games import COURTYARD, COYOTE, GAMES, SWISS, VARIEGATED_CANFIELD
from tests.reference_model import (
    Move,
    Options,
    RefPosition,
    canonical,
    full_deck,
    initial,
    legal_moves,
    outcome,
    play,
)

OPTION_SETS: dict[str, Options] = {
    **GAMES,
    "coyote elsewhere": replace(COYOTE, reserve=13, refill="reserve"),
    "coyote free": replace(COYOTE, moves="any_suffix", foundation_returns=True, redeals=None),
    "swiss ring": replace(SWISS, corner="ring", spaces="any"),
    "swiss ace high": replace(SWISS, corner="ace_high", moves="single", spaces="none"),
    "courtyard waste": replace(COURTYARD, spaces="any", refill="waste_then_stock"),
    "courtyard again": replace(COURTYARD, spaces="any", redeals=2),
    "variegated piles": replace(VARIEGATED_CANFIELD, moves="top_or_pile", stock_to_space=False),
    "variegated back": replace(VARIEGATED_CANFIELD, foundation_returns=True),
}


def random_deal(options: Options, rng: random.Random) -> RefPosition:
    order = full_deck(options)
    if options.foundations == "dealt":
        order = [card for card in order if card[0] != options.base_rank]
    rng.shuffle(order)
    return initial(options, order)


def playout(options: Options, rng: random.Random, steps: int) -> Iterator[tuple[RefPosition, Move, RefPosition]]:
    """Each position of a random game, the move made there and what came of it."""
    position = random_deal(options, rng)
    for _ in range(steps):
        legal = legal_moves(options, position)
        if not legal:
            return
        move = rng.choice(legal)
        after = play(options, position, move)
        yield position, move, after
        position = after


@pytest.mark.parametrize("name", OPTION_SETS)
def test_random_games_of_the_model_keep_its_invariants(name: str) -> None:
    options = OPTION_SETS[name]
    deck = Counter(full_deck(options))
    rng = random.Random(name)
    kinds = set()
    for _ in range(3):
        for before, move, after in playout(options, rng, 120):
            piles = [*after.foundations, *after.tableau, after.stock, after.waste, after.reserve]
            assert Counter(card for pile in piles for card in pile) == deck
            assert canonical(after) != canonical(before)
            assert len(after.reserve) <= len(before.reserve)
            assert len(set(legal_moves(options, before))) == len(legal_moves(options, before))
            assert outcome(options, before) == "playing"
            moved_up = move.kind.endswith("_foundation") - move.kind.startswith("foundation_")
            assert sum(map(len, after.foundations)) == sum(map(len, before.foundations)) + moved_up
            for first in range(0, len(after.foundations), options.decks):
                heights = [len(p) for p in after.foundations[first : first + options.decks]]
                assert heights == sorted(heights, reverse=True)
            kinds.add(move.kind)
    assert {"deal", "waste_pile", "pile_pile"} <= kinds


@pytest.mark.parametrize("name", OPTION_SETS)
def test_the_order_of_the_piles_does_not_matter_to_the_model(name: str) -> None:
    options = OPTION_SETS[name]
    rng = random.Random(name)
    for before, _, _ in playout(options, rng, 60):
        tableau = list(before.tableau)
        rng.shuffle(tableau)
        shuffled = replace(before, tableau=tuple(tableau))
        assert canonical(shuffled) == canonical(before)
        results = [
            {canonical(play(options, position, move)) for move in legal_moves(options, position)}
            for position in (before, shuffled)
        ]
        assert results[0] == results[1]
