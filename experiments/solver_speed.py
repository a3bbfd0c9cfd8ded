"""Measures the solver against the bare kernel: ``python -m experiments.solver_speed``.

The kernel makes every legal move of positions met in random play: it lists the moves, and for each copies the position
and plays the move. The searches do the same and besides hash, look up, judge and order what they find; their tables are
as large as ``solve`` would make them. All are measured in turn in every round, in processor time of one thread, and
ratios are taken within a round.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from experiments.command_line import Argument, check_positive, command_text, parse
from experiments.runs import git_state, write_json
from experiments.speed.figures import all_versions, machine
from solitaire_env import GAMES
from solitaire_env.compilation import jit
from solitaire_env.dealing import new_deal
from solitaire_env.kernel import Mask, apply_action, legal_actions
from solitaire_env.layout import N_ACTIONS, SIZES, STATE_SIZE, STOCK, Spec, State, compile_rules
from solitaire_env.pile_sets import PileSets, make_pile_sets
from solitaire_env.solver import beam, depth_first, solve
from solitaire_env.solver.evaluation import weights_for
from solitaire_env.solver.facts import facts_of
from solitaire_env.solver.transposition import places_for
from solitaire_env.stacks import LOG_SIZE, Log

DESCRIPTION = """
Measures positions and moves per second of the anytime and the complete search on each game's deals, beside the moves
that the bare kernel makes, and writes them to solver_speed.json.
"""

FIRST_DEAL = 1_000
"""The deals searched begin with the validation suite's."""

_WALK = 100  # positions of a deal on which the kernel is measured
_WIDTH = 1_024


@dataclasses.dataclass(frozen=True)
class SpeedArguments:
    """The command line of ``experiments.solver_speed``."""

    rounds: Annotated[int, Argument("rounds")] = 5
    deals: Annotated[int, Argument("deals of each game that are searched in a round")] = 5
    positions: Annotated[int, Argument("positions of a deal that each search visits")] = 200_000
    out: Annotated[Path, Argument("where the file is written", "FOLDER")] = Path(__file__).parent / "results"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(SpeedArguments, argv, "python -m experiments.solver_speed", DESCRIPTION)
    try:
        for name in ("rounds", "deals", "positions"):
            check_positive(name, getattr(arguments, name))
        figures = {game: measure(game, arguments) for game in GAMES}
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("Millions a second, medians | kernel, moves | anytime: positions, moves, cost | complete: the same")
    for game, of_game in figures.items():
        columns = [f"{of_game['kernel_moves_per_second'] / 1e6:5.1f}"]
        for name in ("anytime", "complete"):
            of = of_game[name]
            rates = f"{of['positions_per_second'] / 1e6:5.2f} {of['moves_per_second'] / 1e6:5.2f}"
            columns.append(f"{rates} {of['times_the_bare_moves']:5.1f} x")
        print(f"{game:20} | {' | '.join(columns)}")
    content = {
        "command": command_text("python -m experiments.solver_speed", argv),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "git": git_state(),
        "machine": machine(),
        "versions": all_versions(),
        "games": figures,
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_json(arguments.out / "solver_speed.json", content)
    return 0


def measure(game: str, arguments: SpeedArguments) -> dict[str, Any]:
    """Returns a game's figures: medians over the rounds."""
    deals = range(FIRST_DEAL, FIRST_DEAL + arguments.deals)
    rows = _positions_of_random_play(game, deals)
    solve(FIRST_DEAL, GAMES[game], max_positions=5_000)  # compiled
    searches = {"anytime": _search_anytime, "complete": _search_all}
    kernel: list[float] = []
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in searches}
    for _ in tqdm(range(arguments.rounds), desc=game, leave=False):
        kernel.append(_kernel_rate(game, rows))
        for name, search in searches.items():
            positions, moves, seconds = np.sum([search(game, deal, arguments.positions) for deal in deals], axis=0)
            rates[name].append((positions / seconds, moves / seconds))
    figures: dict[str, Any] = {"kernel_moves_per_second": float(np.median(kernel))}
    for name, of_search in rates.items():
        positions_rate, moves_rate = np.array(of_search).T
        figures[name] = {
            "positions_per_second": float(np.median(positions_rate)),
            "moves_per_second": float(np.median(moves_rate)),
            "times_the_bare_moves": float(np.median(np.array(kernel) / moves_rate)),
        }
    return figures


def _positions_of_random_play(game: str, deals: range) -> NDArray[np.int8]:
    spec = compile_rules(GAMES[game])
    rng = np.random.default_rng(0)
    rows = []
    for deal in deals:
        state = new_deal(spec, deal)
        sets, mask, log = make_pile_sets(spec), np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
        for _ in range(_WALK):
            if not legal_actions(spec, state, sets, mask):
                break
            rows.append(state.copy())
            apply_action(spec, state, rng.choice(np.flatnonzero(mask)), log)
    return np.array(rows)


def _kernel_rate(game: str, rows: NDArray[np.int8]) -> float:
    spec = compile_rules(GAMES[game])
    sets, mask, log = make_pile_sets(spec), np.zeros(spec[N_ACTIONS], np.int8), np.zeros(LOG_SIZE, np.int16)
    child = np.empty(spec[STATE_SIZE], np.int8)
    _make_all_moves(spec, rows[:1], sets, mask, child, log)  # compiled
    moves, repeats = 0, 20
    start = time.thread_time()
    for _ in range(repeats):
        moves += _make_all_moves(spec, rows, sets, mask, child, log)
    return moves / (time.thread_time() - start)


@jit
def _make_all_moves(spec: Spec, rows: NDArray[np.int8], sets: PileSets, mask: Mask, child: State, log: Log) -> int:
    moves = 0
    for i in range(len(rows)):
        legal_actions(spec, rows[i], sets, mask)
        for action in range(len(mask)):
            if mask[action]:
                for j in range(len(child)):
                    child[j] = rows[i, j]
                apply_action(spec, child, action, log)
                moves += 1
    return moves


def _search_anytime(game: str, deal: int, limit: int) -> tuple[int, int, float]:
    """Positions, moves and seconds of one search."""
    rules = GAMES[game]
    spec = compile_rules(rules)
    root = new_deal(spec, deal)
    search = beam.new_beam(spec, facts_of(rules), root, _WIDTH, limit, places_for(limit))
    start = time.thread_time()
    beam.advance(spec, facts_of(rules), search, weights_for(rules), _WIDTH, int(root[SIZES + STOCK]), limit, limit)
    seconds = time.thread_time() - start
    return int(search.counters[beam.POSITIONS]), int(search.counters[beam.MOVES]), seconds


def _search_all(game: str, deal: int, limit: int) -> tuple[int, int, float]:
    rules = GAMES[game]
    spec = compile_rules(rules)
    root = new_deal(spec, deal)
    search = depth_first.new_descent(spec, facts_of(rules), root, 20_000, places_for(limit))
    search.table[:] |= np.uint64(0)  # the system hands it over now and not while the clock runs, as with the beam
    start = time.thread_time()
    depth_first.descend(spec, facts_of(rules), search, True, limit)
    seconds = time.thread_time() - start
    return int(search.counters[depth_first.POSITIONS]), int(search.counters[depth_first.MOVES]), seconds


if __name__ == "__main__":
    sys.exit(main())
