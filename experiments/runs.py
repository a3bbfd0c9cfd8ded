"""A run's folder: what training leaves behind, and what it was made with."""

from __future__ import annotations

import csv
import dataclasses
import importlib.metadata
import io
import json
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_type_hints

from sb3_contrib import MaskablePPO

import solitaire_env
from agents.ppo import CONFIG_FILE, MODEL_FILE, load_model, read_config
from experiments.command_line import deal_range
from experiments.hyperparameters import Hyperparameters, hyperparameters_of
from solitaire_env import GAMES
from solitaire_env.dealing import FIRST_TRAINING_DEAL

PROGRESS_FILE = "progress.csv"
EVALUATION_FILE = "eval.json"
CURVE_FILE = "curve.png"

Row = TypeVar("Row", bound=NamedTuple)

_LIBRARIES = ("gymnasium", "numba", "numpy", "sb3-contrib", "stable-baselines3", "torch")


class Progress(NamedTuple):
    """The training episodes that ended in one rollout.

    Attributes:
        steps: Steps trained on when the rollout ended.
        episodes: Number of episodes.
        wins: Games won in them.
        foundation_cards: Foundation cards at their ends, added up.
        length: Their actions, added up.
    """

    steps: int
    episodes: int
    wins: int
    foundation_cards: int
    length: int


def check_new_run(game: str, seed: int, deals: str) -> None:
    """Checks what every new run is told.

    Raises:
        ValueError: The game, the seed or the held-out deals are not allowed; the message names it.
    """
    if game not in GAMES:
        raise ValueError(f"game is {game!r}: allowed are {', '.join(GAMES)}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed is {seed}: allowed are 0 to 4294967295")
    if deal_range(deals).stop > FIRST_TRAINING_DEAL:
        raise ValueError(f"deals is {deals!r}: those from {FIRST_TRAINING_DEAL} on are trained on, not held out")


def read_unfinished(arguments: Any) -> tuple[dict[str, Any], Hyperparameters]:
    """Reads an interrupted run, which goes on as it was begun.

    Args:
        arguments: A command line whose ``resume`` is the run's folder; all else must be as by default.

    Returns:
        The run's own arguments, by name, paths as text; and its hyperparameters.

    Raises:
        ValueError: Other arguments are given too, the folder holds no run, or the run is finished.
        FileNotFoundError: There is no such folder.
    """
    folder: Path = arguments.resume
    for field in dataclasses.fields(arguments):
        value = getattr(arguments, field.name)
        if field.name != "resume" and value != field.default:
            raise ValueError(f"{field.name} is {value!r}, but a resumed run keeps its own arguments")
    config = read_config(folder)
    if (folder / EVALUATION_FILE).exists():
        raise ValueError(f"resume is {str(folder)!r}: that run is finished")
    try:
        kept = {field.name: config["arguments"][field.name] for field in dataclasses.fields(arguments)}
        return kept, hyperparameters_of(config["hyperparameters"], str(config_file(folder)))
    except (KeyError, TypeError) as error:
        raise ValueError(f"{config_file(folder)} is no config of a run: {error!r}") from error


def new_run_folder(runs: Path, name: str | None, game: str, seed: int) -> Path:
    """Makes the folder of a new run: ``name``, or by default ``<game>-seed<seed>``, numbered when it exists.

    Raises:
        ValueError: A folder of the given name exists already.
    """
    if name is not None:
        if (runs / name).exists():
            raise ValueError(f"name is {name!r}: {runs / name} exists; --resume {runs / name} goes on with it")
        folder = runs / name
    else:
        plain, number = f"{game}-seed{seed}", 1
        while (folder := runs / (plain if number == 1 else f"{plain}-{number}")).exists():
            number += 1
    folder.mkdir(parents=True)
    return folder


def versions() -> dict[str, str]:
    """Returns the versions of Python and of what figures depend on."""
    return {
        "python": platform.python_version(),
        "solitaire_env": solitaire_env.__version__,
        **{library: importlib.metadata.version(library) for library in _LIBRARIES},
    }


def git_state() -> dict[str, Any]:
    """Returns the commit that this code is at and whether files differ from it; both None outside a repository."""
    commit, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}


def write_config(
    folder: Path, game: str, arguments: Any, settings: Hyperparameters, command: str, **others: Any
) -> None:
    """Writes what a run is made with: its arguments, a dataclass, hyperparameters, versions and commit, and others."""
    write_json(
        config_file(folder),
        {
            "game": game,
            "avoid_repeats": settings.environment.avoid_repeats,
            "command": command,
            "arguments": {
                name: str(value) if isinstance(value, Path) else value
                for name, value in dataclasses.asdict(arguments).items()
            },
            "hyperparameters": dataclasses.asdict(settings),
            "versions": versions(),
            "git": git_state(),
            **others,
        },
    )


def write_evaluation(folder: Path, game: str, deals: str, command: str, agents: dict[str, dict[str, Any]]) -> None:
    """Writes how a run's policy, and others beside it, did by their best actions: the run is finished with that."""
    write_json(
        folder / EVALUATION_FILE,
        {
            "game": game,
            "deals": deals,
            "deterministic": True,
            "command": command,
            "versions": versions(),
            "git": git_state(),
            "agents": agents,
        },
    )


def write_json(file: Path, data: dict[str, Any]) -> None:
    """Writes a JSON file, whole or not at all."""
    write_whole(file, (json.dumps(data, indent=2) + "\n").encode())


def save_model(folder: Path, model: MaskablePPO) -> None:
    """Saves a run's model, whole or not at all."""
    buffer = io.BytesIO()
    model.save(buffer)
    write_whole(folder / MODEL_FILE, buffer.getvalue())


def append_row(file: Path, columns: Sequence[str], row: Sequence[object]) -> None:
    """Adds a row to a table in a file, and the names of its columns before the first."""
    with file.open("a", newline="") as stream:
        writer = csv.writer(stream)
        if stream.tell() == 0:
            writer.writerow(columns)
        writer.writerow(row)


def read_rows(file: Path, kind: type[Row]) -> list[Row]:
    """Returns the rows of a table of numbers, none if the file is not there.

    Args:
        file: Written by ``append_row``; a last line that an interruption cut short is left out.
        kind: Of a row; its annotations say which numbers are whole.

    Raises:
        ValueError: The file is no such table.
    """
    if not file.exists():
        return []
    text = file.read_text()
    whole = text[: text.rfind("\n") + 1]
    rows = csv.DictReader(io.StringIO(whole))
    make: Any = kind  # mypy takes the class for NamedTuple's own
    number = get_type_hints(kind)
    try:
        return [make(**{name: number[name](entry) for name, entry in row.items()}) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}, line {rows.line_num}, is no progress of a run: {error}") from error


def forget_rows_after(file: Path, steps: int, kind: type[Row]) -> None:
    """Drops the rows of what was trained after the checkpoint at ``steps``, their first column, and so was lost."""
    rows = [row for row in read_rows(file, kind) if row[0] <= steps]
    text = io.StringIO()
    if rows:
        csv.writer(text).writerows([kind._fields, *rows])
    write_whole(file, text.getvalue().encode())


def forget_what_is_lost(folder: Path, game: str, file: str, kind: type[Row]) -> None:
    """Drops the rows of what the checkpoint of an interrupted run lacks; all of them where there is none.

    Args:
        folder: Of the run.
        game: Of the run.
        file: The name of its table, of whose rows the first column counts as the model counts its time steps.
        kind: Of a row.

    Raises:
        ValueError: The table or the checkpoint is damaged.
    """
    model = folder / MODEL_FILE
    forget_rows_after(folder / file, load_model(model, game).num_timesteps if model.exists() else 0, kind)


def append_progress(folder: Path, row: Progress) -> None:
    """Adds a row to a run's progress."""
    append_row(folder / PROGRESS_FILE, Progress._fields, row)


def read_progress(folder: Path) -> list[Progress]:
    """Returns a run's progress, empty before the first update.

    Raises:
        ValueError: The file is no progress of a run.
    """
    return read_rows(folder / PROGRESS_FILE, Progress)


def forget_progress_after(folder: Path, steps: int) -> None:
    """Drops the rows of what was trained after the checkpoint at ``steps``, and so was lost."""
    forget_rows_after(folder / PROGRESS_FILE, steps, Progress)


def config_file(folder: Path) -> Path:
    """Returns where a run's config is."""
    return folder / CONFIG_FILE


def write_whole(file: Path, content: bytes) -> None:
    """Writes a file, beside it first: an interruption leaves the old content or the new, never a part."""
    beside = file.with_name(file.name + ".part")
    beside.write_bytes(content)
    beside.replace(file)


def _git(*arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
