"""Corrects a policy's own games by the solver: ``python -m experiments.coach --game coyote --start runs/coyote``.

The policy plays training deals, drawing its actions. Of a game that it lost the solver finds the last position from
which it could have been won, all cards known. The moves as far as that, and those of games won, are learned again; from
that position on the solver's line is learned instead. So the policy learns in the positions that it gets into itself,
what imitation alone does not teach, and its own moves are kept where they did no harm.

Where cards are hidden a correction may be the luck of one deal. It weighs little there: it is learned only as often as
the policy's own move lost, against all the games in which that move was kept. Once the player knows every card there is
no luck left; there the correction weighs more, for it is one position against a hundred in which nothing is to be
learned.
"""

from __future__ import annotations

import dataclasses
import json
import math
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from tqdm import tqdm

from agents.ppo import PPOAgent, load_policy
from experiments.command_line import Argument, check_positive, deal_range, parse
from experiments.evaluation import step_limit
from experiments.hyperparameters import CONFIGS, Hyperparameters, read_hyperparameters
from experiments.imitate import Examples, loss_of
from experiments.learning import make_model, make_vec_env
from experiments.runs import new_run_folder, save_model, write_config
from experiments.symmetry import exchange_suits, suit_exchanges
from experiments.train import check_start, evaluate
from solitaire_env import GAMES, Position, SolitaireEnv, SolitaireVectorEnv
from solitaire_env.dealing import FIRST_TRAINING_DEAL
from solitaire_env.position import UNKNOWN
from solitaire_env.settings import draw_deals
from solitaire_env.solver import solve

DESCRIPTION = """
Lets a policy play training deals, finds by the solver where it lost games that could be won, and teaches it to go on
otherwise from there. Leaves in a folder under --runs the model, config.json, coaching.jsonl and eval.json, of which
`experiments.train --start RUN` and `experiments.ship` take it further. Ctrl-C keeps the last checkpoint.
"""

PROGRESS_FILE = "coaching.jsonl"


@dataclasses.dataclass(frozen=True)
class CoachArguments:
    """The command line of ``experiments.coach``."""

    start: Annotated[Path, Argument("the run whose policy is coached", "RUN")]
    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    rounds: Annotated[int | None, Argument("rounds of games (default: the game's)")] = None
    seed: Annotated[int, Argument("of deals, draws and order")] = 0
    config: Annotated[Path | None, Argument("hyperparameters (default: experiments/configs/GAME.toml)", "FILE")] = None
    deals: Annotated[str, Argument("held-out deals of the evaluation", "FIRST:END")] = "1000:2000"
    runs: Annotated[Path, Argument("where folders of runs are", "FOLDER")] = Path("runs")
    name: Annotated[str | None, Argument("of this run's folder (default: GAME-seedSEED, numbered)")] = None


class Lessons(NamedTuple):
    """Examples and what each of them weighs, float32."""

    examples: Examples
    weights: NDArray[np.float32]


class Game(NamedTuple):
    """A game that was played.

    Attributes:
        positions: The positions in which an action was chosen.
        observations: What the player saw there.
        masks: What was legal there.
        actions: What it chose.
        won: Whether it won.
    """

    positions: list[Position]
    observations: list[NDArray[np.uint8]]
    masks: list[NDArray[np.bool_]]
    actions: list[int]
    won: bool


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(CoachArguments, argv, "python -m experiments.coach", DESCRIPTION)
    command = shlex.join(["python", "-m", "experiments.coach", *(sys.argv[1:] if argv is None else argv)])
    torch.set_num_threads(1)
    try:
        folder, settings = begin(arguments, command)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        coach(folder, arguments, settings)
    except KeyboardInterrupt:
        print(f"\nInterrupted; the last checkpoint is in {folder}", file=sys.stderr)
        return 130
    evaluate(folder, arguments.game, arguments.deals, command)
    return 0


def begin(arguments: CoachArguments, command: str) -> tuple[Path, Hyperparameters]:
    """Checks the arguments and makes the run's folder and config.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        OSError: A file is not there.
    """
    if arguments.game not in GAMES:
        raise ValueError(f"game is {arguments.game!r}: allowed are {', '.join(GAMES)}")
    if not 0 <= arguments.seed < 2**32:
        raise ValueError(f"seed is {arguments.seed}: allowed are 0 to 4294967295")
    if deal_range(arguments.deals).stop > FIRST_TRAINING_DEAL:
        raise ValueError(
            f"deals is {arguments.deals!r}: those from {FIRST_TRAINING_DEAL} on are trained on, not held out"
        )
    settings = read_hyperparameters(arguments.config or CONFIGS / f"{arguments.game}.toml")
    check_start(arguments.start, arguments.game, settings)
    if arguments.rounds is not None:
        check_positive("rounds", arguments.rounds)
        settings = dataclasses.replace(
            settings, coaching=dataclasses.replace(settings.coaching, rounds=arguments.rounds)
        )
    folder = new_run_folder(arguments.runs, arguments.name, arguments.game, arguments.seed)
    write_config(folder, arguments.game, arguments, settings, command)
    return folder, settings


def coach(folder: Path, arguments: CoachArguments, settings: Hyperparameters) -> None:
    """Plays, corrects and learns, round after round; the last checkpoint is that of the last round."""
    game, of = arguments.game, settings.coaching
    env = make_vec_env(game, settings, arguments.seed, 1)
    model = make_model(env, game, settings, arguments.seed, None)
    env.close()
    model.policy.load_state_dict(load_policy(arguments.start, game)[0].state_dict())
    kept: list[Lessons] = []
    with tqdm(total=of.rounds, unit=" rounds") as bar:
        for number in range(of.rounds):
            generator = np.random.default_rng([arguments.seed, number])
            deals = draw_deals(generator, of.games)
            games = play_games(model, game, deals, seed=int(generator.integers(2**31)))
            corrected = [correct(game, played, settings) for played in games]
            lessons = [of_game for of_game, _ in corrected if of_game is not None]
            kept = [*kept[-of.rounds_kept + 1 :], join(lessons)]
            again = [kept[-1 - i] for i in _again(kept, generator)]
            losses = [learn(model, game, x, settings, number / of.rounds, generator) for x in again]
            row = {
                "round": number + 1,
                "won": float(np.mean([played.won for played in games])),
                "could_be_won": float(np.mean([could for _, could in corrected])),
                "examples": len(kept[-1].weights),
                "loss": losses[0],
            }
            with (folder / PROGRESS_FILE).open("a") as stream:
                stream.write(json.dumps(row) + "\n")
            save_model(folder, model)
            bar.set_postfix_str(f"{row['won']:.1%} won, {row['could_be_won']:.1%} could be", refresh=False)
            bar.update()


def _again(kept: Sequence[Lessons], generator: np.random.Generator) -> list[int]:
    """Which rounds are learned from now, counted backwards: the last, and one of those before it."""
    return [0] if len(kept) == 1 else [0, int(generator.integers(1, len(kept)))]


def play_games(model: MaskablePPO, game: str, deals: Sequence[int], *, seed: int) -> list[Game]:
    """Plays each deal once by drawn actions, repeats masked."""
    agent = PPOAgent(model.policy, avoid_repeats=True, seed=seed)
    envs = SolitaireVectorEnv(
        game,
        len(deals),
        avoid_repeats=True,
        max_episode_steps=step_limit(game),
        autoreset_mode=AutoresetMode.NEXT_STEP,
    )
    observations, infos = envs.reset(options={"deal": list(deals)})
    games = [Game([], [], [], [], False) for _ in deals]
    playing, state = np.ones(len(deals), np.bool_), None
    while playing.any():
        masks = infos["action_mask"].astype(np.bool_)
        masks[~playing, 0] = True
        actions, state = agent.predict(observations, state, deterministic=False, action_masks=masks)
        positions = envs.positions()
        for i in np.flatnonzero(playing).tolist():
            games[i].positions.append(positions[i])
            games[i].observations.append(observations[i].copy())
            games[i].masks.append(masks[i].copy())
            games[i].actions.append(int(actions[i]))
        observations, _, terminations, truncations, infos = envs.step(actions)
        for i in np.flatnonzero(playing & infos["is_success"]).tolist():
            games[i] = games[i]._replace(won=True)
        playing &= ~(terminations | truncations)
    envs.close()
    return games


def correct(game: str, played: Game, settings: Hyperparameters) -> tuple[Lessons | None, bool]:
    """Returns what is to be learned from a game, None if nothing is, and whether the deal could be won.

    Args:
        game: The game's name.
        played: The game as it was played.
        settings: The hyperparameters.
    """
    of = settings.coaching
    if played.won:
        return _lessons(_examples(played, len(played.actions))), True
    rules = GAMES[game]
    solution = solve(played.positions[0], rules, max_positions=of.positions)
    if solution.status != "won":
        return None, False
    first, last = 0, len(played.positions)  # it could be won in position first, not in position last
    while last - first > 1:
        middle = (first + last) // 2
        found = solve(played.positions[middle], rules, max_positions=of.positions)
        if found.status == "won":
            first, solution = middle, found
        else:
            last = middle
    turn = played.positions[first]
    rest = _lessons(_play_on(game, turn, solution.actions))
    if UNKNOWN not in turn.known("recall").stock:
        rest.weights[:] = of.weight_of_line
        rest.weights[0] = of.weight_of_turn
    return join([_lessons(_examples(played, first)), rest]), True


def _lessons(examples: Examples) -> Lessons:
    return Lessons(examples, np.ones(len(examples.actions), np.float32))


def _examples(played: Game, number: int) -> Examples:
    n, m = len(played.masks[0]), len(played.observations[0])
    return Examples(
        np.array(played.observations[:number], np.uint8).reshape(number, m),
        np.array(played.masks[:number], np.bool_).reshape(number, n),
        np.array(played.actions[:number], np.int64),
    )


def _play_on(game: str, position: Position, actions: Sequence[int]) -> Examples:
    env = SolitaireEnv(game, avoid_repeats=True)
    observation, info = env.reset(options={"position": position})
    observations, masks = [], []
    for action in actions:
        observations.append(observation.copy())
        masks.append(info["action_mask"].astype(np.bool_))
        observation, _, _, _, info = env.step(action)
    if not info["is_success"]:
        raise RuntimeError(f"{game}: the solver's line does not win from {position.to_text()}")
    return Examples(np.array(observations), np.array(masks), np.array(actions, np.int64))


def join(parts: Sequence[Lessons]) -> Lessons:
    """Returns the lessons of all parts, in order."""
    observations, masks, actions = (np.concatenate(arrays) for arrays in zip(*(x.examples for x in parts), strict=True))
    return Lessons(Examples(observations, masks, actions), np.concatenate([x.weights for x in parts]))


def learn(
    model: MaskablePPO,
    game: str,
    lessons: Lessons,
    settings: Hyperparameters,
    share: float,
    generator: np.random.Generator,
) -> float:
    """Goes once through lessons; returns the mean loss.

    Args:
        model: The model.
        game: The game's name.
        lessons: What is learned.
        settings: The hyperparameters.
        share: Of the rounds, what is done: the learning rate falls along a half cosine.
        generator: Of the order, and of the exchanges of suits.
    """
    optimizer: Any = model.policy.optimizer
    exchanges = suit_exchanges(GAMES[game])
    for group in optimizer.param_groups:
        group["lr"] = settings.coaching.learning_rate * (1 + math.cos(math.pi * share)) / 2
    order = generator.permutation(len(lessons.weights))
    losses = []
    for batch in np.array_split(order, max(1, len(order) // settings.coaching.batch_size)):
        exchange = exchanges[generator.integers(len(exchanges))]
        examples = Examples(*exchange_suits(GAMES[game], exchange, *lessons.examples.pick(batch)))
        loss, _ = loss_of(model, examples, lessons.weights[batch])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    model.num_timesteps += len(order)
    return float(np.mean(losses))


if __name__ == "__main__":
    sys.exit(main())
