"""What an installed wheel must be able to do, without anything but what it depends on: ``make package`` runs it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np

import solitaire_env
from solitaire_env.solver import solve


def main() -> int:
    """Plays each game by ``make`` and ``make_vec``, and solves a deal."""
    place = Path(solitaire_env.__file__).parent
    assert "site-packages" in place.parts, f"{place} is no installed package"
    assert (place / "py.typed").is_file()
    assert importlib.metadata.version("solitaire_env") == solitaire_env.__version__
    for name in ("torch", "pygame", "agents", "experiments", "tests"):
        assert importlib.util.find_spec(name) is None, f"{name} is installed too: that is no empty environment"
    for game, env_id in solitaire_env.ENV_IDS.items():
        env = gym.make(f"solitaire_env:{env_id}", render_mode="ansi")
        observation, info = env.reset(seed=0)
        for _ in range(50):
            assert observation in env.observation_space
            observation, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            if terminated or truncated:
                break
        assert env.render()
        envs = gym.make_vec(f"solitaire_env:{env_id}", num_envs=16)
        _, infos = envs.reset(seed=0)
        for _ in range(50):
            *_, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert not infos["illegal_action"].any()
        print(f"{game}: fine, {int(np.prod(envs.observation_space.shape))} numbers a step")
    assert solve(1, solitaire_env.COYOTE, max_positions=100_000).status == "won"
    print(f"solitaire_env {solitaire_env.__version__} works on Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
