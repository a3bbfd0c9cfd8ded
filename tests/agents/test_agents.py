"""Random play and the rule player: legal actions only, draws that follow the game, a fixed order of preferences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from agents.loading import load_agent
from agents.protocol import MaskedAgent
from agents.random import RandomAgent
from agents.rules import PREFERENCES, RulesAgent
from solitaire_env import GAMES, ActionTable, SolitaireVectorEnv

NAMES = ("random", "rules")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("deterministic", [True, False])
def test_plays_legal_actions_only(game: str, name: str, deterministic: bool) -> None:
    agent = load_agent(name, game)
    envs = SolitaireVectorEnv(game, 16, avoid_repeats=agent.avoid_repeats, max_episode_steps=100)
    observations, _ = envs.reset(seed=0)
    state, starts = None, np.ones(16, np.bool_)
    for _ in range(250):
        masks = envs.action_masks()
        resetting = ~masks.any(axis=1)  # of NEXT_STEP: the action of an ended env is ignored
        masks[resetting, 0] = True
        actions, state = agent.predict(observations, state, starts, deterministic, masks)
        assert masks[np.arange(16), actions].all()
        observations, _, terminations, truncations, infos = envs.step(actions)
        assert not (infos["illegal_action"] & ~resetting).any()
        starts = terminations | truncations


def test_random_play_is_uniform_over_what_is_legal() -> None:
    mask = np.array([0, 1, 0, 1, 1], np.int8)
    observations = np.arange(6000, dtype=np.uint32)[:, None]  # all different: each game draws for itself
    actions, _ = RandomAgent().predict(observations, action_masks=np.tile(mask, (6000, 1)))
    counts = np.bincount(actions, minlength=5)
    assert counts[mask == 0].sum() == 0
    assert (abs(counts[mask == 1] - 2000) < 5 * np.sqrt(2000 * 2 / 3)).all()


def test_draws_follow_the_game_and_the_seed() -> None:
    """The same game draws the same, whatever is played beside it; another seed draws otherwise."""
    masks = np.ones((4, 50), np.int8)
    observations = np.arange(4, dtype=np.uint8)[:, None]

    def draws(rows: list[int], seed: int) -> np.ndarray:
        agent, state, drawn = RandomAgent(seed=seed), None, []
        for _ in range(8):
            actions, state = agent.predict(observations[rows], state, np.zeros(len(rows), bool), False, masks[rows])
            drawn.append(actions)
        return np.array(drawn)

    together = draws([0, 1, 2, 3], 0)
    assert (draws([2, 0], 0) == together[:, [2, 0]]).all()
    assert (together[:, 0] != together[:, 1]).any()
    assert (draws([0], 1) != together[:, [0]]).any()


def test_a_game_that_begins_draws_anew() -> None:
    agent, masks = RandomAgent(), np.ones((1, 1000), np.int8)
    observation = np.zeros((1, 3), np.uint8)
    first, state = agent.predict(observation, None, np.array([True]), False, masks)
    second, state = agent.predict(observation, state, np.array([False]), False, masks)
    again, _ = agent.predict(observation, state, np.array([True]), False, masks)
    assert first == again != second


def test_a_single_observation_gives_a_single_action() -> None:
    action, _ = RulesAgent("coyote").predict(np.zeros(5), action_masks=np.arange(35) == 3)
    assert np.shape(action) == ()
    assert action == 3


@pytest.mark.parametrize("game", GAMES)
def test_rule_player_prefers_in_order(game: str) -> None:
    """Of any two legal actions it plays the one whose kind comes first, then the one with the lower index."""
    table = ActionTable(GAMES[game])
    kinds = [table.decode(index).kind for index in range(table.n)]
    assert set(kinds) <= set(PREFERENCES)
    pairs = list(itertools.combinations(range(table.n), 2))[:: max(1, table.n // 20)]
    masks = np.zeros((len(pairs), table.n), np.int8)
    masks[np.arange(len(pairs))[:, None], np.array(pairs)] = 1
    actions, _ = RulesAgent(game).predict(np.zeros((len(pairs), 1)), deterministic=True, action_masks=masks)
    assert actions.tolist() == [min(pair, key=lambda i: (PREFERENCES.index(kinds[i]), i)) for pair in pairs]


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        (None, "action_masks is None"),
        (np.ones((3, 35)), "action_masks are 3, but observations are 2"),
        (np.eye(2, 35) * [[1], [0]], r"forbid every action in games \[1\]"),
    ],
)
def test_refuses_unusable_masks(masks: np.ndarray | None, message: str) -> None:
    agent: MaskedAgent = RulesAgent("coyote")
    with pytest.raises(ValueError, match=message):
        agent.predict(np.zeros((2, 5)), action_masks=masks)


def test_refuses_an_unknown_player() -> None:
    with pytest.raises(FileNotFoundError, match=r"agent is 'rulse': .*no such path"):
        load_agent("rulse", "coyote")
