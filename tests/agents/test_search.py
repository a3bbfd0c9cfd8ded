"""The search player: it uses what a player with perfect memory knows and nothing else, and uses that well."""

from __future__ import annotations

import dataclasses
from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

from agents.knowledge import read_observation
from agents.loading import load_agent
from agents.planning import Budget, read_budget
from agents.search import SearchAgent
from experiments.evaluation import play
from solitaire_env import ENV_IDS, GAMES, Position, SolitaireEnv, SolitaireVectorEnv, encode
from solitaire_env.position import UNKNOWN
from solitaire_env.solver import solve

SMALL = Budget(samples=4, width=64, looks=2, positions=20_000)


def _env(game: str, deal: int) -> tuple[SolitaireEnv, np.ndarray, dict]:
    env: SolitaireEnv = gym.make(ENV_IDS[game], avoid_repeats=True).unwrapped
    return env, *env.reset(options={"deal": deal})


def _actions(agent: SearchAgent, env: SolitaireEnv, observation: np.ndarray, info: dict, steps: int) -> list[int]:
    """What the agent plays from here, and how the env goes on."""
    state, actions, start = None, [], True
    for _ in range(steps):
        action, state = agent.predict(observation, state, np.array([start]), True, info["action_mask"])
        observation, _, terminated, _, info = env.step(action)
        actions.append(int(action))
        start = False
        if terminated:
            break
    return actions


@pytest.mark.parametrize("game", GAMES)
def test_K4_exchanged_hidden_cards_change_no_action(game: str) -> None:
    """Up to the draw that shows an exchanged card, the same seed plays the same."""
    env, observation, info = _env(game, 1003)
    rng = np.random.default_rng(0)
    agent, draws, kept = SearchAgent(game, budget=SMALL, seed=5), 0, 7
    stock = list(env.position.stock)
    hidden = rng.permutation(stock[:-kept]).tolist()
    changed = dataclasses.replace(env.position, stock=(*hidden, *stock[-kept:]))
    assert changed != env.position
    twin = SolitaireEnv(game, avoid_repeats=True)
    seen, info_of_twin = twin.reset(options={"position": changed})
    state = state_of_twin = None
    while draws < kept - 3 and not env.position.stock_seen:
        assert (observation == seen).all()
        action, state = agent.predict(observation, state, None, True, info["action_mask"])
        same, state_of_twin = agent.predict(seen, state_of_twin, None, True, info_of_twin["action_mask"])
        assert action == same
        observation, _, _, _, info = env.step(action)
        seen, _, _, _, info_of_twin = twin.step(same)
        draws = len(stock) - len(env.position.stock)
    assert draws


@pytest.mark.parametrize("game", GAMES)
def test_knows_all_but_the_order_of_the_stock(game: str) -> None:
    env, observation, info = _env(game, 1000)
    rng = np.random.default_rng(0)
    hidden = set()
    for _ in range(150):
        knowledge, position = read_observation(GAMES[game], observation), env.position
        assert Counter(knowledge.position.stock) == Counter(position.stock)
        assert dataclasses.replace(knowledge.position, stock=()) == dataclasses.replace(position, stock=())
        assert knowledge.hidden == (not position.stock_seen and len(position.stock) > 1)
        assert knowledge.level == "recall"
        if not knowledge.hidden:
            assert knowledge.position == position
        hidden.add(knowledge.hidden)
        open_eyes = read_observation(GAMES[game], encode(GAMES[game], position, "open"))
        assert open_eyes.position == position
        assert not open_eyes.hidden
        observation, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        if terminated:
            break
    assert True in hidden


def test_unseen_cards_are_laid_out_in_an_order_that_tells_nothing() -> None:
    """The same for every order of the same cards: there is no way from the true order into a plan."""
    env, observation, _ = _env("swiss", 1001)
    backwards = dataclasses.replace(env.position, stock=env.position.stock[::-1])
    twin, _ = SolitaireEnv("swiss").reset(options={"position": backwards})
    assert read_observation(GAMES["swiss"], observation) == read_observation(GAMES["swiss"], twin)
    assert UNKNOWN not in read_observation(GAMES["swiss"], observation).position.stock


def test_refuses_to_play_without_the_waste() -> None:
    env = SolitaireEnv("coyote", observation="table")
    observation, info = env.reset(options={"deal": 1000})
    deal = np.flatnonzero(info["action_mask"])[0]
    for _ in range(3):
        observation, _, _, _, info = env.step(deal)
    with pytest.raises(ValueError, match="does not show the waste"):
        SearchAgent("coyote").predict(observation, action_masks=info["action_mask"])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("samples", [0, 2])
def test_plays_legal_actions_whatever_is_played_beside(game: str, samples: int) -> None:
    """A batch of games is played as each game alone, and the same each time."""
    agent = SearchAgent(game, budget=dataclasses.replace(SMALL, samples=samples))
    deals = range(1004, 1007) if samples == 0 else range(1004, 1006)
    limit = 400 if samples == 0 else 25
    side_by_side = play(agent, game, deals, avoid_repeats=True, max_episode_steps=limit)
    alone = play(agent, game, deals, avoid_repeats=True, max_episode_steps=limit, games_at_once=1)
    assert side_by_side.illegal_actions == 0
    for name in ("won", "foundation_cards", "lengths"):
        assert (getattr(side_by_side, name) == getattr(alone, name)).all()


def test_another_seed_samples_other_stocks() -> None:
    played = []
    for seed in (0, 0, 1):
        agent = SearchAgent("courtyard", budget=dataclasses.replace(SMALL, looks=1), seed=seed)
        played.append(_actions(agent, *_env("courtyard", 1002), 40))
    assert played[0] == played[1] != played[2]


def test_wins_coyote() -> None:
    games = play(load_agent("search", "coyote"), "coyote", range(1000, 1020), avoid_repeats=True)
    rules = play(load_agent("rules", "coyote"), "coyote", range(1000, 1020), avoid_repeats=True)
    assert games.won.sum() >= 17
    assert games.won.sum() > rules.won.sum()
    assert not games.truncated.any()


def test_open_eyes_follow_the_solution() -> None:
    """With all cards shown the player plays just what the solver says."""
    env = SolitaireEnv("coyote", observation="open", avoid_repeats=True)
    observation, info = env.reset(options={"deal": 1001})
    solution = solve(1001, GAMES["coyote"], max_positions=Budget().positions)
    assert solution.status == "won"
    assert tuple(_actions(SearchAgent("coyote"), env, observation, info, 400)) == solution.actions


def test_follows_the_solution_once_nothing_is_hidden() -> None:
    env, observation, info = _env("coyote", 1001)
    agent = SearchAgent("coyote")
    while read_observation(GAMES["coyote"], observation).hidden:
        action, _ = agent.predict(observation, action_masks=info["action_mask"])
        observation, _, _, _, info = env.step(action)
    solution = solve(env.position, GAMES["coyote"], max_positions=Budget().positions)
    assert solution.status == "won"
    assert tuple(_actions(agent, env, observation, info, 400)) == solution.actions


def test_plays_by_rules_where_nothing_can_be_won() -> None:
    """A position that the solver gives up is played like the rule player plays it, and searched just once."""
    blocking = ["3H", "9S", "7S", "5S", "3S"]  # four cards that fill the spaces, and one beneath them that fits none
    others = [rank + suit for suit in "SHDC" for rank in "23456789TJQK" if rank + suit not in blocking]
    lost = Position.from_text(f"F=AS/AH/AD/AC T=-/-/-/- S=- W={''.join(others + blocking)} R=- redeals=0")
    assert solve(lost, GAMES["coyote"], max_positions=Budget().positions).status == "lost"
    env = SolitaireEnv("coyote", avoid_repeats=True)
    played = []
    for agent in (SearchAgent("coyote"), load_agent("rules", "coyote")):
        observation, info = env.reset(options={"position": lost})
        played.append(_actions(agent, env, observation, info, 30))
    assert played[0] == played[1]


def test_a_masked_step_is_not_played() -> None:
    _, observation, info = _env("swiss", 1000)
    agent, mask = SearchAgent("swiss"), info["action_mask"].copy()
    wanted, _ = agent.predict(observation, action_masks=mask)
    mask[wanted] = 0
    other, _ = agent.predict(observation, action_masks=mask)
    assert mask[other]


def test_a_plan_is_dropped_when_something_else_is_seen() -> None:
    """The state of another game leads to no blind step."""
    _, observation, info = _env("swiss", 1000)
    agent = SearchAgent("swiss")
    _, state = agent.predict(observation, action_masks=info["action_mask"])
    _, other, info = _env("swiss", 1006)
    afresh, _ = agent.predict(other, action_masks=info["action_mask"])
    assert agent.predict(other, state, np.array([False]), True, info["action_mask"])[0] == afresh


def test_weights_are_those_of_a_plan_made_afresh() -> None:
    envs = SolitaireVectorEnv("coyote", 3, avoid_repeats=True)
    observations, infos = envs.reset(seed=0)
    agent = SearchAgent("coyote")
    actions, _ = agent.predict(observations, action_masks=infos["action_mask"])
    weights = agent.action_weights(observations, infos["action_mask"].astype(bool))
    assert (weights.argmax(axis=1) == actions).all()
    assert (weights.sum(axis=1) == 1).all()


def test_no_time_leaves_the_first_verdict() -> None:
    _, observation, info = _env("courtyard", 1000)
    quick, _ = SearchAgent("courtyard", budget=Budget(samples=10**6, milliseconds=1e-6)).predict(
        observation, action_masks=info["action_mask"]
    )
    plain, _ = SearchAgent("courtyard").predict(observation, action_masks=info["action_mask"])
    assert quick == plain


def test_budgets_are_read_and_checked() -> None:
    assert read_budget("") == Budget()
    assert read_budget("samples=32,clearness=1.5") == Budget(samples=32, clearness=1.5)
    for text, message in [
        ("samples=-1", r"samples is -1.0: allowed are whole numbers from 0 up"),
        ("samples=1.5", r"samples is 1.5: allowed are whole numbers from 0 up"),
        ("candidates=1", r"candidates is 1: allowed are whole numbers from 2 up"),
        ("width=63", r"width is 63: allowed are whole numbers from 64 up"),
        ("clearness=-1", r"clearness is -1.0: allowed are numbers from 0 up"),
        ("milliseconds=0", r"milliseconds is 0: allowed are None and numbers above 0"),
        ("samples", r"cannot read 'samples' in a budget: each part is NAME=NUMBER, of samples, candidates"),
        ("sample=3", r"cannot read 'sample=3' in a budget"),
    ]:
        with pytest.raises(ValueError, match=message):
            load_agent(f"search:{text}", "coyote")
