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

MAX_EPISODE_STEPS = {"coyote": 400, "swiss": 1000, "courtyard": 1000, "variegated_canfield": 1000}
"""The step limit of each game.

Chosen so that wins are not cut off. The rule player's solutions are the longest known, for it takes every move that
it can: without a limit (``experiments.evaluate --agent rules --deals 1000:5000 --max-steps 6000``) its 2,901, 655, 105
and 24 wins took 302, 2,305, 884 and 779 steps at most. Of the Swiss ones 98 % took fewer than 1,000.
"""


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
