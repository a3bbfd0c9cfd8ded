"""Evaluates an agent on numbered deals: ``python -m experiments.evaluate --game coyote --agent rules``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from agents.loading import load_agent
from agents.search import SearchAgent
from experiments.command_line import Argument, check_positive, command_text, deal_range, parse
from experiments.evaluation import GAMES_AT_ONCE, figures, of_solvable, paired, step_limit, summary_table
from experiments.parallel import play_in_processes
from experiments.runs import git_state, versions, write_json
from solitaire_env import GAMES

DESCRIPTION = """
Plays numbered deals with an agent, always by masks, and tells the share won with its Wilson 95 % interval. The same
evaluation gives the same figures to the last digit. Where seeds/ has verdicts it also tells the share of the solvable
deals won; --against compares with another agent deal by deal. Deals 0 to 999 are the test suite, 1,000 to 999,999 are
there to choose by.
"""


@dataclasses.dataclass(frozen=True)
class EvaluateArguments:
    """The command line of ``experiments.evaluate``."""

    agent: Annotated[str, Argument("random, rules, pretrained, search, or the path of a run's folder or model file")]
    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    deals: Annotated[str, Argument("the deals", "FIRST:END")] = "0:1000"
    against: Annotated[str | None, Argument("another agent, which plays the same deals for comparison", "AGENT")] = None
    json: Annotated[Path | None, Argument("where the figures are written", "FILE")] = None
    avoid_repeats: Annotated[
        bool | None,
        Argument("masks moves into positions already seen in the game (default: as the agent is meant to play)"),
    ] = None
    stochastic: Annotated[bool, Argument("draws actions rather than taking the best one")] = False
    seed: Annotated[int, Argument("of the draws")] = 0
    max_steps: Annotated[int | None, Argument("step limit of a game (default: the limit of the game's id)")] = None
    games_at_once: Annotated[int, Argument("games side by side; the figures do not depend on it")] = GAMES_AT_ONCE
    processes: Annotated[int, Argument("deals are shared out among; the figures do not depend on it")] = 1
    ray: Annotated[str | None, Argument("spreads the deals over Ray: 'local' or a cluster's address", "ADDRESS")] = None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(EvaluateArguments, argv, "python -m experiments.evaluate", DESCRIPTION)
    command = command_text("python -m experiments.evaluate", argv)
    try:
        result = evaluate(arguments, command)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{arguments.game}, deals {arguments.deals}:")
    rows = {Path(arguments.agent).name: (result, result["avoid_repeats"])}
    if "against" in result:
        rows |= {Path(result["against"]["agent"]).name: (result["against"], result["against"]["avoid_repeats"])}
    print(summary_table(rows))
    if result["of_solvable"]:
        of = result["of_solvable"]
        print(f"Of {of['deals']} deals known to be solvable {of['won']} won; {of['undecided']} deals are undecided.")
    if "against" in result:
        of = result["against"]["paired"]
        low, high = of["ci95"]
        print(
            f"Difference {of['difference']:+.1%} (95 % interval {low:+.1%} to {high:+.1%}): {of['only_this']} deals "
            f"won by the first alone, {of['only_other']} by the second alone; McNemar p = {of['mcnemar_p']:.2g}"
        )
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
    for name in ("games_at_once", "processes"):
        check_positive(name, getattr(arguments, name))
    if arguments.max_steps is not None:
        check_positive("max_steps", arguments.max_steps)
    limit = arguments.max_steps or step_limit(arguments.game)
    deals = deal_range(arguments.deals)
    if arguments.json is not None and not arguments.json.parent.is_dir():
        raise FileNotFoundError(f"json is {str(arguments.json)!r}: no such folder")
    result, won = _play(arguments, arguments.agent, limit)
    result = {
        "game": arguments.game,
        "agent": arguments.agent,
        "deals": arguments.deals,
        **result,
        "of_solvable": of_solvable(arguments.game, deals, won),
        "max_episode_steps": limit,
        "deterministic": arguments.agent != "random" and not arguments.stochastic,
        "seed": arguments.seed,
    }
    if arguments.against is not None:
        other, won_by_other = _play(arguments, arguments.against, limit)
        result["against"] = {"agent": arguments.against, **other, "paired": paired(won, won_by_other)}
    result |= {"command": command, "versions": versions(), "git": git_state()}
    if arguments.json is not None:
        write_json(arguments.json, result)
    return result


def _play(arguments: EvaluateArguments, name: str, limit: int) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Returns an agent's figures, and which deals it won."""
    agent = load_agent(name, arguments.game)
    avoid = agent.avoid_repeats if arguments.avoid_repeats is None else arguments.avoid_repeats
    games, _ = play_in_processes(
        name,
        arguments.game,
        deal_range(arguments.deals),
        processes=arguments.processes,
        ray=arguments.ray,
        seed=arguments.seed,
        avoid_repeats=avoid,
        deterministic=not arguments.stochastic,
        max_episode_steps=limit,
        games_at_once=arguments.games_at_once,
        label=Path(name).name,
    )
    budget = {"budget": dataclasses.asdict(agent.budget)} if isinstance(agent, SearchAgent) else {}
    return {**figures(games), "avoid_repeats": avoid, **budget}, games.won


if __name__ == "__main__":
    sys.exit(main())
