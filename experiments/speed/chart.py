"""The figures of a run as a bar chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.plot_style import INK, OTHERS, OURS, dress, new_figure, save
from experiments.speed.contenders import PROCESSES, SIZE, vector_key
from solitaire_env.games import game_title

# Key and name of each bar, from the top down.
_BARS = {
    vector_key(SIZE, 2): f"ours, {SIZE:,} envs, 2 threads",
    vector_key(SIZE): f"ours, {SIZE:,} envs, 1 thread",
    "envpool_taxi": f"envpool Taxi, {SIZE:,} envs, 1 thread",
    "openspiel": "OpenSpiel solitaire",
    "cartpole": "Gymnasium CartPole",
    "single": "ours, 1 env, gym.make",
    "taxi": "Gymnasium Taxi",
    f"sync/n={PROCESSES}": f"ours, SyncVectorEnv of {PROCESSES}",
    f"subproc/n={PROCESSES}": f"ours, SubprocVecEnv of {PROCESSES}",
}


def draw_chart(games: dict[str, Any], file: Path) -> None:
    """Draws steps per second, a panel a game: medians, with whiskers from quartile to quartile.

    Args:
        games: The figures of each game.
        file: A PNG, written over, whole or not at all.
    """
    columns = min(2, len(games))
    lines = -(-len(games) // columns)
    figure = new_figure(1 + 5.5 * columns, 0.8 + 3.2 * lines)
    panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).flat
    fastest = 0.0
    for axes, (game, figures) in zip(panels, games.items(), strict=False):
        rows = {key: figures["contenders"].get(key) for key in _BARS}
        for place, (key, name) in enumerate(_BARS.items()):
            row = rows[key]
            if row is None:
                continue
            rate = row["steps_per_second"]
            fastest = max(fastest, rate["q3"])
            whiskers = [[rate["median"] - rate["q1"]], [rate["q3"] - rate["median"]]]
            colour = OURS if name.startswith("ours") else OTHERS
            axes.barh(place, rate["median"], xerr=whiskers, color=colour, ecolor=INK, height=0.7)
            axes.annotate(
                _millions(rate["median"]),
                (rate["q3"], place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                color=INK,
                fontsize=9,
            )
        axes.set_title(game_title(game))
        axes.set_yticks(range(len(_BARS)), list(_BARS.values()))
        dress(axes)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M")
    for axes in list(panels)[len(games) :]:
        axes.set_visible(False)
    first = figure.axes[0]
    first.invert_yaxis()  # shared by all
    first.set_xlim(0, fastest * 1.15)
    figure.supxlabel("steps per second, random legal play with observation and mask", color=INK)
    save(figure, file)


def _millions(value: float) -> str:
    return f"{value / 1e6:.2f} M" if value >= 1e6 else f"{value / 1e3:.0f} k"
