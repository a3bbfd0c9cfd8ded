"""Labels deals by the solver: ``python -m experiments.label_deals --game swiss --suite test``.

Every deal is done by itself, so that any number of processes give the same labels. What is done is kept in a journal
beside the suite, one line a deal; after an interruption the same command goes on from there. The suite's files are
written at the end. ``--again`` searches those deals of a suite that are undecided once more, with a higher limit.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from tqdm import tqdm

from experiments.command_line import Argument, check_positive, deal_range, parse
from experiments.spread import spread
from experiments.suites import (
    FOLDER,
    VERDICTS,
    Label,
    read_suite,
    suite_file,
    suite_rules,
    suites_of,
    write_suite,
)
from solitaire_env import GAMES, Rules
from solitaire_env.solver import solve

DESCRIPTION = """
Searches each deal of a suite with all cards known and writes its verdict, and its solution if there is one, to
seeds/GAME/SUITE.csv and seeds/GAME/SUITE_solutions.csv. The same limits give the same verdicts on every machine.
Suites: test, validation, and each game's rule options, which experiments/suites.py lists.
"""


DEALS_AT_ONCE = 8
"""Deals that Ray hands to a worker together; as many are searched again when it is lost."""


@dataclasses.dataclass(frozen=True)
class LabelArguments:
    """The command line of ``experiments.label_deals``."""

    game: Annotated[str, Argument(f"the game: {', '.join(GAMES)}")]
    suite: Annotated[str, Argument("the suite; a new name, with deals, is a suite under the game's own rules")] = "test"
    deals: Annotated[str | None, Argument("other deals (default: those of the suite)", "FIRST:END")] = None
    again: Annotated[bool, Argument("keep the verdicts there are and search the undecided deals only")] = False
    positions: Annotated[int, Argument("positions searched before a deal is left undecided")] = 2_000_000
    memory: Annotated[int, Argument("bytes that a process may take for its tables")] = 2**30
    processes: Annotated[int, Argument("deals searched side by side")] = os.cpu_count() or 1
    ray: Annotated[str | None, Argument("spreads the deals over Ray: 'local' or a cluster's address", "ADDRESS")] = None
    folder: Annotated[Path, Argument("where the games' folders are")] = FOLDER


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(LabelArguments, argv, "python -m experiments.label_deals", DESCRIPTION)
    try:
        labels = label(arguments)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\nInterrupted; the labels made so far are kept, and the same command goes on from there.", file=sys.stderr
        )
        return 130
    counts = Counter(x.verdict for x in labels)
    print(f"{arguments.game}, {arguments.suite}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS))
    return 0


def label(arguments: LabelArguments) -> list[Label]:
    """Labels what is not labelled yet, writes the suite and returns it.

    Raises:
        ValueError: An argument is not allowed, or the journal is of other limits; the message says which.
        OSError: A file cannot be written, a process was killed, or there is no Ray at the address.
    """
    suites = suites_of(arguments.game)
    if arguments.deals is None and arguments.suite not in suites:
        raise ValueError(f"suite is {arguments.suite!r}: without deals, allowed are {', '.join(suites)}")
    for name in ("positions", "memory", "processes"):
        check_positive(name, getattr(arguments, name))
    deals = suites[arguments.suite] if arguments.deals is None else deal_range(arguments.deals)
    done: dict[int, Label] = {}
    if arguments.again:
        before = read_suite(arguments.folder, arguments.game, arguments.suite)
        done = {x.deal: x for x in before if x.deal in deals and x.verdict != "unknown"}
    file = suite_file(arguments.folder, arguments.game, arguments.suite)
    file.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(file.with_suffix(".journal"), {"positions": arguments.positions, "memory": arguments.memory})
    done |= {x.deal: x for x in journal.labels if x.deal in deals}
    rules = suite_rules(arguments.game, arguments.suite)
    tasks = [(rules, deal, arguments.positions, arguments.memory) for deal in deals if deal not in done]
    counts = Counter(x.verdict for x in done.values())
    found = spread(_solve, tasks, processes=arguments.processes, ray=arguments.ray, at_once=DEALS_AT_ONCE)
    progress = tqdm(found, total=len(deals), initial=len(done), unit="deal", desc=arguments.game)
    for x in progress:
        journal.add(x)
        done[x.deal] = x
        counts[x.verdict] += 1
        progress.set_postfix(counts)
    labels = [done[deal] for deal in deals]
    write_suite(arguments.folder, arguments.game, arguments.suite, labels)
    journal.remove()
    return labels


class Journal:
    """The labels made so far, in a file: its first line has the limits, the others one deal each."""

    def __init__(self, file: Path, limits: dict[str, int]) -> None:
        self._file = file
        text = file.read_text() if file.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            file.write_text(whole)  # an interruption cut the last line short
        lines = whole.splitlines()
        if not lines:
            file.write_text(json.dumps(limits) + "\n")
        elif _read(lines[0]) != limits:
            raise ValueError(f"{file} was begun with {lines[0]}: go on with these limits, or remove it")
        self.labels = [self._label(i + 2, line) for i, line in enumerate(lines[1:])]

    def _label(self, number: int, line: str) -> Label:
        match _read(line):
            case [int(deal), str(verdict), int(positions), [*actions]] if verdict in VERDICTS:
                return Label(deal, verdict, positions, tuple(actions))
        raise ValueError(f"{self._file}, line {number}, is no label: {line[:80]!r}")

    def add(self, x: Label) -> None:
        """Keeps a label."""
        with self._file.open("a") as stream:
            stream.write(json.dumps(x) + "\n")

    def remove(self) -> None:
        """Removes the file: the suite is complete."""
        self._file.unlink()


def _read(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _solve(task: tuple[Rules, int, int, int]) -> Label:
    rules, deal, positions, memory = task
    solution = solve(deal, rules, max_positions=positions, max_memory=memory)
    return Label(deal, solution.status, solution.positions, solution.actions)


if __name__ == "__main__":
    sys.exit(main())
