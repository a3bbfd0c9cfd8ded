"""The vector environment equals ``SyncVectorEnv`` over single environments, step by step, infos included."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from solitaire_env import ENV_IDS, GAMES, SolitaireEnv, SolitaireVectorEnv
from solitaire_env.settings import draw_deal, draw_deals

ENV_STEPS = 100_000
"""Compared for each game and autoreset mode."""

NUM_ENVS = 100


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """Equal in value, type, dtype and shape."""
    if isinstance(one, dict):
        assert set(one) == set(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}/{key}")
        return
    assert type(one) is type(other), where
    assert one.dtype == other.dtype, where
    assert one.shape == other.shape, where
    if one.dtype == object:
        for a, b in zip(one, other, strict=True):
            assert (a is None) == (b is None), where
            if a is not None:
                assert_same(a, b, where)
    else:
        assert np.array_equal(one, other), where


def choose(rng: np.random.Generator, mask: np.ndarray, illegal: float = 0.02) -> np.ndarray:
    """Random actions, mostly legal ones."""
    keys = rng.random(mask.shape) * mask
    return np.where(rng.random(len(mask)) < illegal, rng.integers(mask.shape[1], size=len(mask)), keys.argmax(1))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("game", GAMES)
def test_equals_single_envs_step_by_step(game: str, mode: AutoresetMode) -> None:
    limit = 120
    # Repeats are avoided in every second mode; all games, limits, wins and losses occur either way.
    kwargs: dict[str, Any] = {"avoid_repeats": mode != AutoresetMode.SAME_STEP, "observation": "recall"}
    native = gym.make_vec(ENV_IDS[game], NUM_ENVS, max_episode_steps=limit, autoreset_mode=mode, **kwargs)
    assert isinstance(native, SolitaireVectorEnv)
    single = [lambda: gym.make(ENV_IDS[game], max_episode_steps=limit, disable_env_checker=True, **kwargs)] * NUM_ENVS
    sync = SyncVectorEnv(single, autoreset_mode=mode)
    assert native.metadata["autoreset_mode"] is mode
    assert native.observation_space == sync.observation_space
    assert native.action_space == sync.action_space

    rng = np.random.default_rng(7)
    observations, infos = native.reset(seed=11)
    expected = sync.reset(seed=11)
    assert_same(observations, expected[0])
    assert_same(infos, expected[1])
    episodes = 0
    mask = infos["action_mask"]
    for _ in range(ENV_STEPS // NUM_ENVS):
        actions = choose(rng, mask)
        *results, infos = native.step(actions)
        *expected_results, expected_infos = sync.step(actions)
        for result, expected_result in zip(results, expected_results, strict=True):
            assert_same(result, expected_result)
        assert_same(infos, expected_infos)
        mask = infos["action_mask"]
        done = results[2] | results[3]
        episodes += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            observations, infos = native.reset(options={"reset_mask": done})
            expected = sync.reset(options={"reset_mask": done.copy()})
            assert_same(observations, expected[0])
            assert_same(infos, expected[1])
            mask = native.action_masks().astype(np.int8)
    assert episodes > 3 * NUM_ENVS


@pytest.mark.parametrize("game", GAMES)
def test_threads_change_nothing(game: str) -> None:
    envs = [SolitaireVectorEnv(game, 33, num_threads=n, avoid_repeats=True, max_episode_steps=60) for n in (1, 2, 3)]
    masks = [env.reset(seed=1)[1]["action_mask"] for env in envs]
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = choose(rng, masks[0])
        results = [env.step(actions) for env in envs]
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                assert_same(a, b)
        masks = [results[0][-1]["action_mask"]]
    for env in envs:
        env.close()
        env.close()


def test_seeds_equal_those_of_single_envs() -> None:
    env = SolitaireVectorEnv("coyote", 4, max_episode_steps=5, autoreset_mode="SameStep")
    deals = [env.reset(seed=[3, None, 9, 3])[1]["deal"].tolist()]
    for _ in range(20):
        _, _, terminated, truncated, infos = env.step(np.zeros(4, int))
        if (terminated | truncated).any():
            deals.append(infos["deal"].tolist())
    assert len(deals) == 5
    for i, seed in ((0, 3), (2, 9), (3, 3)):
        single = SolitaireEnv("coyote")
        expected = [single.reset(seed=seed)[1]["deal"], *(single.reset()[1]["deal"] for _ in range(4))]
        assert [row[i] for row in deals] == expected
    assert len({row[1] for row in deals}) == 5
    again = env.reset(seed=3)[1]["deal"].tolist()
    assert again[0] == deals[0][0]
    assert len(set(again)) == 4


def test_numpy_draws_alike_one_by_one_and_together() -> None:
    for seed in range(50):
        one, many = np.random.default_rng(seed), np.random.default_rng(seed)
        assert [draw_deal(one) for _ in range(9)] == draw_deals(many, 4) + draw_deals(many, 5)


def test_unseeded_envs_get_different_deals() -> None:
    deals = SolitaireVectorEnv("swiss", 64).reset()[1]["deal"]
    assert len(set(deals.tolist())) == 64
    assert deals.min() >= 1_000_000


def test_numbered_deals_and_positions() -> None:
    env = SolitaireVectorEnv("swiss", 3)
    single = SolitaireEnv("swiss")
    expected = [single.reset(options={"deal": deal})[0] for deal in (5, 6, 7)]
    observations, infos = env.reset(options={"deal": [5, 6, 7]})
    assert np.array_equal(observations, np.stack(expected))
    assert infos["deal"].tolist() == [5, 6, 7]
    position = single.position
    observations, infos = env.reset(options={"position": position, "reset_mask": np.array([True, False, True])})
    assert np.array_equal(observations, np.stack([expected[2], expected[1], expected[2]]))
    assert infos["deal"].tolist() == [-1, 0, -1]
    assert infos["_deal"].tolist() == [True, False, True]
    assert env.positions() == [position, *env.positions()[1:2], position]
    assert env.reset(options={"position": [position.to_text()] * 3})[1]["deal"].tolist() == [-1] * 3


def test_numbered_deals_do_not_disturb_the_draw() -> None:
    env, undisturbed = SolitaireVectorEnv("coyote", 2), SolitaireVectorEnv("coyote", 2)
    env.reset(seed=0)
    env.reset(options={"deal": 1})
    undisturbed.reset(seed=0)
    assert np.array_equal(env.reset()[1]["deal"], undisturbed.reset()[1]["deal"])


def test_arrays_that_are_held_are_never_written_to_again() -> None:
    """Whether the array itself is held, a view of it, or what another library made of a view."""
    env = SolitaireVectorEnv("courtyard", 8)
    observations, infos = env.reset(seed=0)
    held = [(observations, observations.copy()), (infos["action_mask"], infos["action_mask"].copy())]
    for step in range(30):
        observations, *_, infos = env.step(infos["action_mask"].argmax(1))
        part = observations[3:5] if step % 2 else observations.reshape(-1)[::7]
        held.append((part, part.copy()))
        held.append((memoryview(infos["action_mask"]), infos["action_mask"].copy()))
    for array, as_it_was in held:
        assert np.array_equal(np.asarray(array), as_it_was)


def test_arrays_that_nobody_holds_are_used_again() -> None:
    env = SolitaireVectorEnv("courtyard", 8)
    _, infos = env.reset(seed=0)
    places = set()
    for _ in range(20):
        observations, *_, infos = env.step(infos["action_mask"].argmax(1))
        places.add(observations.ctypes.data)
    assert len(places) <= 3


def test_two_buffers_in_turn_on_demand() -> None:
    env = SolitaireVectorEnv("courtyard", 8, copy=False)
    first, _ = env.reset(seed=0)
    second, *_, infos = env.step(env.action_masks().argmax(1))
    third, *_ = env.step(infos["action_mask"].argmax(1))
    assert np.shares_memory(first, third)
    assert not np.shares_memory(second, third)


def test_copies_go_on_identically() -> None:
    env = SolitaireVectorEnv("variegated_canfield", 5, num_threads=2, max_episode_steps=30)
    _, infos = env.reset(seed=0)
    for _ in range(20):
        *_, infos = env.step(infos["action_mask"].argmax(1))
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(40):
        actions = infos["action_mask"].argmax(1)
        *results, infos = env.step(actions)
        for other in copies:
            *results2, infos2 = other.step(actions)
            for a, b in zip(results, results2, strict=True):
                assert_same(a, b)
            assert_same(infos, infos2)


def test_action_space_can_be_seeded_and_sampled() -> None:
    env = gym.make_vec("Solitaire/Coyote-v0", 6)
    env.action_space.seed(1)
    sample = env.action_space.sample()
    env.action_space.seed(1)
    assert np.array_equal(sample, env.action_space.sample())
    env.reset(seed=0)
    env.step(sample)


def test_statistics_wrapper_works() -> None:
    env = RecordEpisodeStatistics(gym.make_vec("Solitaire/Coyote-v0", 3, max_episode_steps=10))
    env.reset(seed=0)
    for _ in range(10):
        *_, infos = env.step(np.zeros(3, int))
    assert infos["episode"]["l"].tolist() == [10, 10, 10]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reset_mask": np.zeros(3, bool)}, ValueError, "False throughout"),
        ({"reset_mask": np.ones(2, bool)}, ValueError, "shape"),
        ({"reset_mask": np.ones(3, int)}, TypeError, "reset_mask"),
        ({"reset_mask": [True] * 3}, TypeError, "reset_mask"),
        ({"deal": [1, 2]}, ValueError, "2 values"),
        ({"deal": [1, 2, -3]}, ValueError, "deal is -3"),
        ({"position": ["F=-"] * 3}, ValueError, "lacks"),
        ({"what": 1}, ValueError, "unknown reset option 'what'"),
    ],
)
def test_bad_reset_options_change_nothing(options: dict[str, Any], error: type[Exception], message: str) -> None:
    env = SolitaireVectorEnv("coyote", 3)
    env.reset(seed=0)
    before = env.positions()
    with pytest.raises(error, match=message):
        env.reset(seed=5, options=options)
    assert env.positions() == before


@pytest.mark.parametrize("actions", [[0, 0], [0, 0, 35], [0, -1, 0], [0.5, 0, 0], None])
def test_bad_actions_change_nothing(actions: Any) -> None:
    env = SolitaireVectorEnv("coyote", 3)
    env.reset(seed=0)
    before = env.positions()
    with pytest.raises(ValueError, match="action"):
        env.step(actions)
    assert env.positions() == before


def test_disabled_autoreset_demands_a_reset() -> None:
    env = SolitaireVectorEnv("coyote", 2, max_episode_steps=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=0)
    env.step([0, 0])
    with pytest.raises(RuntimeError, match=r"\[0, 1\]"):
        env.step([0, 0])


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"num_threads": 0}, "num_threads is 0"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"autoreset_mode": "later"}, "later"),
        ({"render_mode": "human"}, "render_mode is 'human'"),
        ({"game": "chess"}, "game is 'chess'"),
        ({"seed": [1]}, "list of 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(kwargs: dict[str, Any], message: str) -> None:
    seed = kwargs.pop("seed", None)
    with pytest.raises(ValueError, match=message):
        SolitaireVectorEnv(**{"num_envs": 2, **kwargs}).reset(seed=seed)
