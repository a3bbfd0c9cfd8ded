"""Measures speed beside other environments: ``python -m experiments.benchmark`` (``make bench``).

Everybody plays random legal moves and gets an observation and, where there is one, a mask every step. Only the
environment's own work is timed, the draw of the actions is not: see ``experiments.speed.player.Player``. All are
measured in every round, in a new order, and ratios are taken within a round.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from experiments.command_line import Argument, command_text, parse
from experiments.runs import git_state, write_json
from experiments.speed.chart import draw_chart
from experiments.speed.contenders import SIZES, compile_kernel, copy_contenders, other_contenders, solitaire_contenders
from experiments.speed.figures import all_versions, game_figures, machine, targets
from experiments.speed.report import report
from experiments.speed.rounds import measure
from experiments.speed.startup import measure_startup
from experiments.speed.training import measure_training
from solitaire_env import GAMES

DESCRIPTION = """
Measures the speed of the environments beside others, of MaskablePPO on them, and of starting up; prints tables and
leaves benchmark.json and benchmark.png in a folder. Give it a quiet machine: it takes up to ten minutes.
"""

PARTS = ("play", "training", "startup")


@dataclasses.dataclass(frozen=True)
class BenchmarkArguments:
    """The command line of ``experiments.benchmark``."""

    quick: Annotated[bool, Argument("a look, in less than a minute: few rounds, no cold compile")] = False
    games: Annotated[str, Argument("names of games, with commas")] = ",".join(GAMES)
    parts: Annotated[str, Argument("what is measured, with commas")] = ",".join(PARTS)
    out: Annotated[Path, Argument("where the files are written", "FOLDER")] = Path(__file__).parent / "results"


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        rounds: Rounds of play.
        seconds: Time that a contender plays in a round.
        sizes: Numbers of envs.
        spread_over: Calls over which games are spread at first; None for the step limit.
        training_rounds: Rollouts and updates of each adapter.
        training_envs: Envs of each adapter; None for the config's number.
        training_steps: Steps of each env in a rollout; None for the config's.
        starts: Warm starts.
        cold: Whether a cold start is measured.
    """

    rounds: int
    seconds: float
    sizes: tuple[int, ...]
    spread_over: int | None
    training_rounds: int
    training_envs: int | None
    training_steps: int | None
    starts: int
    cold: bool


FULL = Extent(
    rounds=7,
    seconds=0.12,
    sizes=SIZES,
    spread_over=None,
    training_rounds=5,
    training_envs=None,
    training_steps=None,
    starts=5,
    cold=True,
)
QUICK = Extent(
    rounds=2,
    seconds=0.02,
    sizes=SIZES[:-1],
    spread_over=20,
    training_rounds=1,
    training_envs=None,
    training_steps=32,
    starts=2,
    cold=False,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(BenchmarkArguments, argv, "python -m experiments.benchmark", DESCRIPTION)
    command = command_text("python -m experiments.benchmark", argv)
    try:
        games = _chosen("games", arguments.games, tuple(GAMES))
        parts = _chosen("parts", arguments.parts, PARTS)
        if not arguments.out.is_dir():
            raise FileNotFoundError(f"out is {str(arguments.out)!r}: no such folder")
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    result: dict[str, Any] = {"command": command, "quick": arguments.quick}
    result |= benchmark(games, parts, QUICK if arguments.quick else FULL)
    write_json(arguments.out / "benchmark.json", result)
    if "games" in result:
        draw_chart(result["games"], arguments.out / "benchmark.png")
    print(report(result))
    print(f"\nAll of it is in {arguments.out / 'benchmark.json'}")
    return 0


def benchmark(games: Sequence[str], parts: Sequence[str], extent: Extent) -> dict[str, Any]:
    """Measures, and returns all figures: JSON-able."""
    result: dict[str, Any] = {
        "began": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "extent": dataclasses.asdict(extent),
        "machine": machine(),
        "versions": all_versions(),
        "git": git_state(),
    }
    compile_kernel()
    # Training first: its processes are best forked before other libraries have started threads.
    if "training" in parts:
        result["training"] = measure_training(
            extent.training_rounds, num_envs=extent.training_envs, n_steps=extent.training_steps
        )
    others, notes = other_contenders()
    if "play" in parts:
        result["games"] = {}
        for game in games:
            contenders = [
                *solitaire_contenders(game, extent.sizes, extent.spread_over),
                *others,
                *copy_contenders(game, extent.sizes),
            ]
            rates = measure(contenders, extent.rounds, extent.seconds, game)
            result["games"][game] = game_figures(game, contenders, rates, extent.sizes)
    if "startup" in parts:
        result["startup"] = measure_startup(extent.starts, cold=extent.cold)
    result["machine"]["load_average_at_the_end"] = list(os.getloadavg())
    return {**result, "skipped": notes, "targets": targets(result)}


def _chosen(name: str, text: str, allowed: tuple[str, ...]) -> list[str]:
    """Reads names with commas between them.

    Raises:
        ValueError: A name is unknown.
    """
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in allowed:
            raise ValueError(f"{name} is {text!r}: allowed are {', '.join(allowed)}, with commas between them")
    return words


if __name__ == "__main__":
    sys.exit(main())
