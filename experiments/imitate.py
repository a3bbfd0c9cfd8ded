"""Teaches a policy the solver's moves: ``python -m experiments.imitate --game coyote --lines runs/lines``.

The solver knows all cards, the pupil sees what a player sees. Where the right move depends on cards not yet seen the
pupil learns how often each move was right, which is a start for PPO rather than a way to play; later in a game, when
all cards have been seen, it can learn the moves themselves.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import Tensor, nn
from tqdm import tqdm

from agents.ppo import MODEL_FILE, load_model
from experiments.command_line import Argument, check_positive, command_text, parse, say_interrupted
from experiments.hyperparameters import CONFIGS, Hyperparameters, read_hyperparameters
from experiments.learning import make_model, make_vec_env
from experiments.runs import (
    append_row,
    check_new_run,
    forget_what_is_lost,
    new_run_folder,
    read_unfinished,
    save_model,
    write_config,
)
from experiments.suites import Label, read_suite
from experiments.symmetry import exchange_suits, suit_exchanges
from experiments.train import evaluate
from solitaire_env import GAMES, SolitaireVectorEnv
from solitaire_env.dealing import FIRST_TRAINING_DEAL

DESCRIPTION = """
Teaches a policy the moves of solutions that `experiments.label_deals` has found for training deals, as in
`python -m experiments.label_deals --game coyote --suite training --deals 1000000:1030000 --positions 60000 --folder
runs/lines`; evaluates it, and leaves in a folder under --runs the model, config.json, imitation.csv and eval.json.
`experiments.train --start RUN` goes on from there. Ctrl-C keeps the last checkpoint; --resume goes on from it.
"""

PROGRESS_FILE = "imitation.csv"
HELD_OUT_LINES = 200
"""The last lines are not learned from: they tell how well the others have been learned."""


@dataclasses.dataclass(frozen=True)
class ImitateArguments:
    """The command line of ``experiments.imitate``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    lines: Annotated[Path, Argument("where the solved training deals are", "FOLDER")] = Path("runs/lines")
    suite: Annotated[str, Argument("what they are called there")] = "training"
    positions: Annotated[int | None, Argument("positions learned from in all (default: the game's)")] = None
    seed: Annotated[int, Argument("of networks and order")] = 0
    config: Annotated[Path | None, Argument("hyperparameters (default: experiments/configs/GAME.toml)", "FILE")] = None
    deals: Annotated[str, Argument("held-out deals of the evaluation", "FIRST:END")] = "1000:2000"
    runs: Annotated[Path, Argument("where folders of runs are", "FOLDER")] = Path("runs")
    name: Annotated[str | None, Argument("of this run's folder (default: GAME-seedSEED, numbered)")] = None
    resume: Annotated[
        Path | None, Argument("goes on with an interrupted run; no other argument is allowed then", "RUN")
    ] = None


class Examples(NamedTuple):
    """Positions with the teacher's moves.

    Attributes:
        observations: uint8, ``(n, m)``.
        masks: Bool, ``(n, actions)``.
        actions: int64, ``(n,)``.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]

    def pick(self, chosen: NDArray[np.int64]) -> Examples:
        """Returns those of the given indices."""
        return Examples(self.observations[chosen], self.masks[chosen], self.actions[chosen])


class Progress(NamedTuple):
    """What is written down after each group of lines.

    Attributes:
        positions: Positions learned from so far.
        loss: Mean cross-entropy of the teacher's moves in the group, while it was learned.
        agreement: Share of the group's positions in which the best move was the teacher's.
        held_out_loss: The same of lines that are not learned from ...
        held_out_agreement: ... afterwards.
    """

    positions: int
    loss: float
    agreement: float
    held_out_loss: float
    held_out_agreement: float


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(ImitateArguments, argv, "python -m experiments.imitate", DESCRIPTION)
    command = command_text("python -m experiments.imitate", argv)
    torch.set_num_threads(1)
    try:
        folder, arguments, settings = begin(arguments, command) if arguments.resume is None else resume(arguments)
        labels = [x for x in read_suite(arguments.lines, arguments.game, arguments.suite) if x.actions]
        check_lines(labels)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        imitate(folder, arguments, settings, labels)
        evaluate(folder, arguments.game, arguments.deals, command)
    except KeyboardInterrupt:
        return say_interrupted("python -m experiments.imitate", folder)
    return 0


def begin(arguments: ImitateArguments, command: str) -> tuple[Path, ImitateArguments, Hyperparameters]:
    """Checks the arguments of a new run and makes its folder and config.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        FileNotFoundError: There is no file of hyperparameters.
    """
    check_new_run(arguments.game, arguments.seed, arguments.deals)
    settings = read_hyperparameters(arguments.config or CONFIGS / f"{arguments.game}.toml")
    if arguments.positions is not None:
        check_positive("positions", arguments.positions)
        imitation = dataclasses.replace(settings.imitation, positions=arguments.positions)
        settings = dataclasses.replace(settings, imitation=imitation)
    folder = new_run_folder(arguments.runs, arguments.name, arguments.game, arguments.seed)
    write_config(folder, arguments.game, arguments, settings, command)
    return folder, arguments, settings


def resume(arguments: ImitateArguments) -> tuple[Path, ImitateArguments, Hyperparameters]:
    """Reads an interrupted run, which goes on as it was begun, and drops the progress that its checkpoint lacks.

    Raises:
        ValueError: Other arguments are given too, the folder holds no run, a file in it is damaged, or the run is
            finished.
        FileNotFoundError: There is no such folder.
    """
    folder = arguments.resume
    assert folder is not None
    kept, settings = read_unfinished(arguments)
    forget_what_is_lost(folder, kept["game"], PROGRESS_FILE, Progress)
    return folder, ImitateArguments(**{**kept, "lines": Path(kept["lines"])}), settings


def check_lines(labels: Sequence[Label]) -> None:
    """Checks that there are lines to learn from, and that all of them are of training deals.

    Raises:
        ValueError: They are too few, or one is of a deal kept for evaluation.
    """
    if len(labels) <= HELD_OUT_LINES:
        raise ValueError(f"{len(labels)} deals are solved: more than {HELD_OUT_LINES} are needed")
    held_out = min(x.deal for x in labels)
    if held_out < FIRST_TRAINING_DEAL:
        raise ValueError(f"deal {held_out} is kept for evaluation: lines must be of deals from {FIRST_TRAINING_DEAL}")


def imitate(folder: Path, arguments: ImitateArguments, settings: Hyperparameters, labels: Sequence[Label]) -> None:
    """Learns from the lines; an interruption leaves the last checkpoint.

    The model counts the positions learned from as its time steps.
    """
    game, of = arguments.game, settings.imitation
    model_file = folder / MODEL_FILE
    if model_file.exists():
        model = load_model(model_file, game)
    else:
        env = make_vec_env(game, settings, arguments.seed, 1)
        model = make_model(env, game, settings, arguments.seed, None)
        env.close()
    held_out, lines = play_lines(game, labels[-HELD_OUT_LINES:]), labels[:-HELD_OUT_LINES]
    positions = sum(len(x.actions) for x in lines)
    print(f"{game}: {of.positions:,} positions out of {positions:,} in {len(lines):,} lines, in {folder}")
    with tqdm(total=of.positions, initial=model.num_timesteps, unit=" positions", unit_scale=True) as bar:
        while model.num_timesteps < of.positions:
            done = model.num_timesteps
            generator = np.random.default_rng([arguments.seed, done])
            chosen = generator.choice(len(lines), min(of.lines_at_once, len(lines)), replace=False)
            examples = play_lines(game, [lines[i] for i in chosen.tolist()])
            loss, agreement = learn_group(model, game, examples, of.positions, settings, generator)
            row = Progress(model.num_timesteps, loss, agreement, *measure(model, held_out))
            append(folder, row)
            save_model(folder, model)
            bar.update(min(model.num_timesteps, of.positions) - bar.n)
            bar.set_postfix_str(f"loss {row.held_out_loss:.4f}, agreement {row.held_out_agreement:.1%}", refresh=False)


def play_lines(game: str, labels: Sequence[Label]) -> Examples:
    """Plays solutions, and returns all positions on the way as a player sees them.

    Raises:
        RuntimeError: A line does not win, or enters a position twice: it is of another version of the game.
    """
    envs = SolitaireVectorEnv(game, len(labels), avoid_repeats=True)
    lengths = np.array([len(x.actions) for x in labels])
    lines = np.zeros((len(labels), lengths.max()), np.int64)
    for line, x in zip(lines, labels, strict=True):
        line[: len(x.actions)] = x.actions
    observations, infos = envs.reset(options={"deal": [x.deal for x in labels]})
    parts: list[tuple[NDArray[Any], ...]] = []
    for step in range(int(lengths.max())):
        playing = lengths > step
        masks, actions = infos["action_mask"].astype(np.bool_), lines[:, step]
        if not masks[playing, actions[playing]].all():
            raise RuntimeError(f"{game}: a line plays an action that is not legal at its step {step}")
        parts.append((observations[playing], masks[playing], actions[playing]))
        observations, _, _, _, infos = envs.step(actions)
        if not infos["is_success"][lengths == step + 1].all():
            raise RuntimeError(f"{game}: a line of {step + 1} actions does not win")
    envs.close()
    observations, masks, actions = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Examples(observations, masks, actions)


def learn_group(
    model: MaskablePPO,
    game: str,
    examples: Examples,
    in_all: int,
    settings: Hyperparameters,
    generator: np.random.Generator,
) -> tuple[float, float]:
    """Goes once through a group of examples; returns mean loss and agreement, and moves the model's count on.

    The suits of each minibatch are exchanged at random, in a way that the rules do not notice.
    """
    size, optimizer, rules = settings.imitation.batch_size, model.policy.optimizer, GAMES[game]
    exchanges = suit_exchanges(rules)
    order = generator.permutation(len(examples.actions))
    sums = np.zeros(2)
    batches = max(1, len(order) // size)
    for batch in np.array_split(order, batches):
        share = min(1.0, model.num_timesteps / in_all)
        for group in optimizer.param_groups:
            group["lr"] = settings.imitation.learning_rate * (1 + math.cos(math.pi * share)) / 2
        exchange = exchanges[generator.integers(len(exchanges))]
        loss, agreement = loss_of(model, Examples(*exchange_suits(rules, exchange, *examples.pick(batch))))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        model.num_timesteps += len(batch)
        sums += (loss.item(), agreement)
    return float(sums[0] / batches), float(sums[1] / batches)


def loss_of(model: MaskablePPO, examples: Examples) -> tuple[Tensor, float]:
    """Returns the cross-entropy of the teacher's moves, and the share in which the policy's best move is the same."""
    policy: Any = model.policy
    features = policy.extract_features(torch.from_numpy(examples.observations))
    scores = policy.action_net(policy.mlp_extractor.forward_actor(features))
    scores = scores.masked_fill(~torch.from_numpy(examples.masks), -torch.inf)
    wanted = torch.from_numpy(examples.actions)
    agreement = (scores.argmax(dim=1) == wanted).float().mean()
    return nn.functional.cross_entropy(scores, wanted), float(agreement)


def measure(model: MaskablePPO, examples: Examples) -> tuple[float, float]:
    """Returns mean loss and agreement, and learns nothing."""
    sums = np.zeros(2)
    parts = np.array_split(np.arange(len(examples.actions)), -(-len(examples.actions) // 2048))
    with torch.no_grad():
        for part in parts:
            loss, agreement = loss_of(model, examples.pick(part))
            sums += np.array([loss.item(), agreement]) * len(part)
    loss, share = (sums / len(examples.actions)).tolist()
    return loss, share


def append(folder: Path, row: Progress) -> None:
    """Adds a row to the run's progress."""
    figures = [row.positions, *(round(value, 5) for value in row[1:])]
    append_row(folder / PROGRESS_FILE, Progress._fields, figures)


if __name__ == "__main__":
    sys.exit(main())
