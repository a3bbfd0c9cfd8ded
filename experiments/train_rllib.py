"""Trains PPO on a game by RLlib, on this machine or a cluster: ``python -m experiments.train_rllib --game coyote``."""

from __future__ import annotations

import dataclasses
import math
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from experiments.cluster import LOCAL, cluster
from experiments.command_line import Argument, check_positive, command_text, deal_range, parse
from experiments.evaluation import figures, play, step_limit, summary_table
from experiments.hyperparameters import Hyperparameters, read_hyperparameters
from experiments.runs import (
    EVALUATION_FILE,
    PROGRESS_FILE,
    append_row,
    check_new_run,
    config_file,
    forget_rows_after,
    new_run_folder,
    write_config,
    write_evaluation,
)
from solitaire_env import GAMES, SolitaireVectorEnv
from solitaire_env.dealing import FIRST_TRAINING_DEAL
from solitaire_env.wrappers import ActionMaskVectorObservation

DESCRIPTION = """
Trains PPO with masked actions by RLlib, with the hyperparameters of experiments/rllib.toml, and evaluates it on deals
held out. Environments run in workers, whose loss does not end the run. A folder under --runs keeps config.json,
progress.csv, the last checkpoint and eval.json; --resume goes on from the checkpoint.
"""

CONFIG = Path(__file__).parent / "rllib.toml"
ENVIRONMENT = "solitaire"


class Progress(NamedTuple):
    """What is written down after each update.

    Attributes:
        steps: Steps so far.
        episodes: Games ended since the last row.
        wins: Games won since then.
        workers: Workers alive.
        restarts: Workers started anew.
    """

    steps: int
    episodes: int
    wins: int
    workers: int
    restarts: int


@dataclasses.dataclass(frozen=True)
class RLlibArguments:
    """The command line of ``experiments.train_rllib``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    steps: Annotated[int | None, Argument("training steps in all (default: those of the hyperparameters)")] = None
    seed: Annotated[int, Argument("of networks, deals and draws")] = 0
    config: Annotated[Path, Argument("hyperparameters", "FILE")] = CONFIG
    workers: Annotated[int, Argument("processes that play; they share the game's num_envs")] = 2
    address: Annotated[str, Argument(f"of a Ray cluster; {LOCAL!r} starts a Ray on this machine")] = LOCAL
    deals: Annotated[str, Argument("held-out deals of the evaluation", "FIRST:END")] = "1000:2000"
    runs: Annotated[Path, Argument("where folders of runs are", "FOLDER")] = Path("runs")
    name: Annotated[str | None, Argument("of this run's folder (default: GAME-seedSEED, numbered)")] = None
    resume: Annotated[Path | None, Argument("goes on with an interrupted run, with its own arguments", "RUN")] = None
    checkpoint_every: Annotated[int, Argument("steps between two checkpoints", "STEPS")] = 100_000


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(RLlibArguments, argv, "python -m experiments.train_rllib", DESCRIPTION)
    command = command_text("python -m experiments.train_rllib", argv)
    try:
        folder, arguments = begin(arguments, command) if arguments.resume is None else resume(arguments.resume)
        with cluster(arguments.address, arguments.workers + 1):
            train(folder, arguments)
        evaluate(folder, arguments, command)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nInterrupted; to go on from the last checkpoint: --resume {shlex.quote(str(folder))}", file=sys.stderr)
        return 130
    return 0


def begin(arguments: RLlibArguments, command: str) -> tuple[Path, RLlibArguments]:
    """Checks the arguments of a new run and makes its folder and config.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        FileNotFoundError: There is no file of hyperparameters.
    """
    check_new_run(arguments.game, arguments.seed, arguments.deals)
    for name in ("workers", "checkpoint_every"):
        check_positive(name, getattr(arguments, name))
    settings = settings_of(arguments)
    if settings.environment.num_envs % arguments.workers:
        raise ValueError(f"workers is {arguments.workers}: it must divide num_envs, {settings.environment.num_envs}")
    folder = new_run_folder(arguments.runs, arguments.name, arguments.game, arguments.seed)
    write_config(folder, arguments.game, arguments, settings, command, library="rllib")
    return folder, arguments


def resume(folder: Path) -> tuple[Path, RLlibArguments]:
    """Reads an interrupted run, which goes on as it was begun.

    Raises:
        ValueError: The folder holds no run of RLlib, or the run is finished.
        FileNotFoundError: There is no such folder, or no checkpoint in it.
    """
    from agents.ppo import read_config

    config = read_config(folder)
    if config.get("library") != "rllib":
        raise ValueError(f"resume is {str(folder)!r}: that is no run of experiments.train_rllib")
    if (folder / EVALUATION_FILE).exists():
        raise ValueError(f"resume is {str(folder)!r}: that run is finished")
    if last_checkpoint(folder) is None:
        raise FileNotFoundError(f"resume is {str(folder)!r}: there is no checkpoint in it")
    try:
        values = {f.name: config["arguments"][f.name] for f in dataclasses.fields(RLlibArguments)}
    except (KeyError, TypeError) as error:
        raise ValueError(f"{config_file(folder)} is no config of a run: {error!r}") from error
    for name in ("config", "runs"):
        values[name] = Path(values[name])
    return folder, RLlibArguments(**values)


def settings_of(arguments: RLlibArguments) -> Hyperparameters:
    """Returns the hyperparameters of a run.

    Raises:
        ValueError: They are for a network that RLlib's module is not, or an entry is not allowed.
        FileNotFoundError: There is no such file.
    """
    settings = read_hyperparameters(arguments.config)
    if settings.policy.network != "layers":
        raise ValueError(f"{arguments.config}: policy.network is {settings.policy.network!r}: allowed is 'layers'")
    if arguments.steps is None:
        return settings
    check_positive("steps", arguments.steps)
    return dataclasses.replace(settings, steps=arguments.steps)


def train(folder: Path, arguments: RLlibArguments) -> None:
    """Trains up to the run's number of steps, from its last checkpoint if there is one."""
    import torch
    from ray.rllib.algorithms.algorithm import Algorithm
    from ray.tune import register_env

    # One thread: the workers have the other cores.
    torch.set_num_threads(1)
    settings = settings_of(arguments)
    register_env(ENVIRONMENT, make_envs)
    checkpoint = last_checkpoint(folder)
    if checkpoint is None:
        algorithm, steps = algorithm_config(arguments, settings).build_algo(), 0
    else:
        algorithm, steps = Algorithm.from_checkpoint(str(checkpoint.resolve())), steps_of(checkpoint)
    print(f"{arguments.game}: {settings.steps:,} steps, from {steps:,} on, in {folder}", flush=True)
    forget_rows_after(folder / PROGRESS_FILE, steps, Progress)
    saved = steps
    while steps < settings.steps:
        result = algorithm.train()
        runners = result.get("env_runners", {})
        if "num_env_steps_sampled_lifetime" not in runners:
            continue  # all workers were lost; RLlib starts them anew
        steps = int(runners["num_env_steps_sampled_lifetime"])
        episodes, wins = (_counted(runners.get(name, 0)) for name in ("games", "games_won"))
        health = result["fault_tolerance"]
        workers, restarts = int(health["num_healthy_workers"]), int(health["num_remote_worker_restarts"])
        append_progress(folder, Progress(steps, episodes, wins, workers, restarts))
        share = f"{wins / episodes:.0%} of {episodes} games won" if episodes else "no game has ended"
        print(f"{steps:>12,} steps, {share}, {workers} workers", flush=True)
        if steps - saved >= arguments.checkpoint_every or steps >= settings.steps:
            save(folder, algorithm, steps)
            saved = steps
    algorithm.stop()


def _counted(value: float) -> int:
    """Returns a sum of RLlib's, which says NaN where nothing was added up."""
    return 0 if math.isnan(value) else int(value)


def make_envs(context: dict[str, Any]) -> ActionMaskVectorObservation:
    """Makes the games of one worker; they draw training deals only.

    Args:
        context: ``game``, ``avoid_repeats``, ``reward`` and ``max_episode_steps``, and from RLlib ``num_envs``.
    """
    envs = SolitaireVectorEnv(
        context["game"],
        context.get("num_envs", 1),
        avoid_repeats=context["avoid_repeats"],
        reward=context["reward"],
        max_episode_steps=context["max_episode_steps"],
    )
    return ActionMaskVectorObservation(envs)


def algorithm_config(arguments: RLlibArguments, settings: Hyperparameters) -> Any:
    """Returns RLlib's ``PPOConfig`` for the hyperparameters, which mean what they mean to stable-baselines3."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

    from agents.rllib import MaskedPPOModule

    environment, ppo = settings.environment, settings.ppo
    config = PPOConfig()
    config.environment(
        ENVIRONMENT,
        env_config={
            "game": arguments.game,
            "avoid_repeats": environment.avoid_repeats,
            "reward": environment.reward,
            "max_episode_steps": min(environment.max_episode_steps, step_limit(arguments.game)),
        },
    )
    config.env_runners(
        num_env_runners=arguments.workers,
        num_envs_per_env_runner=environment.num_envs // arguments.workers,
        gym_env_vectorize_mode="vector_entry_point",  # the native vector environment
        rollout_fragment_length=ppo.n_steps,
        sample_timeout_s=3600,  # a slow worker is no lost worker
    )
    config.training(
        lr=[[0, ppo.learning_rate], [settings.steps, ppo.final_learning_rate]],
        gamma=ppo.gamma,
        lambda_=ppo.gae_lambda,
        clip_param=ppo.clip_range,
        entropy_coeff=ppo.ent_coef,
        vf_loss_coeff=ppo.vf_coef,
        grad_clip=ppo.max_grad_norm,
        use_kl_loss=False,
        train_batch_size_per_learner=settings.rollout_steps,
        minibatch_size=ppo.batch_size,
        num_epochs=ppo.n_epochs,
    )
    network = DefaultModelConfig(
        fcnet_hiddens=list(settings.policy.net_arch), fcnet_activation=settings.policy.activation
    )
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule, model_config=network))
    config.callbacks(on_episode_end=count_game)
    config.fault_tolerance(restart_failed_env_runners=True)
    config.debugging(seed=arguments.seed, log_level="ERROR")
    return config


def count_game(*, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:  # noqa: ARG001  # RLlib's signature
    """Counts a game that has ended, and whether it was won."""
    info = episode.get_infos(-1)
    if info["deal"] < FIRST_TRAINING_DEAL:
        raise RuntimeError(f"training was dealt deal {info['deal']}, kept for evaluation")
    metrics_logger.log_value("games", 1, reduce="sum")
    metrics_logger.log_value("games_won", int(info["is_success"]), reduce="sum")


def save(folder: Path, algorithm: Any, steps: int) -> None:
    """Saves a checkpoint, whole or not at all, and removes the one before."""
    before = last_checkpoint(folder)
    target, part = folder / f"checkpoint-{steps}", folder / "checkpoint.part"
    shutil.rmtree(part, ignore_errors=True)
    algorithm.save_to_path(str(part.resolve()))
    part.replace(target)
    if before is not None and before != target:
        shutil.rmtree(before)


def last_checkpoint(folder: Path) -> Path | None:
    """Returns a run's checkpoint of the most steps, None if it has none."""
    return max(folder.glob("checkpoint-*"), key=steps_of, default=None)


def steps_of(checkpoint: Path) -> int:
    """Returns the steps after which a checkpoint was saved."""
    return int(checkpoint.name.removeprefix("checkpoint-"))


def append_progress(folder: Path, row: Progress) -> None:
    """Adds a row to a run's progress."""
    append_row(folder / PROGRESS_FILE, Progress._fields, row)


def evaluate(folder: Path, arguments: RLlibArguments, command: str) -> None:
    """Evaluates the trained policy on held-out deals, and says how it did."""
    from agents.rllib import load_rllib

    checkpoint = last_checkpoint(folder)
    assert checkpoint is not None
    agent = load_rllib(checkpoint, avoid_repeats=settings_of(arguments).environment.avoid_repeats)
    games = play(agent, arguments.game, deal_range(arguments.deals), avoid_repeats=agent.avoid_repeats, label="trained")
    result = {"avoid_repeats": agent.avoid_repeats, **figures(games)}
    write_evaluation(folder, arguments.game, arguments.deals, command, {"trained": result})
    print(f"\n{arguments.game}, deals {arguments.deals}, never trained on:")
    print(summary_table({"PPO by RLlib": (result, agent.avoid_repeats)}))


if __name__ == "__main__":
    sys.exit(main())
