"""What importing the package does not do."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import solitaire_env, solitaire_env.vector_env
import numba.core.dispatcher as dispatcher
for unwanted in ("torch", "stable_baselines3", "pygame", "agents", "experiments", "matplotlib"):
    assert unwanted not in sys.modules, unwanted
compiled = []
for name, module in list(sys.modules.items()):
    if name.startswith("solitaire_env"):
        for thing in vars(module).values():
            if isinstance(thing, dispatcher.Dispatcher):
                compiled += thing.signatures
assert not compiled, compiled
"""


def test_importing_compiles_nothing_and_brings_no_extras() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
