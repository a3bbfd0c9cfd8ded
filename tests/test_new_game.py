"""A game that the package does not know, added by one ``Rules`` value and nothing else, works everywhere."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from solitaire_env import ActionTable, Position, Rules, SolitaireEnv, SolitaireVectorEnv
from solitaire_env.solver import solve
from tests import reference_model as model
from tests.reference_deals import deck_order

# Canfield, as far as the fields of Rules go: the foundations begin with the sevens, whereas at a table they begin with
# the rank of the first card dealt; any top card of the waste fills a space once the reserve is used up.
CANFIELD = Rules(
    decks=1,
    pile_heights=(1,) * 4,
    reserve=13,
    foundations="empty",
    base_rank="7",
    build="alternating",
    corner="ring",
    moves="top_or_pile",
    spaces="any",
    refill="reserve",
    cards_per_deal=3,
    redeals=None,
)
ACME = Rules(
    decks=1,
    pile_heights=(1,) * 4,
    reserve=13,
    foundations="dealt",
    build="suit",
    moves="single",
    spaces="any",
    refill="reserve",
    redeals=1,
)
NEW_GAMES = {"canfield": CANFIELD, "acme": ACME}

new_games = pytest.mark.parametrize("rules", NEW_GAMES.values(), ids=NEW_GAMES)


@new_games
def test_it_plays_by_its_rules(rules: Rules) -> None:
    options = model.Options(**rules.to_dict())
    env = SolitaireEnv(rules)
    for deal in range(3):
        _, info = env.reset(options={"deal": deal})
        position = model.initial(options, deck_order(options, deal))
        for _ in range(60):
            assert vars(env.position) == vars(position)
            moves = env.legal_moves()
            assert sorted(map(tuple, moves.values())) == sorted(map(tuple, model.legal_moves(options, position)))
            if not moves:
                break
            action = sorted(moves)[deal % len(moves)]
            position = model.play(options, position, model.Move(*moves[action]))
            *_, info = env.step(action)
            assert not info["illegal_action"]


@new_games
def test_the_solver_wins_it(rules: Rules) -> None:
    won = 0
    for deal in range(30):
        solution = solve(deal, rules, max_positions=30_000)
        if solution.status == "won":
            won += 1
            env = SolitaireEnv(rules)
            env.reset(options={"deal": deal})
            for action in solution.actions:
                _, _, terminated, _, info = env.step(action)
            assert terminated
            assert info["is_success"]
        if won == 2:
            return
    pytest.fail(f"{won} of 30 deals were won")


@new_games
def test_the_vector_environment_plays_it(rules: Rules) -> None:
    envs = SolitaireVectorEnv(rules, 8, max_episode_steps=200)
    single = SolitaireEnv(rules)
    observations, infos = envs.reset(seed=3)
    observation, _ = single.reset(seed=3)
    assert (observations[0] == observation).all()
    for _ in range(100):
        actions = infos["action_mask"].argmax(axis=1)
        observations, _, terminated, truncated, infos = envs.step(actions)
        observation, _, ended, _, _ = single.step(int(actions[0]))
        assert (observations[0] == observation).all()
        assert terminated[0] == ended
        if ended or truncated[0]:
            break
    assert not infos["illegal_action"].any()


@new_games
def test_it_can_be_made_by_gymnasium(rules: Rules) -> None:
    env = gym.make("solitaire_env:Solitaire/Coyote-v0", game=rules)
    assert env.unwrapped.rules == rules  # type: ignore[attr-defined]
    assert env.action_space.n == ActionTable(rules).n  # type: ignore[attr-defined]
    envs = gym.make_vec("solitaire_env:Solitaire/Coyote-v0", num_envs=2, game=rules)
    assert envs.reset(seed=0)[0].shape == (2, *env.observation_space.shape)  # type: ignore[misc]


@new_games
def test_maskable_ppo_trains_on_it(rules: Rules) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from solitaire_env.sb3 import SolitaireVecEnv

    envs = SolitaireVecEnv(rules, 4, seed=0, avoid_repeats=True, max_episode_steps=200)
    trained = sb3_contrib.MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, seed=0, device="cpu")
    trained.learn(256)
    observations = envs.reset()
    masks = np.stack(envs.env_method("action_masks"))
    actions, _ = trained.predict(observations, action_masks=masks)
    assert masks[np.arange(4), actions].all()


@new_games
def test_it_is_drawn_and_written(rules: Rules) -> None:
    pytest.importorskip("pygame")
    picture = SolitaireEnv(rules, render_mode="rgb_array")
    picture.reset(options={"deal": 1})
    pixels = picture.render()
    assert isinstance(pixels, np.ndarray)
    assert pixels.shape == (600, 800, 3)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20, "a board has more colours than that"
    picture.close()
    text = SolitaireEnv(rules, render_mode="ansi")
    text.reset(options={"deal": 1})
    assert "reserve" in str(text.render())
    assert Position.from_text(text.position.to_text()) == text.position
