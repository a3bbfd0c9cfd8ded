"""Golden traces: one fixed play of each game, written down, so that any change of behaviour shows.

``python -m tests.golden_trace`` writes the files anew. A change to them means that scores shift: a new version of the
ids.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import gymnasium as gym
import numpy as np

from solitaire_env import ENV_IDS, SolitaireEnv
from solitaire_env.hashing import position_hash
from tests.reference_deals import splitmix64

FOLDER = Path(__file__).with_name("golden")
DEAL, STEPS = 7, 60


def trace(game: str) -> str:
    """Plays a numbered deal by picks from the deal generator's stream, and says what happened."""
    env = gym.make(ENV_IDS[game]).unwrapped
    assert isinstance(env, SolitaireEnv)
    observation, info = env.reset(options={"deal": DEAL})
    lines = [f"{ENV_IDS[game]} deal {DEAL}", env.position.to_text()]
    words = splitmix64(DEAL)
    for _ in range(STEPS):
        legal = np.flatnonzero(info["action_mask"]).tolist()
        action = legal[next(words) % len(legal)]
        words_of_action = env.describe(action)
        observation, reward, terminated, _, info = env.step(action)
        state_hash = int(position_hash(env._settings.spec, env._state))
        seen = hashlib.sha256(observation.tobytes() + info["action_mask"].tobytes()).hexdigest()[:16]
        lines.append(f"{len(legal):3} {action:3} {reward:.6f} {state_hash:016x} {seen} {words_of_action}")
        if terminated:
            break
    lines.append(env.position.to_text())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in ENV_IDS:
        (FOLDER / f"{name}.txt").write_text(trace(name), encoding="utf-8")
