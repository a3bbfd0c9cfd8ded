"""Replays every solution of the suites: ``python -m experiments.verify_suites``."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from tqdm import tqdm

from experiments.command_line import Argument, parse
from experiments.statistics import wilson_interval
from experiments.suites import FOLDER, VERDICTS, Label, overrides_of, read_suite, suites_of
from solitaire_env import GAMES, SolitaireEnv

DESCRIPTION = """
Plays every solution of the suites in the environment, action by action, and checks that each is legal, that the last
one wins and that none before it does. Prints how many deals are won, lost and undecided, with Wilson 95 % intervals.
"""


@dataclasses.dataclass(frozen=True)
class VerifyArguments:
    """The command line of ``experiments.verify_suites``."""

    game: Annotated[str | None, Argument(f"one game: {', '.join(GAMES)} (default: all)")] = None
    suite: Annotated[str | None, Argument("one suite, such as test (default: all)")] = None
    folder: Annotated[Path, Argument("where the games' folders are")] = FOLDER


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status, 1 when a solution fails."""
    arguments = parse(VerifyArguments, argv, "python -m experiments.verify_suites", DESCRIPTION)
    try:
        for game in GAMES if arguments.game is None else (arguments.game,):
            for suite in suites_of(game) if arguments.suite is None else (arguments.suite,):
                print(verify(arguments.folder, game, suite))
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def verify(folder: Path, game: str, suite: str) -> str:
    """Checks a suite; returns what is in it, in a line.

    Raises:
        ValueError: There is no such game or suite, it does not have its deals, or a solution does not win.
        OSError: A file cannot be read.
    """
    suites = suites_of(game)
    if suite not in suites:
        raise ValueError(f"suite is {suite!r}: allowed are {', '.join(suites)}")
    labels = read_suite(folder, game, suite)
    if [x.deal for x in labels] != list(suites[suite]):
        raise ValueError(f"{game}, {suite}: its deals are not {suites[suite][0]} to {suites[suite][-1]}")
    env = SolitaireEnv(game, rules=overrides_of(game, suite))
    for x in tqdm(labels, desc=f"{game}, {suite}", unit="deal", leave=False):
        replay(env, x)
    counts = Counter(x.verdict for x in labels)
    parts = []
    for verdict in VERDICTS:
        low, high = wilson_interval(counts[verdict], len(labels))
        parts.append(f"{verdict} {counts[verdict] / len(labels):.1%} ({low:.1%} to {high:.1%})")
    lengths = sorted(len(x.actions) for x in labels if x.actions)
    spread = f"{lengths[0]} / {lengths[len(lengths) // 2]} / {lengths[-1]}" if lengths else "none"
    return f"{game}, {suite}: {', '.join(parts)}; solution lengths, least / median / most: {spread}"


def replay(env: SolitaireEnv, x: Label) -> None:
    """Plays a solution.

    Raises:
        ValueError: It does not win just with its last action.
    """
    if not x.actions:
        return
    env.reset(options={"deal": x.deal})
    for i, action in enumerate(x.actions):
        _, _, terminated, _, info = env.step(action)
        if info["illegal_action"]:
            raise ValueError(f"deal {x.deal}: action {i} of its solution, {action}, is not legal")
        if terminated != (i + 1 == len(x.actions)):
            raise ValueError(f"deal {x.deal}: its solution of {len(x.actions)} actions ends after {i + 1}")
    if not info["is_success"]:
        raise ValueError(f"deal {x.deal}: its solution does not win")


if __name__ == "__main__":
    sys.exit(main())
