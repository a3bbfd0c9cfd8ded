"""How every plot of the project looks: colours, paper, axes, and how it is written.

A plot brings its own white paper with it, edge to edge, so that it reads alike on a light and on a dark page. The
colours are told apart by people who see no red, no green or no blue, and in grey; what they mean is also written in
words.
"""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK, PAPER, GRID = "#1f2328", "#ffffff", "#d0d7de"

OURS, OTHERS = "#0969da", "#8c959f"
"""What a plot is about, and what it is compared with."""

SERIES = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#9a6700", "#57606a")
"""Colours of lines and groups that are of equal interest, in this order."""

DOTS_PER_INCH = 120


def new_figure(width: float, height: float) -> Figure:
    """Returns an empty figure on its paper; width and height are in inches."""
    return Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained", facecolor=PAPER)


def dress(axes: Axes, *, grid: bool = False) -> None:
    """Gives axes the common look: two spines, ink for all that is read, perhaps a grid behind the data."""
    axes.set_facecolor(PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(colors=INK, labelcolor=INK)
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
        text.set_color(INK)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(color=GRID, linewidth=0.8)


def save(figure: Figure, file: Path) -> None:
    """Writes a figure as a PNG, whole or not at all."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", facecolor=PAPER)
    beside = file.with_name(file.name + ".part")
    beside.write_bytes(drawn.getvalue())
    beside.replace(file)
