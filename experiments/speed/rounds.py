"""Rounds in which every contender is measured once, in a new order each time, and what is made of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from experiments.speed.contenders import Contender
from experiments.speed.player import Player

Rates = dict[str, list[float]]
"""Steps per second of each contender, a number a round."""


def measure(contenders: Sequence[Contender], rounds: int, seconds: float, name: str) -> Rates:
    """Measures contenders side by side.

    What slows the machine down for a while slows all of them down, so ratios are taken within a round.

    Args:
        contenders: Who is measured; all of them are made before the first round and live to the last.
        rounds: Number of rounds.
        seconds: Time in the environment, for each contender and round.
        name: Stands by the progress bar.
    """
    players: dict[str, Player] = {}
    rates: Rates = {contender.key: [] for contender in contenders}
    order = [contender.key for contender in contenders]
    shuffle = random.Random(0).shuffle
    try:
        with tqdm(total=(rounds + 1) * len(contenders), desc=name, leave=False) as bar:
            for contender in contenders:
                players[contender.key] = contender.make()
                players[contender.key].play(seconds / 2)  # warm: compiled, memory touched
                bar.update()
            for _ in range(rounds):
                shuffle(order)
                for key in order:
                    sample = players[key].play(seconds)
                    rates[key].append(sample.steps / sample.seconds)
                    bar.update()
    finally:
        for player in players.values():
            player.close()
    return rates


def spread(values: Sequence[float]) -> dict[str, Any]:
    """Returns median, quartiles and the values themselves."""
    low, median, high = np.percentile(values, [25, 50, 75]).tolist()
    return {"median": median, "q1": low, "q3": high, "rounds": list(values)}


def ratio(rates: Rates, key: str, to: str) -> float | None:
    """Returns the median over rounds of one contender's rate over another's; None if either was not measured."""
    if key not in rates or to not in rates:
        return None
    return float(np.median(np.array(rates[key]) / np.array(rates[to])))
