"""Writes ``docs/spaces.md``, what every index means: ``python -m experiments.document_spaces``."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from solitaire_env import ENV_IDS, GAMES, ActionTable, Rules, observation_table
from solitaire_env.observation import observation_size, row_width

FILE = Path(__file__).parent.parent / "docs" / "spaces.md"

_MEANING = {
    "deal": "deal from the stock or, when it is empty, turn the waste over",
    "waste_foundation": "the waste's top card to its foundation",
    "reserve_foundation": "the reserve's top card to its foundation",
    "pile_foundation": "the top card of pile *source* to its foundation",
    "waste_pile": "the waste's top card to pile *target* (an empty one: the first only)",
    "reserve_pile": "the reserve's top card to pile *target*",
    "foundation_pile": "the top card of foundation *source* (S H D C) back to pile *target*",
    "stock_space": "the stock's top card, unseen, to the first empty pile",
    "pile_pile": "from pile *source* to pile *target*, which holds cards: the *slot*-th fitting suffix, shortest first",
    "pile_space": "from pile *source* to the first empty pile: the *slot*-th suffix that may go there, shortest first",
}

_INTRODUCTION = """# Action and observation spaces

Written by `python -m experiments.document_spaces`; a test keeps it up to date. In code the same is
`ActionTable(rules).decode(index)` and `observation_table(rules)`; rules with overrides have tables of their own.

Within a kind of action the last part varies fastest (source, then target, then slot); a pile is never its own target.
An observation begins with a row for each of the 52 cards, card = 13 * suit + rank (suits S H D C, ranks A to K): entry
`i` of a card's row is at `card * width + i`. What the columns mean is told in `solitaire_env/observation.py`.
"""


def document() -> str:
    """Returns the text of the page."""
    parts = [_INTRODUCTION]
    for game, rules in GAMES.items():
        parts.append(f"## {ENV_IDS[game]}\n\n{actions_section(rules)}\n\n{observation_section(rules)}\n")
    return "\n".join(parts)


def actions_section(rules: Rules) -> str:
    """Returns the table of action indices."""
    table = ActionTable(rules)
    lines = [f"`Discrete({table.n})`", "", "| indices | kind | meaning |", "| --- | --- | --- |"]
    for kind, group in itertools.groupby(range(table.n), lambda index: table.decode(index).kind):
        indices = list(group)
        lines.append(f"| {_span(indices[0], len(indices))} | `{kind}` | {_MEANING[kind]} |")
    return "\n".join(lines)


def observation_section(rules: Rules) -> str:
    """Returns the table of observation entries."""
    width = row_width(rules)
    lines = [
        f"`Box(0, 1, ({observation_size(rules)},), uint8)`: 52 rows of {width} entries, then the numbers",
        "",
        "| entries | column | where |",
        "| --- | --- | --- |",
    ]
    for column in observation_table(rules):
        where = "in each card's row" if column.per_card else "in the whole observation"
        lines.append(f"| {_span(column.start, column.width)} | `{column.name}` | {where} |")
    return "\n".join(lines)


def _span(start: int, width: int) -> str:
    return str(start) if width == 1 else f"{start} to {start + width - 1}"


if __name__ == "__main__":
    FILE.write_text(document(), encoding="utf-8")
    sys.exit(0)
