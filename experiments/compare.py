"""Draws learning curves of several runs, with their spread over seeds: ``python -m experiments.compare``."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from experiments.command_line import Argument, parse
from experiments.plot_style import INK, SERIES, dress, new_figure, save
from experiments.runs import Progress, read_progress
from solitaire_env.games import game_title

DESCRIPTION = """
Draws the win rate of the training episodes over steps, a line for each group of runs (the mean over its seeds, with a
band from the lowest to the highest), as in --groups "MaskablePPO=runs/a,runs/b; PPO without masks=runs/c".
"""

_POINTS = 60  # of a curve: shares are taken over the episodes between two of them


@dataclasses.dataclass(frozen=True)
class CompareArguments:
    """The command line of ``experiments.compare``."""

    groups: Annotated[str, Argument("names and runs of each group", "NAME=RUN,RUN;...")]
    file: Annotated[Path, Argument("the picture, a PNG", "FILE")]
    title: Annotated[str, Argument("stands above")] = ""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(CompareArguments, argv, "python -m experiments.compare", DESCRIPTION)
    try:
        groups = {name: [_read(Path(run)) for run in runs] for name, runs in read_groups(arguments.groups).items()}
        draw_curves(groups, arguments.title, arguments.file)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def read_groups(text: str) -> dict[str, list[str]]:
    """Reads ``"a=x,y; b=z"``.

    Raises:
        ValueError: It is not of that form.
    """
    groups = {}
    for part in text.split(";"):
        name, equals, runs = part.partition("=")
        folders = [run.strip() for run in runs.split(",")]
        if not equals or not name.strip() or not all(folders):
            raise ValueError(f"groups is {text!r}: allowed is NAME=RUN,RUN;NAME=RUN")
        groups[name.strip()] = folders
    return groups


def win_rates(progress: Sequence[Progress], steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns the share of games won between each two of the given numbers of steps; NaN where none ended."""
    at = np.array([row.steps for row in progress])
    rates = np.full(len(steps) - 1, np.nan)
    for i, (first, last) in enumerate(itertools.pairwise(steps.tolist())):
        rows = [row for row, step in zip(progress, at, strict=True) if first < step <= last]
        episodes = sum(row.episodes for row in rows)
        if episodes:
            rates[i] = sum(row.wins for row in rows) / episodes
    return rates


def draw_curves(groups: Mapping[str, Sequence[Sequence[Progress]]], title: str, file: Path) -> None:
    """Draws a curve a group.

    Args:
        groups: The progress of each run of each group.
        title: Stands above.
        file: A PNG, written over, whole or not at all.
    """
    figure = new_figure(8, 4.5)
    axes = figure.subplots()
    for (name, runs), colour in zip(groups.items(), SERIES, strict=False):
        last = min(run[-1].steps for run in runs)
        steps = np.linspace(0, last, min(_POINTS, len(runs[0])) + 1).astype(np.int64)
        rates = np.array([win_rates(run, steps) for run in runs])
        shown = ~np.isnan(rates).any(axis=0)
        at, rates = steps[1:][shown], rates[:, shown]
        label = name if len(runs) == 1 else f"{name}, {len(runs)} seeds"
        axes.plot(at, rates.mean(axis=0), color=colour, linewidth=2, label=label)
        if len(runs) > 1:
            axes.fill_between(at, rates.min(axis=0), rates.max(axis=0), color=colour, alpha=0.2, linewidth=0)
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M")
    axes.set_xlabel("training steps")
    axes.set_ylabel("training episodes won")
    axes.set_title(title)
    dress(axes, grid=True)
    axes.legend(loc="best", frameon=False)
    save(figure, file)


def draw_bars(shares: Mapping[str, Mapping[str, tuple[float, float, float] | None]], title: str, file: Path) -> None:
    """Draws grouped bars with whiskers.

    Args:
        shares: For each game, for each kind of bar, a share and the ends of its interval; None leaves the bar out.
        title: Stands above.
        file: A PNG, written over, whole or not at all.
    """
    figure = new_figure(10, 4.5)
    axes = figure.subplots()
    names = list(dict.fromkeys(name for bars in shares.values() for name in bars))
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        for place, bars in enumerate(shares.values()):
            bar = bars.get(name)
            if bar is None:
                continue
            share, low, high = bar
            at = place + (i - (len(names) - 1) / 2) * width
            label = name if name not in axes.get_legend_handles_labels()[1] else None
            axes.bar(at, share, width * 0.92, color=SERIES[i % len(SERIES)], label=label)
            axes.errorbar(at, share, yerr=[[share - low], [high - share]], color=INK, capsize=2)
            axes.annotate(
                f"{share:.1%}", (at, high), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8
            )
    axes.set_xticks(range(len(shares)), [game_title(game) for game in shares])
    axes.set_ylim(0, 1.25)  # room for the legend
    axes.set_yticks(np.arange(6) / 5)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylabel("deals won")
    axes.set_title(title)
    dress(axes)
    axes.legend(loc="upper right", ncols=2, frameon=False)
    save(figure, file)


def _read(run: Path) -> list[Progress]:
    progress = read_progress(run)
    if not progress:
        raise FileNotFoundError(f"{run} is no run with progress to draw")
    return progress


if __name__ == "__main__":
    sys.exit(main())
