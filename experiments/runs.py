"""A run's folder: what training leaves behind, and what it was made with."""

from __future__ import annotations

import csv
import dataclasses
import importlib.metadata
import io
import json
import platform
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from sb3_contrib import MaskablePPO

import solitaire_env
from agents.ppo import CONFIG_FILE, MODEL_FILE
from experiments.hyperparameters import Hyperparameters

PROGRESS_FILE = "progress.csv"
EVALUATION_FILE = "eval.json"
CURVE_FILE = "curve.png"

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


def write_config(folder: Path, game: str, arguments: Any, settings: Hyperparameters, command: str) -> None:
    """Writes what a run is made with: its arguments, a dataclass, hyperparameters, versions and commit."""
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
        },
    )


def write_json(file: Path, data: dict[str, Any]) -> None:
    """Writes a JSON file, whole or not at all."""
    _write(file, (json.dumps(data, indent=2) + "\n").encode())


def save_model(folder: Path, model: MaskablePPO) -> None:
    """Saves a run's model, whole or not at all."""
    buffer = io.BytesIO()
    model.save(buffer)
    _write(folder / MODEL_FILE, buffer.getvalue())


def append_progress(folder: Path, row: Progress) -> None:
    """Adds a row to a run's progress."""
    file = folder / PROGRESS_FILE
    with file.open("a", newline="") as stream:
        writer = csv.writer(stream)
        if stream.tell() == 0:
            writer.writerow(Progress._fields)
        writer.writerow(row)


def read_progress(folder: Path) -> list[Progress]:
    """Returns a run's progress, empty before the first update.

    Raises:
        ValueError: The file is no progress of a run.
    """
    file = folder / PROGRESS_FILE
    if not file.exists():
        return []
    text = file.read_text()
    whole = text[: text.rfind("\n") + 1]  # an interruption may have cut the last line short
    rows = csv.DictReader(io.StringIO(whole))
    try:
        return [Progress(**{k: int(v) for k, v in row.items()}) for row in rows]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{file}, line {rows.line_num}, is no progress of a run: {error}") from error


def forget_progress_after(folder: Path, steps: int) -> None:
    """Drops the rows of what was trained after the checkpoint at ``steps``, and so was lost."""
    rows = [row for row in read_progress(folder) if row.steps <= steps]
    text = io.StringIO()
    if rows:
        csv.writer(text).writerows([Progress._fields, *rows])
    _write(folder / PROGRESS_FILE, text.getvalue().encode())


def config_file(folder: Path) -> Path:
    """Returns where a run's config is."""
    return folder / CONFIG_FILE


def _write(file: Path, content: bytes) -> None:
    """Writes beside the file first: an interruption leaves the old content or the new, never a part."""
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
