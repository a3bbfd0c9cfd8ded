"""What MaskablePPO learns with: environments, a model, and a record of its progress."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn
from torch.distributions import Distribution
from tqdm import tqdm

from agents.card_policy import CardPolicy
from agents.networks import policy_arguments, policy_class
from agents.ppo import load_policy
from experiments.evaluation import foundation_entries
from experiments.hyperparameters import Hyperparameters
from experiments.runs import Progress, append_progress, save_model
from solitaire_env import GAMES
from solitaire_env.dealing import FIRST_TRAINING_DEAL
from solitaire_env.sb3 import SolitaireVecEnv

# Distributions need not check what they are given, in new runs and resumed ones: that costs up to a twelfth of a run,
# and in float32 many probabilities can add up to what they do not allow. An action is still not drawn from what is no
# number.
Distribution.set_default_validate_args(False)


class LimitLoses(VecEnvWrapper):
    """Tells the learner that a game which the step limit ends is over, and so is lost.

    Told that it might go on, PPO adds what it thinks the game still worth. In Swiss, where cards can be shuffled for
    ever, it then learned that this beats dealing the last cards: within 100,000 steps no game was won any more.
    """

    def reset(self) -> VecEnvObs:
        """Starts new episodes."""
        observations = self.venv.reset()
        self.reset_infos = self.venv.reset_infos
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions."""
        observations, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones).tolist():
            infos[i]["TimeLimit.truncated"] = False
        return observations, rewards, dones, infos


def make_vec_env(game: str, settings: Hyperparameters, seed: int, num_threads: int) -> VecEnv:
    """Makes the games to learn on; they draw training deals only, and the step limit loses them."""
    envs = SolitaireVecEnv(
        game,
        settings.environment.num_envs,
        seed=seed,
        reward=settings.environment.reward,
        avoid_repeats=settings.environment.avoid_repeats,
        max_episode_steps=settings.environment.max_episode_steps,
        num_threads=num_threads,
    )
    return LimitLoses(envs)


def make_model(env: VecEnv, game: str, settings: Hyperparameters, seed: int, tensorboard: Path | None) -> MaskablePPO:
    """Makes an untrained model; it logs for TensorBoard if that is installed.

    Its rollout buffer keeps observations in the dtype of their space, uint8, and turns one minibatch at a time to
    float32.
    """
    ppo = settings.ppo
    return MaskablePPO(
        policy_class(settings.policy.network),
        env,
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1.0),
        n_steps=ppo.n_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.n_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        policy_kwargs=policy_arguments(game, **dataclasses.asdict(settings.policy)),
        tensorboard_log=str(tensorboard) if tensorboard and importlib.util.find_spec("tensorboard") else None,
        seed=seed,
        device="cpu",
    )


def begin_from(model: MaskablePPO, start: Path, game: str) -> None:
    """Gives a model the policy of a run, or a shipped one; a network of cards may begin from one of piles."""
    weights = load_policy(start, game)[0].state_dict()
    if isinstance(model.policy, CardPolicy):
        model.policy.take_over(weights)
    else:
        model.policy.load_state_dict(weights)


def seed_for(seed: int, steps_done: int) -> int:
    """Returns the seed with which a run begins, or is resumed: a resumed run must not see its first deals again."""
    if steps_done == 0:
        return seed
    return int(np.random.SeedSequence([seed, steps_done]).generate_state(1)[0])


class Recorder(BaseCallback):
    """Keeps a run's progress and its last checkpoint, and shows a progress bar.

    In the first ``value_updates`` updates the value alone is learned: a policy learned before would be spoilt by
    advantages that are measured against a value which knows nothing yet.
    """

    def __init__(self, folder: Path, game: str, steps: int, checkpoint_every: int, value_updates: int = 0) -> None:
        super().__init__()
        self._folder = folder
        self._value_updates = value_updates
        self._steps = steps
        self._every = checkpoint_every
        self._on_foundation = foundation_entries(GAMES[game])
        self._saved_at = -1
        self._episodes: list[tuple[bool, int, int]] = []
        self._bar: tqdm[None] | None = None

    def _on_training_start(self) -> None:
        self._bar = tqdm(total=self._steps, initial=self.num_timesteps, unit=" steps", unit_scale=True)

    def _on_rollout_start(self) -> None:
        # Here, and not at a rollout's end, the weights are those that num_timesteps steps gave.
        if self._saved_at < 0 or self.num_timesteps - self._saved_at >= self._every:
            save_model(self._folder, self.model)  # type: ignore[arg-type]  # it is a MaskablePPO
            self._saved_at = self.num_timesteps
        model: Any = self.model
        updates_done = self.num_timesteps // (model.n_steps * model.n_envs)
        model.policy.requires_grad_(updates_done >= self._value_updates)
        model.policy.value_net.requires_grad_(True)

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if "episode" not in info:
                continue
            if info["deal"] < FIRST_TRAINING_DEAL:
                raise RuntimeError(f"training was dealt deal {info['deal']}, kept for evaluation")
            cards = int(info["terminal_observation"][self._on_foundation].sum())
            self._episodes.append((info["is_success"], cards, info["episode"]["l"]))
        return True

    def _on_rollout_end(self) -> None:
        wins, cards, lengths = np.array(self._episodes, np.int64).reshape(-1, 3).sum(axis=0)
        ended = len(self._episodes)
        row = Progress(self.num_timesteps, ended, int(wins), int(cards), int(lengths))
        append_progress(self._folder, row)
        self._episodes.clear()
        assert self._bar is not None
        if ended:
            self.logger.record("rollout/foundation_cards", cards / ended)
            self.logger.record("rollout/win_rate", wins / ended)
            self._bar.set_postfix_str(f"{wins / ended:.0%} won, {cards / ended:.1f} on foundations", refresh=False)
        self._bar.update(min(self.num_timesteps, self._steps) - self._bar.n)

    def close(self) -> None:
        """Ends the progress bar."""
        if self._bar is not None:
            self._bar.close()
