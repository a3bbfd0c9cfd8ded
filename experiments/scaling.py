"""Measures what docs/scaling.md reckons with: ``python -m experiments.scaling --ray auto``.

Deals labelled and games played by one core, in processor time, so that other programs on the machine change little; and
what the command itself spends on each parcel that Ray does and on each label that it keeps.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import torch

from agents.loading import load_agent
from experiments.command_line import Argument, check_positive, command_text, parse
from experiments.evaluation import play
from experiments.label_deals import Journal
from experiments.runs import git_state, write_json
from experiments.speed.figures import all_versions, machine
from experiments.spread import spread
from experiments.suites import FOLDER, read_suite, write_suite
from solitaire_env import GAMES
from solitaire_env.solver import solve

DESCRIPTION = """
Measures, in processor time of one core, the deals of each game that the solver labels, the games that the rule player
and the shipped policy play, and what a command spends on each parcel handed out over Ray and on each label kept. Writes
scaling.json.
"""

FIRST_DEAL = 2_000
"""The deals measured on are of no suite."""

LIMITS = {"coyote": 3_000_000, "swiss": 1_500_000, "courtyard": 1_500_000, "variegated_canfield": 1_500_000}
"""Positions after which the solver leaves a deal undecided here; in the test suites that is after 3 million."""

_AGENTS = ("rules", "pretrained")


@dataclasses.dataclass(frozen=True)
class ScalingArguments:
    """The command line of ``experiments.scaling``."""

    deals: Annotated[int, Argument("deals of each game that are labelled")] = 60
    games: Annotated[int, Argument("games that each player plays")] = 512
    parcels: Annotated[int, Argument("empty parcels that Ray is handed")] = 5_000
    labels: Annotated[int, Argument("labels that are written down")] = 20_000
    ray: Annotated[str | None, Argument("'local' or a cluster's address (default: no parcels)", "ADDRESS")] = None
    out: Annotated[Path, Argument("where the file is written", "FOLDER")] = Path(__file__).parent / "results"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(ScalingArguments, argv, "python -m experiments.scaling", DESCRIPTION)
    begun = machine()
    torch.set_num_threads(1)
    try:
        for name in ("deals", "games", "parcels", "labels"):
            check_positive(name, getattr(arguments, name))
        games: dict[str, dict[str, Any]] = {}
        for game in GAMES:
            games[game] = {"labelling": label(game, arguments.deals)}
            for name in _AGENTS:
                games[game][name] = play_with(name, game, arguments.games)
            print(f"{game}: {told(games[game])}", flush=True)
        keeping = keep(arguments.labels)
        print(f"labels: {told({'keeping': keeping})}", flush=True)
        parcels = hand_out(arguments.parcels, arguments.ray) if arguments.ray else None
        print(f"parcels: {told({'handing out': parcels}) if parcels else 'without --ray none'}", flush=True)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    content = {
        "command": command_text("python -m experiments.scaling", argv),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "git": git_state(),
        "machine": begun,
        "versions": all_versions(),
        "games": games,
        "keeping": keeping,
        "parcels": parcels,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_json(arguments.out / "scaling.json", content)
    return 0


def told(figures: dict[str, dict[str, Any]]) -> str:
    """Returns figures as a line."""
    parts = [
        f"{name}: " + ", ".join(f"{what} {value:,.4g}" for what, value in of.items()) for name, of in figures.items()
    ]
    return "; ".join(parts)


def label(game: str, number: int) -> dict[str, float]:
    """Returns how many positions the solver searches in a second of a core, and how many deals that labels.

    A few deals take most of the time, too few of them to be met in a short measurement: the positions searched for a
    deal are the mean of the test suite.
    """
    rules = GAMES[game]
    solve(FIRST_DEAL, rules, max_positions=5_000)  # compiled
    positions, start = 0, time.process_time()
    for deal in range(FIRST_DEAL, FIRST_DEAL + number):
        positions += solve(deal, rules, max_positions=LIMITS[game]).positions
    rate = positions / (time.process_time() - start)
    of_suite = [x.positions for x in read_suite(FOLDER, game, "test")]
    mean = sum(of_suite) / len(of_suite)
    return {"positions_per_second": rate, "positions_per_deal": mean, "deals_per_second": rate / mean}


def play_with(name: str, game: str, number: int) -> dict[str, float]:
    """Returns how many games an agent plays in a second of a core, side by side, and how many steps that is."""
    agent = load_agent(name, game)
    deals = range(FIRST_DEAL, FIRST_DEAL + number)
    play(agent, game, deals[:2], avoid_repeats=agent.avoid_repeats)  # compiled
    start = time.process_time()
    games = play(agent, game, deals, avoid_repeats=agent.avoid_repeats)
    seconds = time.process_time() - start
    return {"games_per_second": number / seconds, "steps_per_second": int(games.lengths.sum()) / seconds}


def keep(number: int) -> dict[str, float]:
    """Returns how many labels a command keeps in a second of a core, and the bytes of each in its files and memory."""
    game, deals = "coyote", range(number)
    solved = [x for x in read_suite(FOLDER, game, "test") if x.actions]
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "x.journal", {})
        start = time.process_time()
        for deal in deals:
            journal.add(solved[deal % len(solved)]._replace(deal=deal))
        seconds = time.process_time() - start
        tracemalloc.start()
        labels = Journal(Path(folder) / "x.journal", {}).labels  # as a command holds them until the end
        in_memory = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        write_suite(Path(folder), game, "x", labels)
        in_files = sum(file.stat().st_size for file in (Path(folder) / game).iterdir())
    return {
        "labels_per_second": number / seconds,
        "bytes_in_files": in_files / number,
        "bytes_in_memory": in_memory / number,
    }


def hand_out(number: int, address: str) -> dict[str, float]:
    """Returns how many empty parcels a command hands out and takes back over Ray in a second, by clock and by core."""
    results = spread(_nothing, range(number), ray=address)
    next(results)  # workers have started
    wall, core = time.monotonic(), time.process_time()
    done = sum(1 for _ in results)
    wall, core = time.monotonic() - wall, time.process_time() - core
    return {"per_second": done / wall, "per_second_of_a_core": done / core}


def _nothing(_: int) -> None:
    return None


if __name__ == "__main__":
    sys.exit(main())
