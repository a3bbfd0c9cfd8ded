"""The suites of deals with verdicts, ``seeds/<game>/<suite>.csv``, and the solutions beside them.

Each game has the suites ``test`` and ``validation`` under its own rules, and one a rule option worth knowing.

A suite has one row a deal: the deal number, the verdict (``won``, ``lost`` or ``unknown``), the length of the solution
(empty unless won) and the positions that the search visited. ``<suite>_solutions.csv`` has the actions of every deal
that is won, in base 64: two bytes an action, the lower byte first, in games of more than 256 actions, else one byte.
"""

from __future__ import annotations

import base64
import csv
import functools
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solitaire_env import GAMES, ActionTable, Rules

SUITES = {"test": range(1_000), "validation": range(1_000, 2_000)}
"""The deals of each suite under a game's own rules. Training draws deals from 1,000,000 up only."""

OPTION_DEALS = range(200)
"""The deals of each suite under a rule option."""

_REDEALS: dict[str, dict[str, Any]] = {
    "redeals_0": {"redeals": 0},
    "redeals_1": {"redeals": 1},
    "redeals_2": {"redeals": 2},
    "redeals_unlimited": {"redeals": None},
}

OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "coyote": {
        "reserve_13": {"reserve": 13, "refill": "reserve"},
        "any_suffix": {"moves": "any_suffix"},
        "foundation_returns": {"foundation_returns": True},
        **_REDEALS,
    },
    "swiss": {
        "corner_ring": {"corner": "ring"},
        "corner_ace_high": {"corner": "ace_high"},
        "no_foundation_returns": {"foundation_returns": False},
        **_REDEALS,
    },
    "courtyard": {
        "spaces_any": {"spaces": "any"},
        "refill_waste_then_stock": {"refill": "waste_then_stock"},
        **_REDEALS,
    },
    "variegated_canfield": {
        "whole_piles": {"moves": "top_or_pile"},
        "no_stock_to_space": {"stock_to_space": False},
        **_REDEALS,
    },
}
"""By game and name: the rule fields that an option changes. The one that changes nothing is the game's own rules."""

FOLDER = Path(__file__).resolve().parent.parent / "seeds"


Columns = dict[str, Callable[[str], Any]]
"""Of a file: the names of its columns, and what makes a value of an entry's text."""


VERDICTS = ("won", "lost", "unknown")


class Label(NamedTuple):
    """What is known of a deal.

    Attributes:
        deal: Its number.
        verdict: One of ``VERDICTS``.
        positions: Positions that the search visited.
        actions: A solution, empty unless won.
    """

    deal: int
    verdict: str
    positions: int
    actions: tuple[int, ...]


def suites_of(game: str) -> dict[str, range]:
    """Returns a game's suites: their names and deals.

    Raises:
        ValueError: There is no such game.
    """
    if game not in GAMES:
        raise ValueError(f"game is {game!r}: allowed are {', '.join(GAMES)}")
    options = (name for name in OPTIONS[game] if suite_rules(game, name) != GAMES[game])
    return SUITES | dict.fromkeys(options, OPTION_DEALS)


def overrides_of(game: str, suite: str) -> dict[str, Any]:
    """Returns the rule fields that differ from the game's own in a suite."""
    return OPTIONS[game].get(suite, {})


def suite_rules(game: str, suite: str) -> Rules:
    """Returns the rules by which a suite's deals are played."""
    return GAMES[game].replace(**overrides_of(game, suite))


def suite_file(folder: Path, game: str, suite: str) -> Path:
    """Returns where a suite is."""
    return folder / game / f"{suite}.csv"


def solutions_file(folder: Path, game: str, suite: str) -> Path:
    """Returns where a suite's solutions are."""
    return folder / game / f"{suite}_solutions.csv"


def encode_actions(rules: Rules, actions: Sequence[int]) -> str:
    """Returns a solution as it stands in a file."""
    return base64.b64encode(np.array(actions, _kind(rules)).tobytes()).decode()


def decode_actions(rules: Rules, text: str) -> tuple[int, ...]:
    """Returns the actions of a solution that stands in a file.

    Raises:
        ValueError: It is no such text.
    """
    return tuple(np.frombuffer(base64.b64decode(text, validate=True), _kind(rules)).tolist())


def write_suite(folder: Path, game: str, suite: str, labels: Iterable[Label]) -> None:
    """Writes a suite and its solutions, each file whole or not at all."""
    rows, rules = sorted(labels), suite_rules(game, suite)
    verdicts = [(x.deal, x.verdict, len(x.actions) or "", x.positions) for x in rows]
    solutions = [(x.deal, encode_actions(rules, x.actions)) for x in rows if x.actions]
    (folder / game).mkdir(parents=True, exist_ok=True)
    _write(solutions_file(folder, game, suite), [("deal", "actions"), *solutions])
    _write(suite_file(folder, game, suite), [("deal", "verdict", "length", "positions"), *verdicts])


def read_suite(folder: Path, game: str, suite: str) -> list[Label]:
    """Reads a suite with its solutions.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is damaged, or the two do not belong together; the message names the file or the deal.
    """
    rules = suite_rules(game, suite)
    of_solutions: Columns = {"deal": int, "actions": functools.partial(decode_actions, rules)}
    of_suite: Columns = {"deal": int, "verdict": str, "length": int, "positions": int}
    solutions = dict(_read(solutions_file(folder, game, suite), of_solutions))
    labels = []
    for deal, verdict, length, positions in _read(suite_file(folder, game, suite), of_suite):
        actions = solutions.pop(deal, ())
        if verdict not in VERDICTS or len(actions) != (length or 0) or (verdict == "won") != bool(actions):
            raise ValueError(
                f"{game}, {suite}, deal {deal}: the verdict {verdict!r}, the length and the solution of "
                f"{len(actions)} actions do not belong together"
            )
        labels.append(Label(deal, verdict, positions, actions))
    if solutions:
        raise ValueError(f"{game}, {suite}: solutions of deals that the suite has not got: {sorted(solutions)}")
    return labels


def find_labels(folder: Path, game: str, deals: Sequence[int]) -> list[Label] | None:
    """Returns what a suite under a game's own rules says of deals; None if none that is there has all of them.

    Raises:
        ValueError: A file is damaged; the message names it.
    """
    for suite, of_suite in SUITES.items():
        if all(deal in of_suite for deal in deals) and suite_file(folder, game, suite).exists():
            labels = {x.deal: x for x in read_suite(folder, game, suite)}
            if labels.keys() >= set(deals):
                return [labels[deal] for deal in deals]
    return None


def _kind(rules: Rules) -> str:
    return "<u2" if ActionTable(rules).n > 256 else "u1"


def _read(file: Path, columns: Columns) -> list[tuple[Any, ...]]:
    """Reads the rows of a file that ``_write`` wrote; an empty entry is None."""
    with file.open(newline="") as stream:
        reader = csv.reader(stream)
        if next(reader, None) != list(columns):
            raise ValueError(f"{file} does not begin with {','.join(columns)}: it is no file of a suite")
        rows = []
        for row in reader:
            try:
                entries = zip(columns.values(), row, strict=True)
                rows.append(tuple(read(entry) if entry else None for read, entry in entries))
            except ValueError:
                raise ValueError(f"{file}, line {reader.line_num}: {','.join(row)!r} is no row of a suite") from None
    return rows


def _write(file: Path, rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    beside = file.with_name(file.name + ".part")
    beside.write_text(text.getvalue())
    beside.replace(file)
