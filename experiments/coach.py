"""Coaches a policy: ``python -m experiments.coach --game coyote --start runs/coyote-refined``.

The policy plays training deals. After every move that it might have made a narrow search with all cards known tells
whether the game can still be won. The policy learns to make the moves that keep the win and not those that give it
away. Where the player knows all cards that is exact; where some are hidden a verdict is right for the deal at hand, and
what is learned is how often a move keeps the win, over the deals that look alike.
"""

from __future__ import annotations

import dataclasses
import io
import os
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import Tensor, nn
from tqdm import tqdm

from agents.ppo import MODEL_FILE, load_model, read_config
from experiments.command_line import Argument, check_positive, command_text, parse, say_interrupted
from experiments.hyperparameters import CONFIGS, Hyperparameters, read_hyperparameters
from experiments.learning import begin_from, make_model, make_vec_env
from experiments.lessons import GAMES_AT_ONCE, Coached, Lessons, Task, join, load_lessons, play_coached, save_lessons
from experiments.runs import (
    append_row,
    check_new_run,
    forget_what_is_lost,
    new_run_folder,
    read_rows,
    read_unfinished,
    save_model,
    write_config,
)
from experiments.spread import process_pool
from experiments.symmetry import Exchange, exchange_suits, exchanged_actions, suit_exchanges
from experiments.train import check_start, evaluate
from solitaire_env import GAMES
from solitaire_env.dealing import FIRST_TRAINING_DEAL
from solitaire_env.rules import Rules

DESCRIPTION = """
Lets a policy play training deals beside a coach who knows all cards, and teaches it not to make the moves after which
the coach finds no win any more; evaluates it, and leaves in a folder under --runs the model, config.json, coaching.csv,
eval.json and the lessons. Ctrl-C keeps what is done; --resume goes on from there.
"""

PROGRESS_FILE = "coaching.csv"
LESSONS_FOLDER = "lessons"
FIRST_DEAL = 2 * FIRST_TRAINING_DEAL
"""Rounds play the deals from here on, of seed 1 from ``FIRST_TRAINING_DEAL`` further on, and so forth.

Those before are where ``experiments.label_deals`` finds lines to imitate.
"""

_UNJUDGED = 0.1  # what probability of moves that were not judged costs, beside that of mistakes, where cards are hidden
_VALUE = 0.5  # weight of the value loss: the critic is to go on thinking what it thought


@dataclasses.dataclass(frozen=True)
class CoachArguments:
    """The command line of ``experiments.coach``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    start: Annotated[
        Path | None, Argument("the policy that is coached: a run's folder or that of a shipped model", "RUN")
    ] = None
    rounds: Annotated[int, Argument("times that games are played and learned from")] = 20
    games: Annotated[int, Argument(f"deals a round, in blocks of {GAMES_AT_ONCE}")] = 2_048
    passes: Annotated[int, Argument("times that a position is learned from, on average, in a round's learning")] = 30
    batch_size: Annotated[int, Argument("positions in a minibatch")] = 1_024
    learning_rate: Annotated[float, Argument("for the first half of the rounds; then it falls to 0")] = 3e-4
    widths: Annotated[str, Argument("of the coach's searches, one after another", "W,W,...")] = "16,128"
    cards: Annotated[
        str | None, Argument("beneath a policy of piles, puts a network of cards of this width and rounds", "W,R")
    ] = None
    lessons: Annotated[
        Path | None, Argument("an earlier run of coaching, whose lessons are learned from as well", "RUN")
    ] = None
    floor: Annotated[float, Argument("winning moves far below this probability are hardly learned")] = 1e-4
    seed: Annotated[int, Argument("of deals, draws and order")] = 0
    config: Annotated[Path | None, Argument("hyperparameters (default: experiments/configs/GAME.toml)", "FILE")] = None
    deals: Annotated[str, Argument("held-out deals of the evaluation", "FIRST:END")] = "1000:2000"
    runs: Annotated[Path, Argument("where folders of runs are", "FOLDER")] = Path("runs")
    name: Annotated[str | None, Argument("of this run's folder (default: GAME-seedSEED, numbered)")] = None
    resume: Annotated[
        Path | None, Argument("goes on with an interrupted run; no other argument is allowed then", "RUN")
    ] = None
    processes: Annotated[int, Argument("play while another learns; the result does not depend on it")] = max(
        1, (os.cpu_count() or 1) - 1
    )


class Progress(NamedTuple):
    """What is written down after each round.

    Attributes:
        learned: Positions learned from so far, each as often as it was.
        deals: Deals of the round that the coach thought could be won, and that were played.
        mistakes: Expected moves a game that gave it away, by the policy that played the round.
        loss: Mean loss while the round was learned from.
    """

    learned: int
    deals: int
    mistakes: float
    loss: float


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(CoachArguments, argv, "python -m experiments.coach", DESCRIPTION)
    command = command_text("python -m experiments.coach", argv)
    torch.set_num_threads(1)
    try:
        folder, arguments, settings = begin(arguments, command) if arguments.resume is None else resume(arguments)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        coach(folder, arguments, settings)
        evaluate(folder, arguments.game, arguments.deals, command)
    except KeyboardInterrupt:
        return say_interrupted("python -m experiments.coach", folder)
    except ChildProcessError as error:
        print(f"error: {error}; --resume {shlex.quote(str(folder))} goes on", file=sys.stderr)
        return 2
    return 0


def begin(arguments: CoachArguments, command: str) -> tuple[Path, CoachArguments, Hyperparameters]:
    """Checks the arguments of a new run and makes its folder and config.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        FileNotFoundError: There is no such start, or no file of hyperparameters.
    """
    check_new_run(arguments.game, arguments.seed, arguments.deals)
    for name in ("rounds", "games", "passes", "batch_size", "processes"):
        check_positive(name, getattr(arguments, name))
    if arguments.games % GAMES_AT_ONCE:
        raise ValueError(f"games is {arguments.games}: allowed are multiples of {GAMES_AT_ONCE}")
    for name in ("learning_rate", "floor"):
        if not 0 < getattr(arguments, name) < 1:
            raise ValueError(f"{name} is {getattr(arguments, name)}: allowed are numbers between 0 and 1")
    read_numbers("widths", arguments.widths)
    if arguments.start is None:
        raise ValueError("start is not given: a policy that knows nothing yet is not worth coaching")
    settings = read_hyperparameters(arguments.config or CONFIGS / f"{arguments.game}.toml")
    if arguments.cards is not None:
        settings = with_cards(settings, arguments.cards)
    check_start(arguments.start, arguments.game, settings)
    if arguments.lessons is not None and read_config(arguments.lessons)["game"] != arguments.game:
        raise ValueError(f"lessons is {str(arguments.lessons)!r}: they are of another game")
    folder = new_run_folder(arguments.runs, arguments.name, arguments.game, arguments.seed)
    (folder / LESSONS_FOLDER).mkdir()
    write_config(folder, arguments.game, arguments, settings, command)
    return folder, arguments, settings


def read_numbers(name: str, text: str) -> tuple[int, ...]:
    """Reads the numbers of an argument.

    Raises:
        ValueError: They are no whole numbers from 1 up, one after another with commas between them.
    """
    parts = text.split(",")
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise ValueError(f"{name} is {text!r}: allowed are whole numbers from 1 up, such as 16,128")
    return tuple(int(part) for part in parts)


def with_cards(settings: Hyperparameters, cards: str) -> Hyperparameters:
    """Returns settings with a network of cards beneath that of piles.

    Raises:
        ValueError: The network is none of piles, or the numbers are not two.
    """
    policy, numbers = settings.policy, read_numbers("cards", cards)
    if policy.network != "piles" or len(numbers) != 2:
        raise ValueError(f"cards is {cards!r}: allowed are two numbers, beneath a network of piles")
    policy = dataclasses.replace(policy, network="cards", net_arch=(*policy.net_arch, *numbers))
    return dataclasses.replace(settings, policy=policy)


def resume(arguments: CoachArguments) -> tuple[Path, CoachArguments, Hyperparameters]:
    """Reads an interrupted run, which goes on as it was begun, and drops the progress that its checkpoint lacks.

    The round that was being played is played anew, by the policy of the checkpoint, which has learned a little more
    than the one that began it.

    Raises:
        ValueError: Other arguments are given too, the folder holds no run, a file in it is damaged, or the run is
            finished.
        FileNotFoundError: There is no such folder.
    """
    folder = arguments.resume
    assert folder is not None
    kept, settings = read_unfinished(arguments)
    forget_what_is_lost(folder, kept["game"], PROGRESS_FILE, Progress)
    return (
        folder,
        CoachArguments(**{**kept, **{name: Path(kept[name]) for name in ("start", "lessons") if kept[name]}}),
        settings,
    )


def coach(folder: Path, arguments: CoachArguments, settings: Hyperparameters) -> None:
    """Plays and learns, round after round; an interruption leaves the last round's model and all lessons.

    While a round is learned from, the next one is played, by the policy as it was before this learning. The model
    counts the positions learned from as its time steps.
    """
    game = arguments.game
    env = make_vec_env(game, settings, arguments.seed, 1)
    done = len(read_rows(folder / PROGRESS_FILE, Progress))
    if done:
        model = load_model(folder / MODEL_FILE, game)
    else:
        model = make_model(env, game, settings, arguments.seed, None)
        assert arguments.start is not None
        begin_from(model, arguments.start, game)
    env.close()
    print(f"{game}: {arguments.rounds} rounds of {arguments.games:,} deals, in {folder}")
    memory: list[Lessons] = []
    if arguments.lessons is not None:
        files = sorted((arguments.lessons / LESSONS_FOLDER).glob("*.npz"))
        memory.append(join([load_lessons(file).lessons for file in files]))
    with (
        process_pool(arguments.processes) as players,
        tqdm(total=arguments.rounds, initial=done, unit=" rounds") as bar,
    ):
        waiting = _Round(players, folder, arguments, settings, 0, model)
        for number in range(arguments.rounds):
            coached = waiting.result()
            memory.append(coached.lessons)
            if number + 1 < arguments.rounds:
                waiting = _Round(players, folder, arguments, settings, number + 1, model)
            if number < done:
                continue
            batches = max(1, arguments.passes * len(coached.lessons.weights) // arguments.batch_size)
            loss = learn_round(model, game, join(memory), number, batches, arguments)
            mistakes = coached.mistakes / max(1, coached.games)
            row = Progress(model.num_timesteps, coached.games, mistakes, loss)
            append_row(folder / PROGRESS_FILE, Progress._fields, [*row[:2], *(round(x, 5) for x in row[2:])])
            save_model(folder, model)
            bar.update()
            bar.set_postfix_str(f"{mistakes:.3f} mistakes a game, loss {loss:.4f}", refresh=False)


class _Round:
    """A round that is being played, or was before an interruption: its lessons are in a file then."""

    def __init__(
        self,
        players: ProcessPoolExecutor,
        folder: Path,
        arguments: CoachArguments,
        settings: Hyperparameters,
        number: int,
        model: MaskablePPO,
    ) -> None:
        self._file = folder / LESSONS_FOLDER / f"{number:03}.npz"
        self._blocks: list[Future[Coached]] = []
        if self._file.exists():
            return
        policy = io.BytesIO()
        model.policy.save(policy)  # type: ignore[arg-type]  # streams are not in its annotation
        first = FIRST_DEAL + arguments.seed * FIRST_TRAINING_DEAL + number * arguments.games
        for block in range(arguments.games // GAMES_AT_ONCE):
            deals = range(first + block * GAMES_AT_ONCE, first + (block + 1) * GAMES_AT_ONCE)
            task = Task(
                arguments.game,
                settings.policy.network,
                policy.getvalue(),
                deals,
                (arguments.seed, number, block),
                read_numbers("widths", arguments.widths),
            )
            self._blocks.append(players.submit(play_coached, task))

    def result(self) -> Coached:
        if self._file.exists():
            return load_lessons(self._file)
        parts = [block.result() for block in self._blocks]
        whole = Coached(join([x.lessons for x in parts]), sum(x.games for x in parts), sum(x.mistakes for x in parts))
        save_lessons(self._file, whole)
        return whole


def learn_round(
    model: MaskablePPO, game: str, memory: Lessons, number: int, batches: int, arguments: CoachArguments
) -> float:
    """Learns from positions drawn from all rounds so far; returns the mean loss, and moves the model's count on.

    The suits of each minibatch are exchanged at random, in a way that the rules do not notice.
    """
    rules, optimizer = GAMES[game], model.policy.optimizer
    exchanges = suit_exchanges(rules)
    generator = np.random.default_rng([arguments.seed, number])
    n = len(memory.weights)
    losses = 0.0
    for batch in range(batches):
        share = (number + batch / batches) / arguments.rounds
        for group in optimizer.param_groups:
            group["lr"] = arguments.learning_rate * min(1.0, 2 * (1 - share))
        drawn = generator.integers(n, size=arguments.batch_size)
        loss = loss_of(model, rules, exchanges[generator.integers(len(exchanges))], memory.pick(drawn), arguments.floor)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.policy.parameters(), 1.0)
        optimizer.step()
        model.num_timesteps += arguments.batch_size
        losses += loss.item()
    return losses / batches


def loss_of(model: MaskablePPO, rules: Rules, exchange: Exchange, lessons: Lessons, floor: float) -> Tensor:
    """Returns what the policy's mistakes cost.

    Where all cards are known, minus the logarithm of the probability that a winning move is made, ``floor`` added;
    where some are hidden, and a move that lost this time may be the right one, the probability of a losing one.
    """
    policy: Any = model.policy
    entries = int(policy.observation_space.shape[0])
    observations = np.unpackbits(lessons.observations, axis=1, count=entries)
    nothing = np.zeros(len(observations), np.int64)
    observations, masks, _ = exchange_suits(rules, exchange, observations, lessons.masks, nothing)
    verdicts = np.empty_like(lessons.verdicts)
    verdicts[:, exchanged_actions(rules, exchange)] = lessons.verdicts
    latent = policy.extract_features(torch.from_numpy(observations))
    scores = policy.action_net(policy.mlp_extractor.forward_actor(latent))
    probabilities = torch.softmax(scores.masked_fill(~torch.from_numpy(masks), -torch.inf), dim=1)
    good, bad = (_sum_where(probabilities, verdicts == verdict) for verdict in (1, -1))
    known = -torch.log(good + floor)
    hidden = bad + _UNJUDGED * (1 - good - bad)
    costs = torch.where(torch.from_numpy(lessons.hidden), hidden, known)
    values = policy.value_net(policy.mlp_extractor.forward_critic(latent))[:, 0]
    value_loss = nn.functional.mse_loss(values, torch.from_numpy(lessons.values))
    return (costs * torch.from_numpy(lessons.weights)).mean() + _VALUE * value_loss


def _sum_where(probabilities: Tensor, chosen: NDArray[np.bool_]) -> Tensor:
    return (probabilities * torch.from_numpy(chosen)).sum(dim=1)


if __name__ == "__main__":
    sys.exit(main())
