"""Invariants over random play of random variants, by hypothesis."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import random
from collections import Counter

import cloudpickle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solitaire_env import ActionTable, Position, SolitaireEnv, decode, encode, observation_table
from solitaire_env.hashing import position_hash
from solitaire_env.observation import LEVELS, observation_size
from tests import reference_model as model
from tests.variants import VARIANTS, variant_rules

LIMITS = settings(max_examples=60, deadline=None, derandomize=True)

names = st.sampled_from(sorted(VARIANTS))
plays = st.tuples(names, st.integers(0, 2**40), st.integers(0, 160))


def played(name: str, seed: int, steps: int, **kwargs: object) -> SolitaireEnv:
    """An environment after some random legal steps (fewer if the game ends)."""
    env = SolitaireEnv(variant_rules(name), **kwargs)
    _, info = env.reset(options={"deal": seed})
    rng = random.Random(seed)
    for _ in range(steps):
        legal = np.flatnonzero(info["action_mask"])
        if not len(legal):
            env.reset(options={"deal": seed})
            break
        *_, info = env.step(rng.choice(legal.tolist()))
    return env


def hash_of(env: SolitaireEnv, position: Position) -> int:
    return int(position_hash(env._settings.spec, position.to_state(env.rules)))


@LIMITS
@given(plays)
def test_G10_cards_are_conserved(play: tuple[str, int, int]) -> None:
    env = played(*play)
    position = env.position
    piles = [*position.foundations, *position.tableau, position.stock, position.waste, position.reserve]
    deck = Counter(model.full_deck(model.Options(**env.rules.to_dict())))
    assert Counter(card for pile in piles for card in pile) == deck


@LIMITS
@given(plays)
def test_mask_is_legality_for_every_action_of_the_space(play: tuple[str, int, int]) -> None:
    """Every legal move of the model has one action; every other action, tried, changes nothing and says so."""
    env = played(*play)
    options = model.Options(**env.rules.to_dict())
    position = model.RefPosition(**vars(env.position))
    moves = env.legal_moves()
    assert sorted(map(tuple, moves.values())) == sorted(map(tuple, model.legal_moves(options, position)))
    for action in range(int(env.action_space.n)):
        tried = copy.deepcopy(env)
        observation, reward, terminated, truncated, info = tried.step(action)
        if action in moves:
            assert not info["illegal_action"]
            after = model.play(options, position, model.Move(*moves[action]))
            assert vars(tried.position) == vars(after)
            assert terminated == (model.outcome(options, after) != "playing")
            assert info["is_success"] == (model.outcome(options, after) == "won")
        else:
            assert info["illegal_action"]
            assert tried.position == env.position
            assert reward == -0.01
            assert not terminated
            assert (observation == env._observation).all()
            assert (info["action_mask"] == env._mask).all()
        assert truncated is False


@pytest.mark.parametrize("name", VARIANTS)
def test_action_table_is_complete_and_unique(name: str) -> None:
    table = ActionTable(variant_rules(name))
    actions = [table.decode(index) for index in range(table.n)]
    assert len(set(actions)) == table.n
    assert [table.encode(action) for action in actions] == list(range(table.n))
    assert len({table.describe(index) for index in range(table.n)}) == table.n
    for index in (-1, table.n):
        with pytest.raises(ValueError, match=str(index)):
            table.decode(index)
    with pytest.raises(ValueError, match="no action"):
        table.encode(actions[0]._replace(slot=99))


@LIMITS
@given(plays, st.randoms(use_true_random=False))
def test_hash_ignores_the_order_of_piles(play: tuple[str, int, int], rng: random.Random) -> None:
    env = played(*play)
    position = env.position
    shuffled = dataclasses.replace(position, tableau=tuple(rng.sample(position.tableau, len(position.tableau))))
    assert hash_of(env, shuffled) == hash_of(env, position)
    assert shuffled.canonical() == position.canonical()


def test_hash_differs_for_different_positions() -> None:
    """All positions of many random games: one hash a canonical position, and one canonical position a hash."""
    for name in VARIANTS:
        env = SolitaireEnv(variant_rules(name))
        by_hash: dict[int, object] = {}
        for deal in range(6):
            _, info = env.reset(options={"deal": deal})
            rng = random.Random(deal)
            for _ in range(80):
                position = env.position
                assert by_hash.setdefault(hash_of(env, position), position.canonical()) == position.canonical()
                if not info["action_mask"].any():
                    break
                *_, info = env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        assert len(set(by_hash.values())) == len(by_hash) > 20


@LIMITS
@given(plays)
def test_observation_gives_back_what_the_player_knows(play: tuple[str, int, int]) -> None:
    env = played(*play)
    position = env.position
    for level in LEVELS:
        observation = encode(env.rules, position, level)
        assert observation.shape == (observation_size(env.rules),)
        assert decode(env.rules, observation) == position.known(level)
    assert (encode(env.rules, position) == env._observation).all()


@LIMITS
@given(plays, st.sampled_from(LEVELS))
def test_observation_updated_equals_observation_rebuilt(play: tuple[str, int, int], level: str) -> None:
    env = played(*play, observation=level)
    assert (env._observation == encode(env.rules, env.position, level)).all()


@LIMITS
@given(names, st.integers(0, 2**32))
def test_observation_is_injective_on_positions_of_any_order(name: str, seed: int) -> None:
    """Hand-made positions, with piles in any order and twins on one pile, are read back too."""
    rules = variant_rules(name)
    rng = random.Random(seed)
    left = model.full_deck(model.Options(**rules.to_dict()))
    rng.shuffle(left)
    tableau = tuple(tuple(left.pop() for _ in range(rng.randint(0, 5))) for _ in range(rules.n_piles))
    reserve = tuple(left.pop() for _ in range(rng.randint(0, rules.reserve)))
    if rules.stock_size == 0:
        tableau = (tuple(left) + tableau[0], *tableau[1:])
        left = []
        if len(tableau[0]) > 20:
            return
    cut = rng.randint(0, len(left))
    position = Position(
        foundations=((),) * rules.n_foundations,
        tableau=tableau,
        stock=tuple(left[:cut]),
        waste=tuple(left[cut:]),
        reserve=reserve,
        redeals_left=rules.redeals,
    )
    for level in LEVELS:
        assert decode(rules, encode(rules, position, level)) == position.known(level)


@LIMITS
@given(plays, st.randoms(use_true_random=False))
def test_K4_exchanging_hidden_cards_changes_nothing(play: tuple[str, int, int], rng: random.Random) -> None:
    env = played(*play)
    position = env.position
    if position.stock_seen:
        return
    exchanged = dataclasses.replace(position, stock=tuple(rng.sample(position.stock, len(position.stock))))
    for level in ("table", "recall"):
        for repeats in (False, True):
            one = SolitaireEnv(env.rules, observation=level, avoid_repeats=repeats)
            two = SolitaireEnv(env.rules, observation=level, avoid_repeats=repeats)
            seen, info = one.reset(options={"position": position})
            seen2, info2 = two.reset(options={"position": exchanged})
            assert (seen == seen2).all()
            assert (info.pop("action_mask") == info2.pop("action_mask")).all()
            assert info == info2
    if exchanged.stock != position.stock:
        assert (encode(env.rules, position, "open") != encode(env.rules, exchanged, "open")).any()


def test_K1_exchanging_buried_waste_changes_nothing_at_the_table() -> None:
    env = played("courtyard", 5, 60)
    position = env.position
    assert len(position.waste) > 3
    exchanged = dataclasses.replace(position, waste=(*position.waste[:-1][::-1], position.waste[-1]))
    assert (encode(env.rules, position, "table") == encode(env.rules, exchanged, "table")).all()
    assert (encode(env.rules, position, "recall") != encode(env.rules, exchanged, "recall")).any()


@LIMITS
@given(plays)
def test_text_round_trip(play: tuple[str, int, int]) -> None:
    position = played(*play).position
    text = position.to_text()
    assert "\n" not in text
    assert Position.from_text(text) == position


@LIMITS
@given(plays)
def test_reset_to_a_position_is_the_same_game(play: tuple[str, int, int]) -> None:
    env = played(*play)
    other = SolitaireEnv(env.rules)
    for start in (env.position, env.position.to_text()):
        observation, info = other.reset(options={"position": start})
        assert other.position == env.position
        assert (observation == env._observation).all()
        assert (info["action_mask"] == env._mask).all()
        assert info["deal"] == -1


@settings(LIMITS, max_examples=25)
@given(plays, st.booleans())
def test_copies_in_mid_game_go_on_identically(play: tuple[str, int, int], repeats: bool) -> None:
    env = played(*play, avoid_repeats=repeats)
    env.reset(seed=4)
    for action in range(3):
        env.step(np.flatnonzero(env.action_masks())[action % env.action_masks().sum()])
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), cloudpickle.loads(cloudpickle.dumps(env))]
    rng = random.Random(1)
    for _ in range(30):
        mask = env.action_masks()
        if not mask.any():
            env.reset()
            for other in copies:
                other.reset()
            assert all(other.position == env.position for other in copies)
            continue
        action = rng.choice(np.flatnonzero(mask).tolist())
        observation, *rest, info = env.step(action)
        for other in copies:
            observation2, *rest2, info2 = other.step(action)
            assert (observation == observation2).all()
            assert rest == rest2
            assert (info["action_mask"] == info2["action_mask"]).all()
            assert info["deal"] == info2["deal"]


@pytest.mark.parametrize("name", VARIANTS)
def test_observation_table_covers_every_entry_once(name: str) -> None:
    rules = variant_rules(name)
    columns = observation_table(rules)
    per_card = [c for c in columns if c.per_card]
    width = sum(c.width for c in per_card)
    covered = [c.start + i for c in per_card for i in range(c.width)]
    assert covered == list(range(width))
    after = [c.start + i for c in columns if not c.per_card for i in range(c.width)]
    assert after == list(range(52 * width, observation_size(rules)))
