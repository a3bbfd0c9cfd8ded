"""The environments' ids for ``gymnasium.make``."""

from __future__ import annotations

import gymnasium as gym

ENV_IDS = {
    "coyote": "Solitaire/Coyote-v0",
    "swiss": "Solitaire/Swiss-v0",
    "courtyard": "Solitaire/Courtyard-v0",
    "variegated_canfield": "Solitaire/VariegatedCanfield-v0",
}
"""The id of each game."""

MAX_EPISODE_STEPS = {"coyote": 400, "swiss": 400, "courtyard": 600, "variegated_canfield": 800}
"""The step limit of each game."""


def register_envs() -> None:
    """Registers the four ids, unless they are."""
    for game, env_id in ENV_IDS.items():
        if env_id not in gym.registry:
            gym.register(
                id=env_id,
                entry_point="solitaire_env.env:SolitaireEnv",
                vector_entry_point="solitaire_env.vector_env:SolitaireVectorEnv",
                max_episode_steps=MAX_EPISODE_STEPS[game],
                kwargs={"game": game},
            )
