"""The networks that a policy may have, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from agents.card_policy import CardPolicy
from agents.policies import PilePolicy

WIDTHS = {
    "piles": ("width", "pile_width", "pair_width"),
    "cards": ("width", "pile_width", "pair_width", "card_width", "rounds"),
}
"""What the numbers of ``net_arch`` stand for."""

_CLASSES: dict[str, type[MaskableActorCriticPolicy]] = {
    "layers": MaskableActorCriticPolicy,
    "piles": PilePolicy,
    "cards": CardPolicy,
}
_ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}


def policy_class(network: str) -> type[MaskableActorCriticPolicy]:
    """Returns the class of a network: ``"piles"``, ``"cards"``, or ``"layers"``, an ordinary one."""
    return _CLASSES[network]


def policy_arguments(game: str, network: str, net_arch: Sequence[int], activation: str) -> dict[str, Any]:
    """Returns the arguments of a policy's class.

    Args:
        game: The game's name.
        network: As of ``policy_class``.
        net_arch: Of ``"layers"`` the widths of its layers; of the others see ``WIDTHS``.
        activation: ``"tanh"`` or ``"relu"``.
    """
    if network == "layers":
        return {"net_arch": list(net_arch), "activation_fn": _ACTIVATIONS[activation]}
    widths = dict(zip(WIDTHS[network], net_arch, strict=True))
    return {"game": game, "activation_fn": _ACTIVATIONS[activation], **widths}
