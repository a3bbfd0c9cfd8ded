"""Memory that the vector environment keeps."""

from __future__ import annotations

import numpy as np

from solitaire_env.registration import MAX_EPISODE_STEPS
from solitaire_env.rows import Rows
from solitaire_env.settings import read_settings

_SIZE = 1_024


def bytes_per_env(game: str, *, avoid_repeats: bool) -> dict[str, int]:
    """Returns the bytes of each array that the engine keeps, an env, and their sum as ``total``.

    With ``avoid_repeats`` it is what is kept at first; the memory of positions doubles when it is full.
    """
    settings = read_settings(game, None, "recall", "progress", 0.01, avoid_repeats)
    rows = Rows(settings, _SIZE, MAX_EPISODE_STEPS[game], 1)
    arrays = {name.strip("_"): value for name, value in vars(rows).items() if isinstance(value, np.ndarray)}
    sizes = {name: array.nbytes // _SIZE for name, array in arrays.items()}
    return {**sizes, "total": sum(sizes.values())}
