"""The figures of a run, JSON-able, made of what was measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

from experiments.runs import versions
from experiments.speed.contenders import (
    BASELINES,
    LARGE,
    SIZE,
    Contender,
    bytes_handed_out,
    copy_key,
    vector_key,
)
from experiments.speed.memory import bytes_per_env
from experiments.speed.rounds import Rates, ratio, spread

LINEAR_FROM = 64
"""The number of envs from which the cost a step should no longer depend on it."""


def game_figures(game: str, contenders: list[Contender], rates: Rates, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Returns all that was found out about stepping a game."""
    rows = {
        contender.key: {
            "label": contender.label,
            "envs": contender.envs,
            "threads": contender.threads,
            "steps_per_second": spread(rates[contender.key]),
            "ratio_to": {base: ratio(rates, contender.key, base) for base in BASELINES},
        }
        for contender in contenders
    }
    vector, costs = vector_key(SIZE), _relative_cost(rates, sizes)
    return {
        "contenders": rows,
        "relative_cost": costs,
        "off_a_line": _off_a_line(costs),
        "avoid_repeats_cost": ratio(rates, vector, vector_key(SIZE, avoid_repeats=True)),
        "copy_bound": _copy_bound(game, rates),
        "bytes_handed_out_a_step": bytes_handed_out(game),
        "bytes_per_env": {
            "plain": bytes_per_env(game, avoid_repeats=False),
            "avoid_repeats": bytes_per_env(game, avoid_repeats=True),
        },
    }


def machine() -> dict[str, Any]:
    """Returns what the figures were measured on."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text().splitlines() if cpu_info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "load_average": list(os.getloadavg()),
    }


def all_versions() -> dict[str, str]:
    """Returns the versions of all that was measured, as far as it is installed."""
    found = versions()
    for library in ("open_spiel", "envpool"):
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def targets(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns what is asked of the figures, and whether they keep it; only what was measured."""
    found: list[dict[str, Any]] = []

    def add(what: str, game: str | None, value: float | None, least: float | None, most: float | None) -> None:
        if value is None:
            return
        met = (least is None or value >= least) and (most is None or value <= most)
        found.append({"what": what, "game": game, "value": value, "least": least, "most": most, "met": met})

    for game, figures in result.get("games", {}).items():
        rows = figures["contenders"]
        vector, single = rows.get(vector_key(SIZE)), rows.get("single")
        if vector:
            add("vector env over OpenSpiel", game, vector["ratio_to"]["openspiel"], 15, None)
            add("vector env over envpool Taxi", game, vector["ratio_to"]["envpool_taxi"], 1, None)
        if single:
            add("single env over Taxi, gym.make", game, single["ratio_to"]["taxi"], 2, None)
        add("cost by number of envs, off a straight line", game, figures["off_a_line"], None, 0.3)
        add("cost of avoid_repeats, times", game, figures["avoid_repeats_cost"], None, 3)
    for learner, adapters in result.get("training", {}).items():
        ours = adapters["SolitaireVecEnv"]
        add(f"{learner} learner: environment's share", "coyote", ours["environment_share"]["median"], None, 0.05)
        if learner == "light":
            add(f"{learner} learner: speed over DummyVecEnv", "coyote", ours["speedup_over_dummy"], 1.5, None)
    startup = result.get("startup")
    if startup:
        add("warm import, make, reset, seconds", None, startup["warm_seconds"]["median"], None, 2)
        if "cold_seconds" in startup:
            add("cold compile, seconds", None, startup["cold_seconds"]["both"], None, 30)
            lines = len(startup["cold_seconds"]["message"].splitlines())
            add("cold compile, lines to stderr", None, lines, 1, 1)
    return found


def _relative_cost(rates: Rates, sizes: tuple[int, ...]) -> dict[str, float]:
    """Returns the cost of a step, one thread, by number of envs, relative to the cheapest; medians."""
    costs = {size: 1 / spread(rates[vector_key(size)])["median"] for size in sizes if size >= LINEAR_FROM}
    return {str(size): cost / min(costs.values()) for size, cost in costs.items()}


def _off_a_line(relative_cost: dict[str, float]) -> float | None:
    """Returns how far the cost of a call is off one that grows in proportion to the number of envs.

    The share of what that line says by which it is missed at worst, for the line that it is smallest for.
    """
    costs = relative_cost.values()
    return (max(costs) - min(costs)) / (max(costs) + min(costs)) if costs else None


def _copy_bound(game: str, rates: Rates) -> dict[str, Any]:
    """Returns how near steps come to a plain copy of what they hand out.

    ``reached`` is the bound's time over the step's: 1 would be a step that takes no longer than the copy. Default
    steps stand against a copy into new memory, those of ``copy=False`` against one into the same memory every time.
    """
    each, bounds = bytes_handed_out(game), {}
    for size in (SIZE, LARGE):
        for fresh, key in ((True, vector_key(size)), (False, vector_key(size, copy=False))):
            copying = copy_key(size, fresh=fresh)
            reached = ratio(rates, key, copying)
            if reached is None:
                continue
            copies = spread(rates[copying])["median"]
            bounds[key] = {
                "bytes_per_step": each,
                "gigabytes_per_second": each * copies / 1e9,
                "bound_nanoseconds": 1e9 / copies,
                "step_nanoseconds": 1e9 / spread(rates[key])["median"],
                "reached": reached,
            }
    return bounds
