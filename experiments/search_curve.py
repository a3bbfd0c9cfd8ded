"""Win rate of the search player over its budget: ``python -m experiments.search_curve --game courtyard``.

Each budget plays the same deals. Beside the share won it tells what a move cost, in milliseconds of one core, the
moves that only follow a plan included.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from agents.planning import read_budget
from experiments.command_line import Argument, check_positive, command_text, deal_range, parse
from experiments.evaluation import figures
from experiments.parallel import play_in_processes
from experiments.runs import git_state, versions, write_json
from solitaire_env import GAMES
from solitaire_env.games import game_title

DESCRIPTION = """
Plays the same deals with the search player at several budgets, writes FOLDER/GAME.json, and draws FOLDER/curve.png
from all games' files there.
"""

_MARKERS = "osD^v"
_HALF = 0.5  # panels with points above it have their legend beneath them

BUDGETS = "width=64,positions=2000/positions=20000/positions=100000/positions=600000/samples=8"
FOLDER = Path(__file__).parent / "results" / "search_curve"


@dataclasses.dataclass(frozen=True)
class CurveArguments:
    """The command line of ``experiments.search_curve``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")] = "coyote"
    deals: Annotated[str, Argument("the deals", "FIRST:END")] = "1000:1100"
    budgets: Annotated[str, Argument("as of agents.planning.read_budget, separated by /", "BUDGET/...")] = BUDGETS
    seed: Annotated[int, Argument("of the player")] = 0
    processes: Annotated[int, Argument("games played side by side")] = 1
    folder: Annotated[Path, Argument("where the file and the picture go")] = FOLDER


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(CurveArguments, argv, "python -m experiments.search_curve", DESCRIPTION)
    command = command_text("python -m experiments.search_curve", argv)
    try:
        curve = measure(arguments, command)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{arguments.game}, deals {arguments.deals}:")
    for point in curve["points"]:
        low, high = point["ci95"]
        print(
            f"{point['budget']:30}  {point['win_rate']:>6.1%}  {low:.1%} to {high:.1%}  "
            f"{point['milliseconds_a_move']:.1f} ms a move, {point['milliseconds_longest_move']:.0f} at most"
        )
    return 0


def measure(arguments: CurveArguments, command: str) -> dict[str, Any]:
    """Plays, writes the file, draws the picture, and returns what is in the file.

    Raises:
        ValueError: An argument is not allowed; the message names it.
        OSError: A file cannot be written.
    """
    if arguments.game not in GAMES:
        raise ValueError(f"game is {arguments.game!r}: allowed are {', '.join(GAMES)}")
    check_positive("processes", arguments.processes)
    deals = deal_range(arguments.deals)
    budgets = arguments.budgets.split("/")
    for budget in budgets:
        read_budget(budget)
    points = []
    for budget in budgets:
        games, cost = play_in_processes(
            f"search:{budget}",
            arguments.game,
            deals,
            processes=arguments.processes,
            seed=arguments.seed,
            avoid_repeats=True,
            games_at_once=1,
            label=f"{arguments.game}, {budget}",
        )
        found = figures(games)
        points.append(
            {
                "budget": budget,
                **{key: found[key] for key in ("win_rate", "ci95", "games", "wins", "deals_won")},
                "milliseconds_a_move": cost.milliseconds_a_move(games),
                "milliseconds_longest_move": 1000 * cost.longest,
            }
        )
    curve = {
        "game": arguments.game,
        "deals": arguments.deals,
        "seed": arguments.seed,
        "points": points,
        "command": command,
        "versions": versions(),
        "git": git_state(),
    }
    arguments.folder.mkdir(parents=True, exist_ok=True)
    write_json(arguments.folder / f"{arguments.game}.json", curve)
    files = [arguments.folder / f"{game}.json" for game in GAMES]
    draw([json.loads(file.read_text()) for file in files if file.exists()], arguments.folder / "curve.png")
    return curve


def draw(curves: Sequence[dict[str, Any]], file: Path) -> None:
    """Draws win rates with their 95 % intervals over the cost of a move, a panel a game.

    Args:
        curves: What ``measure`` returned.
        file: A PNG, written over.
    """
    figure = Figure(figsize=(10, 7), dpi=120, layout="constrained")
    panels = figure.subplots(2, 2, sharey=True, squeeze=False)
    for axes, curve in zip(panels.flat, curves, strict=False):
        points = curve["points"]
        costs = [point["milliseconds_a_move"] for point in points]
        rates = [point["win_rate"] for point in points]
        below = [point["win_rate"] - point["ci95"][0] for point in points]
        above = [point["ci95"][1] - point["win_rate"] for point in points]
        axes.plot(costs, rates, color="0.7", zorder=1)
        for x, y, low, high, point, marker in zip(costs, rates, below, above, points, cycle(_MARKERS), strict=False):
            axes.errorbar([x], [y], [[low], [high]], marker=marker, capsize=3, label=point["budget"].replace(",", ", "))
        axes.set_xscale("log")
        axes.set_xlim(min(costs) / 2, max(costs) * 2)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.legend(
            fontsize=8, loc="lower right" if max(rates) > _HALF else "upper left", title="budget", title_fontsize=8
        )
        axes.set_title(f"{game_title(curve['game'])}, deals {curve['deals']}")
        axes.grid(alpha=0.3)
    figure.supxlabel("milliseconds a move, one core")
    figure.supylabel("games won, hidden cards hidden, with 95 % intervals")
    figure.savefig(file)


if __name__ == "__main__":
    sys.exit(main())
