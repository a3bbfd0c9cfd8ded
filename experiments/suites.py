"""The suites of deals with verdicts, ``seeds/<game>/<suite>.csv``, and the solutions beside them: their files.

A suite has one row a deal: the deal number, the verdict (``won``, ``lost`` or ``unknown``), the length of the solution
(empty unless won) and the positions that the search visited. ``<suite>_solutions.csv`` has the actions of every deal
that is won, in base 64: two bytes an action, the lower byte first, in games of more than 256 actions, else one byte.
"""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solitaire_env import GAMES, ActionTable

SUITES = {"test": range(1_000), "validation": range(1_000, 2_000)}
"""The deals of each suite. Training draws deals from 1,000,000 up only."""

FOLDER = Path(__file__).resolve().parent.parent / "seeds"


class Label(NamedTuple):
    """What is known of a deal.

    Attributes:
        deal: Its number.
        verdict: ``won``, ``lost`` or ``unknown``.
        positions: Positions that the search visited.
        actions: A solution, empty unless won.
    """

    deal: int
    verdict: str
    positions: int
    actions: tuple[int, ...]


def suite_file(folder: Path, game: str, suite: str) -> Path:
    """Returns where a suite is."""
    return folder / game / f"{suite}.csv"


def solutions_file(folder: Path, game: str, suite: str) -> Path:
    """Returns where a suite's solutions are."""
    return folder / game / f"{suite}_solutions.csv"


def encode_actions(game: str, actions: Sequence[int]) -> str:
    """Returns a solution as it stands in a file."""
    return base64.b64encode(np.array(actions, _kind(game)).tobytes()).decode()


def decode_actions(game: str, text: str) -> tuple[int, ...]:
    """Returns the actions of a solution that stands in a file."""
    return tuple(np.frombuffer(base64.b64decode(text, validate=True), _kind(game)).tolist())


def write_suite(folder: Path, game: str, suite: str, labels: Iterable[Label]) -> None:
    """Writes a suite and its solutions, each file whole or not at all."""
    rows = sorted(labels)
    verdicts = [(x.deal, x.verdict, len(x.actions) or "", x.positions) for x in rows]
    solutions = [(x.deal, encode_actions(game, x.actions)) for x in rows if x.actions]
    (folder / game).mkdir(parents=True, exist_ok=True)
    _write(solutions_file(folder, game, suite), [("deal", "actions"), *solutions])
    _write(suite_file(folder, game, suite), [("deal", "verdict", "length", "positions"), *verdicts])


def read_suite(folder: Path, game: str, suite: str) -> list[Label]:
    """Reads a suite with its solutions.

    Raises:
        OSError: A file cannot be read.
        ValueError: The two files do not belong together; the message names the deal.
    """
    with solutions_file(folder, game, suite).open(newline="") as stream:
        solutions = {int(row["deal"]): decode_actions(game, row["actions"]) for row in csv.DictReader(stream)}
    labels = []
    with suite_file(folder, game, suite).open(newline="") as stream:
        for row in csv.DictReader(stream):
            actions = solutions.pop(int(row["deal"]), ())
            label = Label(int(row["deal"]), row["verdict"], int(row["positions"]), actions)
            if len(actions) != int(row["length"] or 0) or (label.verdict == "won") != bool(actions):
                raise ValueError(
                    f"{game}, {suite}, deal {label.deal}: the verdict and the solution do not belong together"
                )
            labels.append(label)
    if solutions:
        raise ValueError(f"{game}, {suite}: solutions of deals that the suite has not got: {sorted(solutions)}")
    return labels


def _kind(game: str) -> str:
    return "<u2" if ActionTable(GAMES[game]).n > 256 else "u1"


def _write(file: Path, rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    beside = file.with_name(file.name + ".part")
    beside.write_text(text.getvalue())
    beside.replace(file)
