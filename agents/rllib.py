"""A player trained by RLlib: the network with its mask, and the player that ``experiments.train_rllib`` leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import RLModule

from agents.protocol import MaskedAgent

MODULE_FOLDER = Path("learner_group", "learner", "rl_module", "default_policy")
"""Where RLlib keeps the network in a checkpoint."""


class MaskedPPOModule(DefaultPPOTorchRLModule):  # type: ignore[misc]  # RLlib has no types
    """RLlib's network for PPO, for the observations of ``ActionMaskVectorObservation``.

    Both networks see ``"observations"`` alone; what ``"action_mask"`` forbids gets the lowest logit that there is.
    """

    def __init__(self, *, observation_space: spaces.Dict, **kwargs: Any) -> None:
        super().__init__(observation_space=observation_space["observations"], **kwargs)
        self.observation_space = observation_space  # with which a checkpoint makes the module again

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(super()._forward(self._unmasked(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(super()._forward_train(self._unmasked(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Returns the values of a batch's observations."""
        return super().compute_values(self._unmasked(batch), embeddings)

    @staticmethod
    def _unmasked(batch: dict[str, Any]) -> dict[str, Any]:
        return {**batch, Columns.OBS: batch[Columns.OBS]["observations"].float()}

    @staticmethod
    def _masked(out: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
        logits = out[Columns.ACTION_DIST_INPUTS]
        forbidden = batch[Columns.OBS]["action_mask"] == 0
        return {**out, Columns.ACTION_DIST_INPUTS: logits.masked_fill(forbidden, torch.finfo(logits.dtype).min)}


class RLlibAgent(MaskedAgent):
    """Plays the policy of a module; in double precision, as ``PPOAgent`` does and for its reason."""

    def __init__(self, module: RLModule, *, avoid_repeats: bool, seed: int = 0) -> None:
        super().__init__(avoid_repeats=avoid_repeats, seed=seed)
        self._module = module.double()

    def action_weights(self, observations: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the policy's probabilities."""
        with torch.no_grad():
            latent = self._module.encoder({Columns.OBS: torch.as_tensor(observations).double()})
            logits = self._module.pi(latent["encoder_out"]["actor"]).numpy()
        logits = np.where(masks, logits, -np.inf)
        weights: NDArray[np.float64] = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights


def load_rllib(checkpoint: Path, *, avoid_repeats: bool, seed: int = 0) -> RLlibAgent:
    """Loads the player of an RLlib checkpoint. Checkpoints hold pickles: load only what you trust.

    Raises:
        FileNotFoundError: There is no such checkpoint.
    """
    folder = checkpoint.resolve() / MODULE_FOLDER
    if not folder.is_dir():
        raise FileNotFoundError(f"{checkpoint} is no checkpoint of RLlib: {folder} does not exist")
    return RLlibAgent(RLModule.from_checkpoint(folder), avoid_repeats=avoid_repeats, seed=seed)
