"""The learning curve of a run, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from experiments.plot_style import INK, SERIES, dress, new_figure, save
from experiments.runs import Progress

_WINDOW = 1 / 20  # of the rollouts, for the smooth line


def draw_curve(progress: Sequence[Progress], title: str, deck_size: int, file: Path) -> None:
    """Draws win rate and mean foundation cards of the training episodes over steps, raw and smoothed.

    Args:
        progress: The rollouts, in order; those in which no episode ended are left out.
        title: Stands above.
        deck_size: The most foundation cards that there can be.
        file: A PNG, written over, whole or not at all.
    """
    rows = [row for row in progress if row.episodes]
    steps = np.array([row.steps for row in rows])
    episodes = np.array([row.episodes for row in rows])
    figure = new_figure(8, 6)
    rate, cards = figure.subplots(2, 1, sharex=True)
    for axes, sums, name, colour in (
        (rate, [row.wins for row in rows], "games won", SERIES[0]),
        (cards, [row.foundation_cards for row in rows], "foundation cards", SERIES[1]),
    ):
        values = np.array(sums)
        if rows:
            axes.plot(steps, values / episodes, ".", color=colour, alpha=0.3, label="each rollout")
            smooth = _moving_sum(values) / _moving_sum(episodes)
            axes.plot(steps, smooth, color=colour, linewidth=2, label="smoothed")
            axes.legend(loc="lower right", labelcolor=INK)
        axes.set_ylabel(name)
    rate.set_ylim(0, 1)
    rate.yaxis.set_major_formatter(PercentFormatter(1))
    cards.set_ylim(0, deck_size)
    cards.xaxis.set_major_locator(MaxNLocator(nbins=8))
    cards.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    cards.set_xlabel("training steps")
    rate.set_title(title)
    for axes in (rate, cards):
        dress(axes, grid=True)
    save(figure, file)


def _moving_sum(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns sums over the window that ends at each value."""
    window = max(1, round(len(values) * _WINDOW))
    totals = np.concatenate([np.zeros(window, np.int64), values.cumsum()])
    sums: NDArray[np.int64] = totals[window:] - totals[:-window]
    return sums
