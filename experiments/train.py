"""Trains MaskablePPO on a game and evaluates it: ``python -m experiments.train --game coyote``."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import torch
from sb3_contrib import MaskablePPO

from agents.loading import load_agent
from agents.ppo import MODEL_FILE, load_model, read_config
from experiments.command_line import Argument, check_positive, command_text, deal_range, parse, say_interrupted
from experiments.curve import draw_curve
from experiments.evaluation import figures, play, summary_table
from experiments.hyperparameters import (
    CONFIGS,
    Hyperparameters,
    read_hyperparameters,
)
from experiments.learning import Recorder, begin_from, make_model, make_vec_env, seed_for
from experiments.runs import (
    CURVE_FILE,
    check_new_run,
    forget_progress_after,
    new_run_folder,
    read_progress,
    read_unfinished,
    save_model,
    write_config,
    write_evaluation,
)
from solitaire_env import GAMES

DESCRIPTION = """
Trains MaskablePPO (or plain PPO) on a game, evaluates it, always by masks, on held-out deals beside random play and the
rule player, and leaves in a folder under --runs the model, config.json (arguments, hyperparameters, versions, commit),
progress.csv, curve.png and eval.json. Ctrl-C keeps the last checkpoint; --resume goes on from it.
"""


@dataclasses.dataclass(frozen=True)
class TrainArguments:
    """The command line of ``experiments.train``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    steps: Annotated[int | None, Argument("training steps, over all games side by side (default: the game's)")] = None
    seed: Annotated[int, Argument("of networks, deals and draws")] = 0
    config: Annotated[Path | None, Argument("hyperparameters (default: experiments/configs/GAME.toml)", "FILE")] = None
    start: Annotated[
        Path | None, Argument("a run, of the same networks, from whose policy it starts (default: from nothing)", "RUN")
    ] = None
    masks: Annotated[bool, Argument("learns by masks; without, plain PPO, which must learn what is legal")] = True
    deals: Annotated[str, Argument("held-out deals of the evaluation", "FIRST:END")] = "1000:2000"
    runs: Annotated[Path, Argument("where folders of runs are", "FOLDER")] = Path("runs")
    name: Annotated[str | None, Argument("of this run's folder (default: GAME-seedSEED, numbered)")] = None
    resume: Annotated[
        Path | None, Argument("goes on with an interrupted run; no other argument is allowed then", "RUN")
    ] = None
    checkpoint_every: Annotated[int, Argument("steps between two checkpoints", "STEPS")] = 100_000
    threads: Annotated[int, Argument("of torch and of the environments")] = 1


class Run(NamedTuple):
    """A run about to be trained.

    Attributes:
        folder: Where all of it is kept.
        arguments: What it was begun with.
        settings: Its hyperparameters, steps included.
        steps_done: Steps already trained.
    """

    folder: Path
    arguments: TrainArguments
    settings: Hyperparameters
    steps_done: int


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(TrainArguments, argv, "python -m experiments.train", DESCRIPTION)
    command = command_text("python -m experiments.train", argv)
    try:
        run = begin(arguments, command) if arguments.resume is None else resume(arguments)
    except (ValueError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    torch.set_num_threads(run.arguments.threads)
    try:
        train(run)
        evaluate(run.folder, run.arguments.game, run.arguments.deals, command)
    except KeyboardInterrupt:
        return say_interrupted("python -m experiments.train", run.folder)
    return 0


def begin(arguments: TrainArguments, command: str) -> Run:
    """Checks the arguments of a new run and makes its folder and config.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        FileNotFoundError: There is no file of hyperparameters.
    """
    check_new_run(arguments.game, arguments.seed, arguments.deals)
    for name in ("checkpoint_every", "threads"):
        check_positive(name, getattr(arguments, name))
    settings = read_hyperparameters(arguments.config or CONFIGS / f"{arguments.game}.toml")
    if arguments.start is not None:
        check_start(arguments.start, arguments.game, settings)
    if arguments.steps is not None:
        check_positive("steps", arguments.steps)
        settings = dataclasses.replace(settings, steps=arguments.steps)
    folder = new_run_folder(arguments.runs, arguments.name, arguments.game, arguments.seed)
    write_config(folder, arguments.game, arguments, settings, command)
    return Run(folder, arguments, settings, 0)


def check_start(start: Path, game: str, settings: Hyperparameters) -> None:
    """Checks that a run may start from the policy of another; a network of cards may begin from one of piles.

    Raises:
        ValueError: The other run is of another game, or its networks are others.
        FileNotFoundError: It is not there.
    """
    config = read_config(start)
    networks = json.loads(json.dumps(dataclasses.asdict(settings.policy)))
    allowed = [networks]
    if settings.policy.network == "cards":
        allowed.append({**networks, "network": "piles", "net_arch": networks["net_arch"][:3]})
    found = config.get("hyperparameters", {}).get("policy")
    if config["game"] != game or found not in allowed:
        raise ValueError(
            f"start is {str(start)!r}: its game and networks are {config['game']}, {found}, not {networks}"
        )


def resume(arguments: TrainArguments) -> Run:
    """Reads an interrupted run, which goes on as it was begun, and drops the progress that its checkpoint lacks.

    Raises:
        ValueError: Other arguments are given too, the folder holds no run, a file in it is damaged, or the run is
            finished.
        FileNotFoundError: There is no such folder, or no checkpoint in it.
    """
    folder = arguments.resume
    assert folder is not None
    kept, settings = read_unfinished(arguments)
    kept["start"] = Path(kept["start"]) if kept["start"] else None
    steps_done = load_model(folder / MODEL_FILE, kept["game"]).num_timesteps
    forget_progress_after(folder, steps_done)
    return Run(folder, TrainArguments(**kept), settings, steps_done)


def train(run: Run) -> None:
    """Trains up to the run's number of steps; an interruption leaves the last checkpoint."""
    game, settings, seed = run.arguments.game, run.settings, run.arguments.seed
    print(f"{game}: {settings.steps:,} steps, seed {seed}, in {run.folder}")
    seed_now = seed_for(seed, run.steps_done)
    env = make_vec_env(game, settings, seed_now, run.arguments.threads)
    if run.steps_done == 0:
        model = make_model(env, game, settings, seed, run.folder / "tensorboard")
        if run.arguments.start is not None:
            begin_from(model, run.arguments.start, game)
    else:
        model = load_model(run.folder / MODEL_FILE, game)
        model.set_env(env)
        model.set_random_seed(seed_now)
    value_updates = settings.ppo.value_updates if run.arguments.start is not None else 0
    recorder = Recorder(run.folder, game, settings.steps, run.arguments.checkpoint_every, value_updates)
    try:
        if run.steps_done < settings.steps:
            learn(model, settings.steps, recorder, masks=run.arguments.masks)
            save_model(run.folder, model)
    finally:
        recorder.close()
        env.close()
    title = f"{game}, {'MaskablePPO' if run.arguments.masks else 'PPO'}, seed {seed}: training episodes"
    progress = read_progress(run.folder)
    draw_curve(progress, title, GAMES[game].deck_size, run.folder / CURVE_FILE)


def learn(model: MaskablePPO, steps: int, recorder: Recorder, *, masks: bool = True) -> None:
    """Learns up to ``steps`` in all, counting those that the model has behind it; without masks it is plain PPO."""
    # The library adds the steps behind it itself when the count is not to start anew.
    model.learn(
        steps - model.num_timesteps,
        callback=recorder,
        reset_num_timesteps=False,
        tb_log_name="ppo",
        use_masking=masks,
    )


def evaluate(folder: Path, game: str, deals: str, command: str) -> None:
    """Evaluates a run's model, random play and the rule player on held-out deals, and says how they did."""
    results: dict[str, dict[str, Any]] = {}
    for name, path in (("random play", "random"), ("rule player", "rules"), ("trained", str(folder))):
        agent = load_agent(path, game)
        games = play(agent, game, deal_range(deals), avoid_repeats=agent.avoid_repeats, label=name)
        results[name] = {"avoid_repeats": agent.avoid_repeats, **figures(games)}
    write_evaluation(folder, game, deals, command, results)
    rows = {name: (result, result["avoid_repeats"]) for name, result in results.items()}
    print(f"\n{game}, deals {deals}, never trained on:\n{summary_table(rows)}\n\nAll of it is in {folder}")


if __name__ == "__main__":
    sys.exit(main())
