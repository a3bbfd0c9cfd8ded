"""Makes a shipped model of a run: ``python -m experiments.ship --run runs/coyote-refined``."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from agents.loading import PRETRAINED
from agents.ppo import CONFIG_FILE, WEIGHTS_FILE, load_policy, read_config, save_weights
from experiments.command_line import Argument, parse
from experiments.runs import EVALUATION_FILE, write_json
from solitaire_env.dealing import FIRST_TRAINING_DEAL

DESCRIPTION = """
Puts the policy of a finished run into agents/pretrained/GAME, from where `--agent pretrained` plays it: the weights
alone, without code, the config of the run and of the run that it started from, and its evaluation on validation deals.
"""


@dataclasses.dataclass(frozen=True)
class ShipArguments:
    """The command line of ``experiments.ship``."""

    run: Annotated[Path, Argument("the run's folder; its model file is a pickle: only what you trust", "RUN")]
    folder: Annotated[Path, Argument("where the games' folders are")] = PRETRAINED


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    arguments = parse(ShipArguments, argv, "python -m experiments.ship", DESCRIPTION)
    try:
        shipped = ship(arguments.run, arguments.folder)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    size = (shipped / WEIGHTS_FILE).stat().st_size
    print(f"{shipped}: {size / 1e6:.1f} MB of weights")
    return 0


def ship(run: Path, folder: Path) -> Path:
    """Ships a run; returns the folder of the shipped model.

    Raises:
        ValueError: A file is none of ours.
        OSError: A file is not there, or cannot be written; a run that was not evaluated is not finished.
    """
    config = read_config(run)
    evaluation = json.loads((run / EVALUATION_FILE).read_text())
    policy, _ = load_policy(run, config["game"])
    target = folder / str(config["game"])
    target.mkdir(parents=True, exist_ok=True)
    write_json(target / CONFIG_FILE, {**config, "training_deals": f"{FIRST_TRAINING_DEAL} and up", **_start_of(config)})
    write_json(target / EVALUATION_FILE, evaluation)
    save_weights(policy, target / WEIGHTS_FILE)
    for name in ("progress.csv", "coaching.csv", "curve.png"):
        if (run / name).exists():
            shutil.copyfile(run / name, target / name)
    return target


def _start_of(config: dict[str, Any]) -> dict[str, Any]:
    """Returns the config of the run that a run started from, under ``started_from``, and so on back to the first."""
    start = config.get("arguments", {}).get("start")
    if start is None or "started_from" in config:
        return {}
    of = read_config(Path(start))
    return {"started_from": {**of, **_start_of(of)}}


if __name__ == "__main__":
    sys.exit(main())
