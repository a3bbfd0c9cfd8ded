"""Writes ``docs/winnability.md``, how many deals can be won: ``python -m experiments.document_winnability``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.statistics import wilson_interval
from experiments.suites import FOLDER, SUITES, VERDICTS, Label, overrides_of, read_suite, suite_file, suites_of
from solitaire_env import GAMES
from solitaire_env.games import game_title

ROOT = Path(__file__).parent.parent
FILE = ROOT / "docs" / "winnability.md"
SPEED_FILE = ROOT / "experiments" / "results" / "solver_speed.json"

_INTRODUCTION = """# How many deals can be won

Written by `python -m experiments.document_winnability` from the suites in `seeds/`; a test keeps it up to date.

All cards are known, the stock's order included: this is the bound for every player, and no player who cannot see the
stock reaches it. *Won*: a solution is kept in `seeds/<game>/<suite>_solutions.csv`, and
`python -m experiments.verify_suites` plays every one of them in the environment. *Lost*: the complete search went
through every position that can be reached, less what is proven not to matter (`solitaire_env/solver/dominance.py`,
`deadlock.py` and `keys.py` have the proofs; the tests hold each against plain breadth-first search). *Undecided*: the
budget was used up. With each share its Wilson 95 % interval. Deals that are undecided may be either, so the share that
can be won lies between the first column and the first plus the third.
"""

_COLLISIONS = """## Can a verdict be wrong?

A win cannot: it is replayed. A loss could be claimed wrongly if two positions had the same 64-bit key, for then the
second would be held for seen. Among n positions that happens with a probability of at most n * n / 2^65. Over the
deals that are lost in all suites together, the sum of that bound is {bound:.0e}.
"""


def document(folder: Path = FOLDER) -> str:
    """Returns the text of the page."""
    labels = {
        (game, suite): read_suite(folder, game, suite)
        for game in GAMES
        for suite in suites_of(game)
        if suite_file(folder, game, suite).exists()
    }
    parts = [_INTRODUCTION, "## The games\n", _table({key: x for key, x in labels.items() if key[1] in SUITES})]
    parts += ["## What rule options do\n", _describe_options(labels)]
    if SPEED_FILE.exists():
        parts += ["## Budget and time\n", _describe_speed(json.loads(SPEED_FILE.read_text())["games"], labels)]
    lost = [x.positions for of_suite in labels.values() for x in of_suite if x.verdict == "lost"]
    parts.append(_COLLISIONS.format(bound=sum(n * n for n in lost) / 2**65))
    return "\n".join(parts)


def _table(labels: dict[tuple[str, str], list[Label]]) -> str:
    lines = [
        "| | deals | won | lost | undecided | budget, positions | solution, median (longest) |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (game, suite), of_suite in labels.items():
        deals = f"{of_suite[0].deal} to {of_suite[-1].deal}"
        columns = [f"{game_title(game)}, {suite}", deals, *_shares(of_suite), _budget(of_suite), _lengths(of_suite)]
        lines.append(f"| {' | '.join(columns)} |")
    return "\n".join(lines) + "\n"


def _describe_options(labels: dict[tuple[str, str], list[Label]]) -> str:
    parts = []
    for game in GAMES:
        options = {suite: x for (of, suite), x in labels.items() if of == game and suite not in SUITES}
        if not options or (game, "test") not in labels:
            continue
        n = max(map(len, options.values()))
        lines = [
            f"### {game_title(game)}, deals 0 to {n - 1}\n",
            "| rules | won | lost | undecided | budget, positions |",
            "| --- | --- | --- | --- | --- |",
        ]
        for suite, of_suite in {"test": labels[game, "test"][:n], **options}.items():
            name = f"`{json.dumps(overrides_of(game, suite))}`" if suite in options else "the game's own"
            lines.append(f"| {' | '.join([name, *_shares(of_suite), _budget(of_suite)])} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _describe_speed(figures: dict[str, Any], labels: dict[tuple[str, str], list[Label]]) -> str:
    lines = [
        "By `python -m experiments.solver_speed`, one thread; `experiments/results/solver_speed.json` has the machine.",
        "Times the kernel: what a move costs the search, over what making it costs the bare kernel.\n",
        "| | anytime, positions/s | times the kernel | complete, positions/s | times the kernel | a deal of `test` |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for game, of_game in figures.items():
        columns = [game_title(game)]
        for search in (of_game["anytime"], of_game["complete"]):
            columns += [f"{search['positions_per_second'] / 1e6:.2f} M", f"{search['times_the_bare_moves']:.1f}"]
        seconds = "-"
        if (game, "test") in labels:
            positions = [x.positions for x in labels[game, "test"]]
            seconds = f"{sum(positions) / len(positions) / of_game['anytime']['positions_per_second']:.2f} s"
        lines.append(f"| {' | '.join([*columns, seconds])} |")
    return "\n".join(lines) + "\n"


def _shares(labels: Sequence[Label]) -> list[str]:
    counts = Counter(x.verdict for x in labels)
    shares = []
    for verdict in VERDICTS:
        low, high = wilson_interval(counts[verdict], len(labels))
        shares.append(f"{counts[verdict] / len(labels):.1%} ({low * 100:.1f} to {high * 100:.1f})")
    return shares


def _budget(labels: Sequence[Label]) -> str:
    """The most positions that any deal was given: what the undecided ones used up, where there are any."""
    return f"{max(x.positions for x in labels) / 1e6:.1f} M"


def _lengths(labels: Sequence[Label]) -> str:
    lengths = sorted(len(x.actions) for x in labels if x.actions)
    return f"{lengths[len(lengths) // 2]} ({lengths[-1]})" if lengths else "-"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
    sys.exit(0)
