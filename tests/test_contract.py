"""What a Gymnasium environment owes its users, for every id, knowledge level and reward."""

from __future__ import annotations

import json
import os
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import (
    FlattenObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    TimeLimit,
)

import solitaire_env
from solitaire_env import ENV_IDS, SolitaireEnv
from solitaire_env.observation import LEVELS

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
IDS = sorted(ENV_IDS.values())
SETTINGS = [(level, reward, repeats) for level in LEVELS for reward in ("progress", "win") for repeats in (False, True)]


def rollout(env: gym.Env, seed: int, steps: int = 300) -> list[tuple[object, ...]]:
    """Legal random play through several episodes; arrays are kept as they were handed out."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    trace: list[tuple[object, ...]] = [(observation, info)]
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        trace.append((observation, reward, terminated, truncated, info))
        if terminated or truncated:
            observation, info = env.reset()
            trace.append((observation, info))
    return trace


@pytest.mark.parametrize(("level", "reward", "repeats"), SETTINGS)
@pytest.mark.parametrize("env_id", IDS)
def test_check_env_without_a_warning(env_id: str, level: str, reward: str, repeats: bool) -> None:
    env = gym.make(env_id, observation=level, reward=reward, avoid_repeats=repeats, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)  # every render mode too
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_make_without_import_and_spec_round_trip(env_id: str) -> None:
    env = gym.make(f"solitaire_env:{env_id}", rules={"foundation_returns": True}, max_episode_steps=50)
    assert isinstance(env.unwrapped, SolitaireEnv)
    assert env.unwrapped.rules.foundation_returns
    spec = env.spec
    assert spec is not None
    again = gym.make(EnvSpec.from_json(spec.to_json()))
    assert again.unwrapped.rules == env.unwrapped.rules
    assert json.loads(gym.spec(env_id).to_json())["max_episode_steps"] == gym.spec(env_id).max_episode_steps > 100


@pytest.mark.parametrize("env_id", IDS)
def test_same_seed_same_everything(env_id: str) -> None:
    """Observations, rewards, flags and infos, through the unseeded resets that follow."""
    one, two = rollout(gym.make(env_id), 3), rollout(gym.make(env_id), 3)
    np.testing.assert_equal(one, two)
    other = rollout(gym.make(env_id), 4)
    assert one[0][1]["deal"] != other[0][1]["deal"]
    env = gym.make(env_id)
    first = [env.reset(seed=5)[1]["deal"], *(env.reset()[1]["deal"] for _ in range(3))]
    assert first == [env.reset(seed=5)[1]["deal"], *(env.reset()[1]["deal"] for _ in range(3))]
    assert len(set(first)) == 4
    assert min(first) >= 1_000_000


@pytest.mark.parametrize("env_id", IDS)
def test_step_returns_the_declared_types_and_a_live_mask(env_id: str) -> None:
    env = gym.make(env_id)
    for entry in rollout(env, 1)[1:]:
        observation, info = entry[0], entry[-1]
        assert isinstance(observation, np.ndarray)
        assert observation.dtype == np.uint8
        assert env.observation_space.contains(observation)
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.action_space.n,)
        if len(entry) == 5:
            _, reward, terminated, truncated, _ = entry
            assert type(reward) is float
            assert type(terminated) is bool
            assert type(truncated) is bool
            assert mask.any() or terminated
            assert type(info["illegal_action"]) is bool
            assert type(info["is_success"]) is bool


@pytest.mark.parametrize("env_id", IDS)
def test_arrays_handed_out_stay_as_they_were(env_id: str) -> None:
    env = gym.make(env_id)
    observation, info = env.reset(seed=2)
    handed = [(observation, observation.copy(), info["action_mask"], info["action_mask"].copy())]
    for _ in range(100):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.bool_
        assert (masks == info["action_mask"].astype(bool)).all()
        observation, _, terminated, _, info = env.step(int(np.flatnonzero(masks)[-1]))
        handed.append((observation, observation.copy(), info["action_mask"], info["action_mask"].copy()))
        masks[:] = False  # what a caller does to an array does the env no harm
        if terminated:
            break
    for observation, copy, mask, mask_copy in handed:
        assert (observation == copy).all()
        assert (mask == mask_copy).all()


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("action", [-1, 10_000, 1.5, None, "deal", np.array([1, 2])])
def test_action_outside_the_space_is_refused_by_name(env_id: str, action: object) -> None:
    env = gym.make(env_id).unwrapped
    env.reset(seed=0)
    before = env.position
    with pytest.raises(ValueError, match="action is"):
        env.step(action)
    assert env.position == before


def test_illegal_action_costs_its_penalty_and_changes_nothing() -> None:
    for penalty in (0.0, 0.25):
        env = SolitaireEnv("coyote", illegal_penalty=penalty)
        observation, info = env.reset(seed=0)
        action = int(np.flatnonzero(info["action_mask"] == 0)[0])
        after, reward, terminated, truncated, info2 = env.step(action)
        assert reward == -penalty
        assert info2["illegal_action"]
        assert (after == observation).all()
        assert not terminated
        assert not truncated


def test_rewards() -> None:
    """The last card wins; a card taken back costs what it earned."""
    hearts = "/".join("".join(rank + suit for rank in "A23456789TJQK") for suit in "HDC")
    text = f"F=AS2S3S4S5S6S7S8S9STSJSQS/{hearts} T=KS/-/-/- S=- W=- R=- redeals=0"
    for reward, expected in (("progress", 1 / 52 + 1), ("win", 1.0)):
        env = SolitaireEnv("coyote", reward=reward)
        env.reset(options={"position": text})
        _, got, terminated, _, info = env.step(
            next(a for a, m in env.legal_moves().items() if m.kind == "pile_foundation")
        )
        assert got == pytest.approx(expected)
        assert terminated
        assert info["is_success"]
        assert not info["action_mask"].any()
    env = SolitaireEnv("coyote", rules={"foundation_returns": True})
    env.reset(options={"position": text})
    _, got, *_ = env.step(next(a for a, m in env.legal_moves().items() if m.kind == "foundation_pile"))
    assert got == pytest.approx(-1 / 52)


def test_wrappers_of_gymnasium_work() -> None:
    env = gym.make("Solitaire/Swiss-v0", max_episode_steps=25, render_mode="ansi_list")
    env = NormalizeReward(FlattenObservation(RecordEpisodeStatistics(env)))
    _, info = env.reset(seed=1)
    for step in range(25):
        _, _, terminated, truncated, info = env.step(np.flatnonzero(info["action_mask"])[0])
        assert truncated == (step == 24)
        assert not terminated
    assert info["episode"]["l"] == 25
    frames = env.render()
    assert len(frames) == 26
    assert all(isinstance(frame, str) for frame in frames)
    assert TimeLimit in [type(w) for w in _wrappers(env)]


def _wrappers(env: gym.Env) -> list[gym.Env]:
    return [env, *_wrappers(env.env)] if isinstance(env, gym.Wrapper) else []


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"game": "klondike"}, "game is 'klondike'"),
        ({"observation": "all"}, "observation is 'all'"),
        ({"reward": "dense"}, "reward is 'dense'"),
        ({"illegal_penalty": -1}, "illegal_penalty is -1"),
        ({"avoid_repeats": "yes"}, "avoid_repeats is 'yes'"),
        ({"render_mode": "svg"}, "render_mode is 'svg'"),
        ({"rules": {"colour": 1}}, "no field 'colour'"),
        ({"rules": {"redeals": -2}}, "redeals is -2"),
        ({"rules": "any"}, "rules is 'any'"),
    ],
)
def test_bad_arguments_are_refused_by_name(kwargs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SolitaireEnv(**kwargs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": -1}, "deal is -1"),
        ({"deal": 2**63}, "deal is"),
        ({"deal": 1.0}, "deal is 1.0"),
        ({"deal": True}, "deal is True"),
        ({"seed": 1}, "unknown reset option 'seed'"),
        ({"deal": 1, "position": ""}, "exclude each other"),
        ({"position": 7}, "position is 7"),
        ({"position": "F=-"}, "lacks T="),
    ],
)
def test_bad_reset_options_are_refused_and_the_game_goes_on(options: dict[str, object], message: str) -> None:
    env = SolitaireEnv("swiss")
    env.reset(options={"deal": 3})
    env.step(0)
    before = env.position
    with pytest.raises(ValueError, match=message):
        env.reset(seed=1, options=options)
    assert env.position == before


def test_close_twice_harms_no_other_env() -> None:
    one, two = gym.make("Solitaire/Coyote-v0"), gym.make("Solitaire/Coyote-v0")
    one.reset(seed=0)
    two.reset(seed=0)
    one.close()
    one.close()
    two.step(0)


def test_board_in_text() -> None:
    env = gym.make("Solitaire/VariegatedCanfield-v0", render_mode="ansi")
    env.reset(options={"deal": 7})
    text = env.render()
    assert isinstance(text, str)
    for word in ("foundations", "reserve", "stock", "waste", "♠", "♥", "\x1b[31m"):
        assert word in text


def test_board_in_text_hides_what_the_player_does_not_know() -> None:
    """K1: of the waste only the top is to be seen at the table."""
    shown = {}
    for level in ("table", "recall"):
        env = SolitaireEnv("courtyard", observation=level, render_mode="ansi")
        env.reset(options={"deal": 7})
        for _ in range(4):
            env.step(0)
        shown[level] = env.render().splitlines()[2]
    assert shown["table"].count("??") == 3
    assert "??" not in shown["recall"]
    assert shown["table"][-14:] == shown["recall"][-14:]


def test_public_names_exist_and_are_documented() -> None:
    for name in solitaire_env.__all__:
        value = getattr(solitaire_env, name)
        if callable(value):
            assert value.__doc__, name
