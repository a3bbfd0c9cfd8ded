"""A winning line of each game, found by ``solitaire_env.solver.solve``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Line(NamedTuple):
    deal: int
    actions: tuple[int, ...]


WINNING = {
    game: Line(line["deal"], tuple(line["actions"]))
    for game, line in json.loads(Path(__file__).with_name("winning_lines.json").read_text()).items()
}
