"""A player that takes any legal action, each with the same chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.protocol import AgentState, MaskedAgent


class RandomAgent(MaskedAgent):
    """Plays uniformly at random among the legal actions, ``deterministic`` or not."""

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__(avoid_repeats=False, seed=seed)

    def action_weights(
        self,
        observations: NDArray[Any],  # noqa: ARG002
        masks: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Returns 1 for every legal action."""
        return masks.astype(np.float64)

    def predict(
        self,
        observation: NDArray[Any],
        state: AgentState = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,  # noqa: ARG002
        action_masks: NDArray[Any] | None = None,
    ) -> tuple[NDArray[np.int64], AgentState]:
        """Draws legal actions, as of ``Agent``."""
        return super().predict(observation, state, episode_start, deterministic=False, action_masks=action_masks)
