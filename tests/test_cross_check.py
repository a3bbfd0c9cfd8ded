"""The kernel against the reference model: legal moves, the result of every legal move, and the end of the game.

Over all variants and ways to play this compares well over 20,000 positions in every test run; each test asserts its
share.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from solitaire_env import Position, Rules
from solitaire_env.actions import ActionTable, Move
from solitaire_env.dealing import deal_cards
from solitaire_env.kernel import LOST, PLAYING, WON, apply_action, legal_actions, outcome
from solitaire_env.layout import STATE_SIZE, compile_rules
from solitaire_env.moves import concrete_move
from solitaire_env.pile_sets import make_pile_sets
from solitaire_env.stacks import LOG_SIZE
from tests import reference_model as model
from tests.reference_deals import deck_order
from tests.variants import VARIANTS, variant_rules

POSITIONS = 560
"""Compared for each variant and each of the two ways to play."""

OUTCOMES = {"playing": PLAYING, "won": WON, "lost": LOST}
# Better first; what the rule player of the tests tries.
PREFERENCE = ["_foundation", "waste_pile", "pile_pile", "reserve_pile", "stock_space", "pile_space", "deal", "redeal"]


class Kernel:
    """The compiled rules behind an interface of readable values."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.spec, self.table = rules, compile_rules(rules), ActionTable(rules)
        self.log = np.zeros(LOG_SIZE, np.int16)

    def deal(self, number: int) -> np.ndarray:
        state = np.zeros(self.spec[STATE_SIZE], np.int8)
        deal_cards(self.spec, state, number)
        return state

    def legal(self, state: np.ndarray) -> tuple[dict[Move, int], int]:
        """The legal moves with their actions, and the outcome."""
        mask = np.ones(self.table.n, np.int8)
        legal = legal_actions(self.spec, state, make_pile_sets(self.spec), mask)
        assert set(np.unique(mask)) <= {0, 1}
        assert legal == mask.sum()
        moves = {concrete_move(self.rules, self.table, state, int(a)): int(a) for a in np.flatnonzero(mask)}
        assert len(moves) == legal, "two actions make the same move"
        return moves, outcome(self.spec, state, legal)

    def play(self, state: np.ndarray, action: int) -> np.ndarray:
        after = state.copy()
        apply_action(self.spec, after, action, self.log)
        return after

    def readable(self, state: np.ndarray) -> model.RefPosition:
        position = Position.from_state(self.rules, state)
        return model.RefPosition(**vars(position))


def compare(kernel: Kernel, options: model.Options, state: np.ndarray, position: model.RefPosition) -> dict[Move, int]:
    """Holds kernel and model against each other in one position; returns the kernel's legal moves."""
    moves, end = kernel.legal(state)
    assert end == OUTCOMES[model.outcome(options, position)]
    if end == WON:
        return {}
    assert set(map(tuple, moves)) == set(map(tuple, model.legal_moves(options, position)))
    for move, action in moves.items():
        assert kernel.readable(kernel.play(state, action)) == model.play(options, position, model.Move(*move))
    return moves


def random_choice(rng: random.Random, options: model.Options, position: model.RefPosition, moves: list[Move]) -> Move:
    return rng.choice(moves)


def rule_player() -> Callable[..., Move | None]:
    """A player with fixed preferences that never enters a position again."""
    seen: set[object] = set()

    def choose(
        rng: random.Random, options: model.Options, position: model.RefPosition, moves: list[Move]
    ) -> Move | None:
        seen.add(model.canonical(position))
        fresh = [m for m in moves if model.canonical(model.play(options, position, model.Move(*m))) not in seen]
        rank = {m: min((i for i, p in enumerate(PREFERENCE) if m.kind.endswith(p)), default=99) for m in fresh}
        return min(fresh, key=lambda m: (rank[m], rng.random()), default=None)

    return choose


def walk(kernel: Kernel, options: model.Options, choose: Callable[..., Move | None], deal: int) -> Iterator[None]:
    """Plays one deal, comparing every position on the way."""
    rng = random.Random(deal)
    state = kernel.deal(deal)
    position = model.initial(options, deck_order(options, deal))
    assert kernel.readable(state) == position
    for _ in range(250):
        moves = compare(kernel, options, state, position)
        yield
        move = choose(rng, options, position, sorted(moves)) if moves else None
        if move is None:
            return
        state = kernel.play(state, moves[move])
        position = model.play(options, position, model.Move(*move))


@pytest.mark.parametrize("style", ["random", "rules"])
@pytest.mark.parametrize("name", VARIANTS)
def test_kernel_equals_model_in_play(name: str, style: str) -> None:
    rules = variant_rules(name)
    kernel, options = Kernel(rules), model.Options(**rules.to_dict())
    compared = 0
    for deal in range(1_000):
        for _ in walk(kernel, options, random_choice if style == "random" else rule_player(), deal):
            compared += 1
        if compared >= POSITIONS:
            break
    assert compared >= POSITIONS


def test_enough_is_compared() -> None:
    assert 2 * len(VARIANTS) * POSITIONS >= 20_000
    assert len({game for game, _ in VARIANTS.values()}) == 4


@pytest.mark.parametrize("name", VARIANTS)
def test_kernel_equals_model_near_the_end(name: str) -> None:
    """Random positions with few cards off the foundations: spaces, last cards, every redeal state."""
    rules = variant_rules(name)
    kernel, options = Kernel(rules), model.Options(**rules.to_dict())
    rng = random.Random(name)
    for _ in range(150):
        position = late_position(options, rng)
        state = Position(**vars(position)).to_state(rules)
        start = kernel.readable(state)
        assert model.canonical(start) == model.canonical(position)
        for _ in range(4):
            moves = compare(kernel, options, state, start)
            if not moves:
                break
            move = rng.choice(sorted(moves))
            state, start = kernel.play(state, moves[move]), model.play(options, start, model.Move(*move))


def late_position(options: model.Options, rng: random.Random) -> model.RefPosition:
    """Most cards on the foundations, the rest anywhere."""
    foundations, left = [], []
    for suit in model.SUITS:
        heights = sorted((rng.choice([13, 13, 12, 11, 9, 6]) for _ in range(options.decks)), reverse=True)
        for height in heights:
            cards = model.foundation_cards(options, suit)
            foundations.append(tuple(cards[:height]))
            left += cards[height:]
    rng.shuffle(left)
    has_stock = sum(options.pile_heights) + options.reserve < 52 * options.decks - 8
    tableau: list[list[str]] = [[] for _ in options.pile_heights]
    stock: list[str] = []
    waste: list[str] = []
    reserve: list[str] = []
    for card in left:
        places = [rng.choice(tableau), rng.choice(tableau)]
        places += [stock, waste] if has_stock else []
        places += [reserve] if len(reserve) < options.reserve else []
        place = rng.choice(places)
        fitting = [pile for pile in tableau if pile and model.may_lie_on(options, card, pile[-1])]
        (rng.choice(fitting) if fitting and rng.random() < 0.7 else place).append(card)
    made = rng.randint(0, options.redeals) if options.redeals else 0
    return model.RefPosition(
        foundations=tuple(foundations),
        tableau=tuple(map(tuple, tableau)),
        stock=tuple(stock),
        waste=tuple(waste),
        reserve=tuple(reserve),
        redeals_left=None if options.redeals is None else options.redeals - made,
        stock_seen=made > 0,
    )


def swiss_runs() -> Iterator[list[str]]:
    """Long runs that turn the corner, K on A and A on K, among them ones with several suffixes for one King or Two."""
    rng = random.Random(5)
    options = model.Options(**variant_rules("swiss").to_dict())
    for _ in range(120):
        run = [rng.choice(model.full_deck(options))]
        while True:
            fitting = [c for c in model.full_deck(options) if c not in run and model.may_lie_on(options, c, run[-1])]
            if not fitting or len(run) > 44:
                break
            run.append(rng.choice(fitting))
        yield run


def test_kernel_equals_model_on_long_swiss_runs() -> None:
    rules = variant_rules("swiss")
    kernel, options = Kernel(rules), model.Options(**rules.to_dict())
    most = 0
    for run in swiss_runs():
        others = [c for c in model.full_deck(options) if c not in run]
        for spare in range(0, len(others), 8):
            heads = others[spare : spare + 8]
            rest = [c for c in others if c not in heads]
            tableau = (tuple(run), *((c,) for c in heads), *((),) * (8 - len(heads)))
            position = model.RefPosition(((),) * 4, tableau, tuple(rest), (), (), 0)
            moves = compare(kernel, options, Position(**vars(position)).to_state(rules), position)
            most = max(most, max(sum(m.source == 0 and m.target == t for m in moves) for t in range(9)))
    assert most >= 3, "the positions should have three or more suffixes of one pile that fit one target"
