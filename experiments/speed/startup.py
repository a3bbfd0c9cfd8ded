"""How long it takes to get going, each time in a new process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from experiments.speed.rounds import spread

_ROOT = Path(__file__).parents[2]

_SCRIPT = """
import json, time
start = time.perf_counter()
marks = {}
def mark(name):
    marks[name] = time.perf_counter() - start
import solitaire_env
mark("import")
import gymnasium as gym
env = gym.make("Solitaire/Coyote-v0")
_, info = env.reset(seed=0)
mark("reset")
env.step(int(info["action_mask"].argmax()))
mark("single_step")
envs = gym.make_vec("Solitaire/Coyote-v0", 8)
_, infos = envs.reset(seed=0)
envs.step(infos["action_mask"].argmax(axis=1))
mark("vector_step")
print(json.dumps(marks))
"""


def measure_startup(repeats: int, *, cold: bool) -> dict[str, Any]:
    """Measures import, first steps with compiled code on disk, and first steps without.

    Args:
        repeats: Number of warm starts.
        cold: Compiles everything once, too, into a folder of its own.

    Returns:
        ``import_seconds`` and ``warm_seconds`` (import, make, reset) as of ``rounds.spread``; ``cold_seconds``: up to
        the single environment's first step (``single``), from there to the vector environment's (``vector``) and
        both, and what stderr said meanwhile (``message``).
    """
    _start({})  # compiles what is not yet
    warm = [_start({})[0] for _ in range(repeats)]
    result: dict[str, Any] = {
        "import_seconds": spread([marks["import"] for marks in warm]),
        "warm_seconds": spread([marks["reset"] for marks in warm]),
    }
    if cold:
        with tempfile.TemporaryDirectory() as folder:
            marks, message = _start({"NUMBA_CACHE_DIR": folder})
        result["cold_seconds"] = {
            "single": marks["single_step"],
            "vector": marks["vector_step"] - marks["single_step"],
            "both": marks["vector_step"],
            "message": message,
        }
    return result


def _start(environment: dict[str, str]) -> tuple[dict[str, float], str]:
    """Runs the script in a new process; returns its marks and what it wrote to stderr."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        cwd=_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the process that was to be timed failed:\n{done.stderr}")
    marks: dict[str, float] = json.loads(done.stdout)
    return marks, done.stderr.strip()
