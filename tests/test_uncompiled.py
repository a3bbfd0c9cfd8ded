"""The kernels run as plain Python, where an index out of bounds is an error, and give the same as compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import hashlib, random, sys, warnings
import numpy as np
warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)  # 64-bit words wrap round on purpose
from solitaire_env import SolitaireEnv, SolitaireVectorEnv, GAMES
from solitaire_env.hashing import position_hash
from tests.variants import VARIANTS, variant_rules

digest = hashlib.sha256()
for name in VARIANTS:
    for level in ("table", "recall", "open"):
        env = SolitaireEnv(variant_rules(name), observation=level, avoid_repeats=level != "open")
        observation, info = env.reset(options={"deal": 5})
        rng = random.Random(1)
        for _ in range(60):
            legal = np.flatnonzero(info["action_mask"])
            if not len(legal):
                break
            observation, reward, *_, info = env.step(rng.choice(legal.tolist()))
            digest.update(observation.tobytes() + info["action_mask"].tobytes() + str(reward).encode())
            digest.update(str(int(position_hash(env._settings.spec, env._state))).encode())
for game in GAMES:
    many = SolitaireVectorEnv(game, 3, max_episode_steps=15, avoid_repeats=True, autoreset_mode="SameStep")
    observations, infos = many.reset(seed=1)
    for _ in range(40):
        observations, rewards, *_, infos = many.step(infos["action_mask"].argmax(1))
        digest.update(observations.tobytes() + infos["action_mask"].tobytes() + rewards.tobytes())
import numba
print(numba.config.DISABLE_JIT, digest.hexdigest())
"""


def run(disable: str) -> list[str]:
    root = Path(__file__).parent.parent
    env = {**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_plain_python_equals_compiled() -> None:
    compiled, plain = run("0"), run("1")
    assert (compiled[0], plain[0]) == ("0", "1")
    assert compiled[1] == plain[1]
