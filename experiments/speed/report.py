"""The figures of a run as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from experiments.speed.contenders import BASELINES


def report(result: dict[str, Any]) -> str:
    """Returns all figures of a run as tables."""
    return "\n".join(_lines(result))


def game_report(game: str, figures: dict[str, Any]) -> str:
    """Returns the figures of one game as tables."""
    heads = ("envs", "threads", "steps/s", "quartiles", *(f"x {name}" for name in BASELINES.values()))
    rows = [
        (
            row["label"],
            f"{row['envs']:,}",
            f"{row['threads']}",
            _count(row["steps_per_second"]["median"]),
            _quartiles(row["steps_per_second"]),
            *(_times(row["ratio_to"][base]) for base in BASELINES),
        )
        for row in figures["contenders"].values()
    ]
    lines = [_table((game, *heads), rows), ""]
    costs = ", ".join(f"{int(size):,}: {cost:.2f}" for size, cost in figures["relative_cost"].items())
    lines.append(f"cost a step by number of envs, relative to the cheapest: {costs}")
    if figures["off_a_line"] is not None:
        lines.append(f"cost of a call, off one in proportion to the number of envs: {figures['off_a_line']:.0%}")
    if figures["avoid_repeats_cost"] is not None:
        lines.append(f"cost of a step with avoid_repeats over one without: {figures['avoid_repeats_cost']:.2f}")
    for key, bound in figures["copy_bound"].items():
        lines.append(
            f"{key}: {bound['bytes_per_step']} bytes a step at {bound['gigabytes_per_second']:.1f} GB/s copied take "
            f"{bound['bound_nanoseconds']:.0f} ns, a step {bound['step_nanoseconds']:.0f} ns: {bound['reached']:.0%}"
        )
    kept = figures["bytes_per_env"]
    lines.append(
        f"bytes an env: {kept['plain']['total']:,}, with avoid_repeats {kept['avoid_repeats']['total']:,} at first"
    )
    return "\n".join(lines)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    for game, figures in result.get("games", {}).items():
        yield game_report(game, figures) + "\n"
    for learner, adapters in result.get("training", {}).items():
        rows = [
            (
                name,
                _count(row["steps_per_second"]["median"]),
                _quartiles(row["steps_per_second"]),
                f"{row['environment_share']['median']:.1%}",
                f"{row['speedup_over_dummy']:.2f}",
                _count(row["rollout_steps_per_second"]["median"]),
                f"{row['rollout_speedup_over_dummy']:.2f}",
            )
            for name, row in adapters.items()
        ]
        heads = (
            f"MaskablePPO on Coyote, {learner} learner",
            "steps/s",
            "quartiles",
            "in the environment",
            "x DummyVecEnv",
            "rollouts alone",
            "x DummyVecEnv",
        )
        yield _table(heads, rows) + "\n"
    if "startup" in result:
        startup = result["startup"]
        yield f"import: {startup['import_seconds']['median']:.2f} s"
        yield f"warm import, make and reset: {startup['warm_seconds']['median']:.2f} s"
        if "cold_seconds" in startup:
            cold = startup["cold_seconds"]
            yield (
                f"cold compile: single env {cold['single']:.1f} s, then vector env {cold['vector']:.1f} s, "
                f"both {cold['both']:.1f} s; stderr: {cold['message']!r}"
            )
        yield ""
    if result["targets"]:
        asked = [
            (
                row["what"],
                row["game"] or "",
                f"{row['value']:.3g}",
                f"{'>=' if row['least'] is not None else '<='} {row['most'] if row['least'] is None else row['least']}",
                "met" if row["met"] else "MISSED",
            )
            for row in result["targets"]
        ]
        yield _table(("target", "game", "value", "asked", ""), asked)
    for note in result["skipped"]:
        yield f"note: {note}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    lines = []
    for row in (heads, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _count(value: float) -> str:
    """Writes a number with three digits that count."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}" if value < 999.5 * size else f"{value / size:,.0f}{unit}"
    return f"{value:.3g}"


def _quartiles(values: dict[str, Any]) -> str:
    return f"{_count(values['q1'])}-{_count(values['q3'])}"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"
