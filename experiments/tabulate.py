"""Plays the test suite with the players of the README's table and writes it: ``python -m experiments.tabulate``."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from experiments.command_line import Argument, check_positive, deal_range, parse
from experiments.compare import draw_bars
from experiments.evaluate import EvaluateArguments, evaluate
from experiments.evaluation import paired, suite_verdicts
from experiments.parallel import play_in_processes
from experiments.runs import write_json, write_whole
from experiments.statistics import wilson_interval
from solitaire_env import GAMES
from solitaire_env.games import game_title

DESCRIPTION = """
Evaluates random play, the rule player and the shipped models on the test suite, all with hidden cards hidden and
without search; compares the models with the rule player deal by deal; writes each result to a file under --results,
draws them beside the solver's wins, and writes the table of them into the README. The files of the search player and
of plain PPO are taken as they are, and so is what a move costs, unless --costs measures it anew. The same code gives
the same table to the last digit.
"""

README = Path(__file__).resolve().parent.parent / "README.md"
RESULTS = Path(__file__).parent / "results" / "test_suite"
FIRST_LINE, LAST_LINE = "<!-- written by experiments.tabulate -->", "<!-- as far as here -->"

SEARCH = "search"
"""The player that thinks: its games take hours, so that its files are read and not made anew."""

PLAIN_PPO = "plain_ppo"
"""PPO without masks, trained on one game to show what masks are worth; its model is not shipped."""

PLAYERS = {
    "random": "random, legal moves",
    "rules": "rule player, repeats masked",
    "pretrained": "shipped MaskablePPO, repeats masked",
}

COSTS_FILE = "costs.json"
_DEALS_TIMED = 40


@dataclasses.dataclass(frozen=True)
class TabulateArguments:
    """The command line of ``experiments.tabulate``."""

    deals: Annotated[str, Argument("the deals", "FIRST:END")] = "0:1000"
    results: Annotated[Path, Argument("where the files of results are", "FOLDER")] = RESULTS
    readme: Annotated[Path, Argument("the file that holds the table", "FILE")] = README
    costs: Annotated[bool, Argument("measures what a move costs, on a machine that has nothing else to do")] = False
    processes: Annotated[int, Argument("deals are shared out among; the figures do not depend on it")] = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(TabulateArguments, argv, "python -m experiments.tabulate", DESCRIPTION)
    try:
        check_positive("processes", arguments.processes)
        deal_range(arguments.deals)
        _split(arguments.readme)  # what has no place for the table is told before the games, not after
        arguments.results.mkdir(parents=True, exist_ok=True)
        results = {(player, game): _play(arguments, player, game) for player in PLAYERS for game in GAMES}
        results |= read_results(arguments.results, SEARCH) | read_results(arguments.results, PLAIN_PPO)
        if arguments.costs:
            write_json(arguments.results / COSTS_FILE, measure_costs(results))
        table = table_of(results, read_costs(arguments.results))
        before, after = _split(arguments.readme)  # as it is now: it may have been edited while games were played
        write_whole(arguments.readme, f"{before}{FIRST_LINE}\n{table}\n{LAST_LINE}{after}".encode())
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    title = f"Deals {arguments.deals} won, hidden cards hidden, no search; whiskers: 95 % intervals"
    draw_bars(_bars(results, deal_range(arguments.deals)), title, arguments.results.with_suffix(".png"))
    print(table)
    return 0


def table_of(results: dict[tuple[str, str], dict[str, Any]], costs: dict[str, dict[str, float]]) -> str:
    """Returns the table of results, in Markdown.

    Args:
        results: What ``evaluate`` returned for each player of ``PLAYERS`` and each game; perhaps for other players.
        costs: By player and game, milliseconds a move.
    """
    rows: list[tuple[str, list[str]]] = []

    def add(player: str, name: str) -> None:
        rows.append((name, [_share_or_none(results.get((player, game))) for game in GAMES]))
        if player in costs:
            rows.append(("... milliseconds a move, one core", [f"{costs[player][game]:.2g}" for game in GAMES]))

    for player in ("random", "rules"):
        add(player, PLAYERS[player])
    if any(player == PLAIN_PPO for player, _ in results):
        add(PLAIN_PPO, "PPO that learned without masks")
    add("pretrained", PLAYERS["pretrained"])
    shipped = [results["pretrained", game] for game in GAMES]
    rows.append(("... of the deals known to be solvable", [_share_of_solvable(of["of_solvable"]) for of in shipped]))
    rows.append(("... less the rule player, same deals", [_difference(of["against"]["paired"]) for of in shipped]))
    if all((SEARCH, game) in results for game in GAMES):
        searched = [results[SEARCH, game] for game in GAMES]
        add(SEARCH, "search player, deals " + ", ".join(dict.fromkeys(of["deals"] for of in searched)))
        pairs = [_difference(_compare(of, other)) for of, other in zip(searched, shipped, strict=True)]
        rows.append(("... less the shipped MaskablePPO, same deals", pairs))
    bounds = [_bound(game, deal_range(results["random", game]["deals"])) for game in GAMES]
    rows.append(("solver, all cards known, at least", list(map(_share_or_none, bounds))))
    lines = ["| | " + " | ".join(game_title(game) for game in GAMES) + " |", "| --- " * (1 + len(GAMES)) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows)])


def _compare(of: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Compares two results on the deals of the first, which the second has played too."""
    deals = deal_range(of["deals"])
    return paired(np.isin(deals, of["deals_won"]), np.isin(deals, other["deals_won"]))


def measure_costs(results: dict[tuple[str, str], dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Returns by player and game how many milliseconds of one core a move costs, many games being played side by side.

    The deals are validation deals, so that the search player's test deals need not be played again; its budget is that
    of its results.
    """
    costs: dict[str, dict[str, float]] = {player: {} for player in (*PLAYERS, SEARCH)}
    deals = range(1000, 1000 + _DEALS_TIMED)
    for player, of in costs.items():
        for game in GAMES:
            avoid = player != "random"
            name = results.get((player, game), {}).get("agent", player)
            games, cost = play_in_processes(name, game, deals, avoid_repeats=avoid, label=f"{name}, {game}")
            of[game] = round(cost.milliseconds_a_move(games), 5)
    return costs


def read_results(folder: Path, player: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Returns a player's results as they are in the folder, of the games of which there are any."""
    files = {(player, game): folder / f"{player}_{game}.json" for game in GAMES}
    return {key: json.loads(file.read_text()) for key, file in files.items() if file.exists()}


def read_costs(folder: Path) -> dict[str, dict[str, float]]:
    """Returns the milliseconds a move by player and game, as they are in the folder; nothing if they are not there."""
    file = folder / COSTS_FILE
    return json.loads(file.read_text()) if file.exists() else {}


def _bound(game: str, deals: range) -> dict[str, Any] | None:
    """Returns the share of deals that the solver wins, in the form of a result; None if no suite has the deals."""
    verdicts = suite_verdicts(game, deals)
    if verdicts is None:
        return None
    wins = verdicts.count("won")
    return {"win_rate": wins / len(deals), "ci95": wilson_interval(wins, len(deals))}


def _play(arguments: TabulateArguments, player: str, game: str) -> dict[str, Any]:
    asked = EvaluateArguments(
        agent=player,
        game=game,
        deals=arguments.deals,
        json=arguments.results / f"{player}_{game}.json",
        against="rules" if player == "pretrained" else None,
        processes=arguments.processes,
    )
    command = f"python -m experiments.evaluate --game {game} --agent {player} --deals {arguments.deals}"
    return evaluate(asked, command + (f" --against {asked.against}" if asked.against else ""))


def _bars(
    results: dict[tuple[str, str], dict[str, Any]], deals: range
) -> dict[str, dict[str, tuple[float, float, float] | None]]:
    """Returns what is drawn: each player's share, and beside it the deals that the solver, who sees all cards, wins."""
    bars: dict[str, dict[str, tuple[float, float, float] | None]] = {}
    for game in GAMES:
        bars[game] = {name: _bar(results[player, game]) for player, name in PLAYERS.items()}
        bound = _bound(game, deals)
        bars[game]["solver, all cards known (at least)"] = None if bound is None else _bar(bound)
    return bars


def _bar(of: dict[str, Any]) -> tuple[float, float, float]:
    low, high = of["ci95"]
    return of["win_rate"], low, high


def _split(readme: Path) -> tuple[str, str]:
    text = readme.read_text()
    before, first, rest = text.partition(FIRST_LINE)
    _, last, after = rest.partition(LAST_LINE)
    if not first or not last:
        raise ValueError(f"{readme} has no place for the table: it begins at {FIRST_LINE!r} and ends at {LAST_LINE!r}")
    return before, after


def _share(of: dict[str, Any]) -> str:
    low, high = of["ci95"]
    return f"{of['win_rate']:.1%} ({low:.1%} to {high:.1%})".replace("%", " %")


def _share_or_none(of: dict[str, Any] | None) -> str:
    return "-" if of is None else _share(of)


def _share_of_solvable(of: dict[str, Any] | None) -> str:
    if of is None or of["share"] is None:
        return "-"
    return f"{of['share']:.1%} of {of['deals']}".replace("%", " %")


def _difference(of: dict[str, Any]) -> str:
    low, high = of["ci95"]
    return f"{of['difference']:+.1%} ({low:+.1%} to {high:+.1%})".replace("%", " %")


if __name__ == "__main__":
    sys.exit(main())
