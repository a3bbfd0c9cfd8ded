"""Evaluates an agent on numbered deals: ``python -m experiments.evaluate --game coyote --agent rules``."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from agents.loading import load_agent
from agents.search import SearchAgent
from experiments.command_line import Argument, check_positive, deal_range, parse
from experiments.evaluation import GAMES_AT_ONCE, figures, play, step_limit, summary_table
from experiments.parallel import play_in_processes
from experiments.runs import git_state, versions, write_json
from solitaire_env import GAMES

DESCRIPTION = """
Plays numbered deals with an agent, always by masks, and tells the share won with its Wilson 95 % interval. The same
evaluation gives the same figures to the last digit. Deals 0 to 999 are the test suite, 1,000 to 999,999 are there to
choose by.
"""


@dataclasses.dataclass(frozen=True)
class EvaluateArguments:
    """The command line of ``experiments.evaluate``."""

    agent: Annotated[str, Argument("random, rules, search, or the path of a run's folder or model file")]
    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    deals: Annotated[str, Argument("the deals", "FIRST:END")] = "0:1000"
    json: Annotated[Path | None, Argument("where the figures are written", "FILE")] = None
    avoid_repeats: Annotated[
        bool | None,
        Argument("masks moves into positions already seen in the game (default: as the agent is meant to play)"),
    ] = None
    stochastic: Annotated[bool, Argument("draws actions rather than taking the best one")] = False
    seed: Annotated[int, Argument("of the draws")] = 0
    max_steps: Annotated[int | None, Argument("step limit of a game (default: the limit of the game's id)")] = None
    games_at_once: Annotated[int, Argument("games side by side; the figures do not depend on it")] = GAMES_AT_ONCE
    processes: Annotated[int, Argument("more than one play one game each; nor do they depend on it")] = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(EvaluateArguments, argv, "python -m experiments.evaluate", DESCRIPTION)
    command = shlex.join(["python", "-m", "experiments.evaluate", *(sys.argv[1:] if argv is None else argv)])
    try:
        result = evaluate(arguments, command)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{arguments.game}, deals {arguments.deals}:")
    print(summary_table({Path(arguments.agent).name: (result, result["avoid_repeats"])}))
    return 0


def evaluate(arguments: EvaluateArguments, command: str) -> dict[str, Any]:
    """Evaluates, writes the file if one is asked for, and returns what is in it.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        OSError: The agent's file is not there, or the result cannot be written.
    """
    if arguments.game not in GAMES:
        raise ValueError(f"game is {arguments.game!r}: allowed are {', '.join(GAMES)}")
    if arguments.seed < 0:
        raise ValueError(f"seed is {arguments.seed}: allowed are whole numbers from 0 up")
    check_positive("games_at_once", arguments.games_at_once)
    check_positive("processes", arguments.processes)
    if arguments.max_steps is not None:
        check_positive("max_steps", arguments.max_steps)
    limit = arguments.max_steps or step_limit(arguments.game)
    deals = deal_range(arguments.deals)
    if arguments.json is not None and not arguments.json.parent.is_dir():
        raise FileNotFoundError(f"json is {str(arguments.json)!r}: no such folder")
    agent = load_agent(arguments.agent, arguments.game, seed=arguments.seed)
    avoid = agent.avoid_repeats if arguments.avoid_repeats is None else arguments.avoid_repeats
    if arguments.processes > 1:
        games, _ = play_in_processes(
            arguments.agent,
            arguments.game,
            deals,
            processes=arguments.processes,
            seed=arguments.seed,
            avoid_repeats=avoid,
            deterministic=not arguments.stochastic,
            max_episode_steps=limit,
            label=Path(arguments.agent).name,
        )
    else:
        games = play(
            agent,
            arguments.game,
            deals,
            avoid_repeats=avoid,
            deterministic=not arguments.stochastic,
            max_episode_steps=limit,
            games_at_once=arguments.games_at_once,
            label=Path(arguments.agent).name,
        )
    result = {
        "game": arguments.game,
        "agent": arguments.agent,
        "deals": arguments.deals,
        **figures(games),
        "avoid_repeats": avoid,
        "max_episode_steps": limit,
        "deterministic": arguments.agent != "random" and not arguments.stochastic,
        "seed": arguments.seed,
        **({"budget": dataclasses.asdict(agent.budget)} if isinstance(agent, SearchAgent) else {}),
        "command": command,
        "versions": versions(),
        "git": git_state(),
    }
    if arguments.json is not None:
        write_json(arguments.json, result)
    return result


if __name__ == "__main__":
    sys.exit(main())
