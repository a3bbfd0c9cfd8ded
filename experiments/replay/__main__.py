"""Writes one game of an agent as a web page: ``python -m experiments.replay --game swiss --deal 7 --agent rules``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from agents.loading import load_agent
from experiments.command_line import Argument, check_positive, parse
from experiments.evaluation import step_limit
from experiments.replay.page import write_page
from experiments.replay.recording import record
from solitaire_env import GAMES
from solitaire_env.settings import check_deal

DESCRIPTION = """
Plays a numbered deal with an agent, as experiments.evaluate does, and writes the game as one HTML file that opens by a
double click, without a network: the board, every step by slider and keys, the action in words, the policy's
probabilities, its value estimate, and whether the solver knows the deal to be won.
"""


@dataclasses.dataclass(frozen=True)
class ReplayArguments:
    """The command line of ``experiments.replay``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")]
    deal: Annotated[int, Argument("number of the deal")]
    agent: Annotated[str, Argument("random, rules, or the path of a run's folder or model file")] = "rules"
    out: Annotated[Path | None, Argument("the file (default: runs/replay-GAME-DEAL.html)", "FILE")] = None
    stochastic: Annotated[bool, Argument("draws actions rather than taking the best one")] = False
    seed: Annotated[int, Argument("of the draws")] = 0
    max_steps: Annotated[int | None, Argument("step limit (default: the limit of the game's id)")] = None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(ReplayArguments, argv, "python -m experiments.replay", DESCRIPTION)
    try:
        print(replay(arguments))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def replay(arguments: ReplayArguments) -> str:
    """Plays and writes the file; returns how the game ended and where it is.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        OSError: The agent's file is not there, or the page cannot be written.
    """
    game = arguments.game
    if game not in GAMES:
        raise ValueError(f"game is {game!r}: allowed are {', '.join(GAMES)}")
    deal = check_deal(arguments.deal)
    if arguments.seed < 0:
        raise ValueError(f"seed is {arguments.seed}: allowed are whole numbers from 0 up")
    if arguments.max_steps is not None:
        check_positive("max_steps", arguments.max_steps)
    file = arguments.out
    if file is None:
        file = Path("runs") / f"replay-{game}-{deal}.html"
        file.parent.mkdir(exist_ok=True)
    elif not file.parent.is_dir():
        raise FileNotFoundError(f"out is {str(file)!r}: no such folder")
    recording = record(
        load_agent(arguments.agent, game, seed=arguments.seed),
        game,
        deal,
        name=arguments.agent,
        deterministic=not arguments.stochastic,
        max_steps=arguments.max_steps or step_limit(game),
    )
    write_page(recording, file)
    return f"{recording['title']}, {recording['agent']}: {recording['outcome']}. The game is in {file}"


if __name__ == "__main__":
    sys.exit(main())
