"""The network of the trained players: it treats all piles alike, and scores an action by the piles that it concerns.

An ordinary network has to learn for each pile anew what it has learned for another. Here one small network reads each
pile, another the rest of the table, both pass on what they found, and the score of "pile 2 to pile 0" is the same
function of the two piles as that of "pile 7 to pile 3". It is a policy of sb3-contrib: MaskablePPO trains, saves and
loads it like its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.feature_numbers import PILE_NUMBERS, TABLE_NUMBERS
from agents.features import FeatureReader
from solitaire_env import GAMES, ActionTable
from solitaire_env.rules import Rules


class TableReader(BaseFeaturesExtractor):
    """Turns observations into what was found of the table, ``width`` numbers, and of each pile, ``pile_width``."""

    def __init__(
        self, observation_space: gym.Space[Any], game: str, width: int, pile_width: int, activation_fn: type[nn.Module]
    ) -> None:
        rules = GAMES[game]
        super().__init__(observation_space, width + rules.n_piles * pile_width)
        self._reader = FeatureReader(rules)
        self._activation = activation_fn()
        self.table_in = nn.Linear(TABLE_NUMBERS, width)
        self.pile_in = nn.Linear(PILE_NUMBERS, pile_width)
        self.pile_to_table = nn.Linear(2 * pile_width, width, bias=False)
        self.table_hidden = nn.Linear(width, width)
        self.pile_hidden = nn.Linear(pile_width, pile_width)
        self.table_to_pile = nn.Linear(width, pile_width, bias=False)

    def forward(self, observations: Tensor) -> Tensor:
        """Returns ``(n, width + piles * pile_width)``."""
        table, piles = self.look_apart(*self.read(observations))
        return torch.cat([table, piles.flatten(1)], dim=1)

    def read(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the features of observations, of any dtype, in the network's dtype."""
        numbers = self._reader.read(observations.detach().cpu().numpy().astype(np.uint8))
        like = self.table_in.weight
        table, piles = (torch.from_numpy(part).to(like) for part in numbers)
        return table, piles

    def look_apart(self, table: Tensor, piles: Tensor) -> tuple[Tensor, Tensor]:
        """The layers, from features: returns ``(n, width)`` of the table and ``(n, piles, pile_width)``."""
        piles = self._activation(self.pile_in(piles))
        found = torch.cat([piles.mean(dim=1), piles.amax(dim=1)], dim=1)
        table = self._activation(self.table_in(table) + self.pile_to_table(found))
        table = self._activation(self.table_hidden(table))
        piles = self._activation(self.pile_hidden(piles) + self.table_to_pile(table)[:, None])
        return table, piles


class ActionScores(nn.Module):
    """Scores all actions of a game."""

    def __init__(self, rules: Rules, width: int, pile_width: int, pair_width: int) -> None:
        super().__init__()
        self._split = (width, rules.n_piles, pile_width)
        table = ActionTable(rules)
        actions = [table.decode(index) for index in range(table.n)]
        # Every action is an entry of one of three blocks: of the table, of a pile, of two piles.
        single = sorted({a.kind for a in actions if a.source < 0 and a.target < 0})
        with_pile = sorted({_part_of_pile(a) for a in actions if _pile_of(a) >= 0})
        slots = 1 + max(a.slot for a in actions if a.kind == "pile_pile")
        piles = rules.n_piles
        first_of_pile = len(single)
        first_of_pair = first_of_pile + piles * len(with_pile)
        places = []
        for a in actions:
            if a.kind == "pile_pile":
                places.append(first_of_pair + (a.source * piles + a.target) * slots + a.slot)
            elif _pile_of(a) >= 0:
                places.append(first_of_pile + _pile_of(a) * len(with_pile) + with_pile.index(_part_of_pile(a)))
            else:
                places.append(single.index(a.kind))
        self.places: Tensor
        self.register_buffer("places", torch.tensor(places), persistent=False)
        self.single = nn.Linear(width, len(single))
        self.with_pile = nn.Linear(pile_width, len(with_pile))
        self.source = nn.Linear(pile_width, pair_width)
        self.target = nn.Linear(pile_width, pair_width, bias=False)
        self.pair = nn.Linear(pair_width, slots)

    def forward(self, latent: Tensor) -> Tensor:
        """Returns a score for each action, ``(n, actions)``."""
        width, n_piles, pile_width = self._split
        table, piles = latent[:, :width], latent[:, width:].reshape(-1, n_piles, pile_width)
        pairs = torch.relu(self.source(piles)[:, :, None] + self.target(piles)[:, None])
        blocks = [self.single(table), self.with_pile(piles).flatten(1), self.pair(pairs).flatten(1)]
        return torch.cat(blocks, dim=1)[:, self.places]


class Value(nn.Module):
    """Judges a position."""

    def __init__(self, rules: Rules, width: int, pile_width: int) -> None:
        super().__init__()
        self._split = (width, rules.n_piles, pile_width)
        self.hidden = nn.Linear(width + pile_width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, latent: Tensor) -> Tensor:
        """Returns ``(n, 1)``."""
        width, n_piles, pile_width = self._split
        piles = latent[:, width:].reshape(-1, n_piles, pile_width).mean(dim=1)
        value: Tensor = self.out(torch.relu(self.hidden(torch.cat([latent[:, :width], piles], dim=1))))
        return value


class _Same(nn.Module):
    """What stands in the place of the layers that sb3-contrib would put between features and scores."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.latent_dim_pi = self.latent_dim_vf = width

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return features, features

    def forward_actor(self, features: Tensor) -> Tensor:
        return features

    def forward_critic(self, features: Tensor) -> Tensor:
        return features


class PilePolicy(MaskableActorCriticPolicy):
    """A masked actor-critic policy that shares its weights across piles.

    Attributes:
        reader_class: Class of the network that reads observations ...
        reader_arguments: ... and what it takes besides what ``TableReader`` does.
    """

    reader_class: type[TableReader] = TableReader
    reader_arguments: dict[str, int] = {}  # replaced, never changed

    def __init__(
        self,
        observation_space: gym.Space[Any],
        action_space: gym.Space[Any],
        lr_schedule: Schedule,
        *,
        game: str,
        width: int = 256,
        pile_width: int = 96,
        pair_width: int = 48,
        activation_fn: type[nn.Module] = nn.ReLU,
        **kwargs: Any,
    ) -> None:
        """Makes the networks.

        Args:
            observation_space: Of the environment.
            action_space: Of the environment.
            lr_schedule: Of the optimizer.
            game: The game's name.
            width: Numbers passed on for the table.
            pile_width: Numbers passed on for each pile.
            pair_width: Width of the layer that scores two piles together.
            activation_fn: Between the layers that read the table.
            kwargs: Of the policy that this one builds on.
        """
        self._game, self._widths = game, (width, pile_width, pair_width)
        kwargs |= {
            "features_extractor_class": self.reader_class,
            "features_extractor_kwargs": {
                "game": game,
                "width": width,
                "pile_width": pile_width,
                "activation_fn": activation_fn,
                **self.reader_arguments,
            },
            "net_arch": [],
            "activation_fn": activation_fn,
        }
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        width, pile_width, pair_width = self._widths
        rules = GAMES[self._game]
        self.mlp_extractor = _Same(self.features_dim)  # type: ignore[assignment]
        scores, value = ActionScores(rules, width, pile_width, pair_width), Value(rules, width, pile_width)
        self.action_net, self.value_net = scores, value  # type: ignore[assignment]
        for module in (self.features_extractor, scores, value):
            module.apply(partial(self.init_weights, gain=np.sqrt(2)))
        for last in (scores.single, scores.with_pile, scores.pair):
            self.init_weights(last, gain=0.01)
        self.init_weights(value.out, gain=1)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _get_constructor_parameters(self) -> dict[str, Any]:
        width, pile_width, pair_width = self._widths
        parameters = super()._get_constructor_parameters()
        for name in ("features_extractor_class", "features_extractor_kwargs", "net_arch"):
            parameters.pop(name)
        widths = {"width": width, "pile_width": pile_width, "pair_width": pair_width}
        return parameters | {"game": self._game, **widths, **self.reader_arguments}


def _pile_of(action: Any) -> int:
    """The only pile that an action concerns, or -1."""
    if action.kind in ("pile_foundation", "pile_space"):
        return int(action.source)
    if action.kind in ("waste_pile", "reserve_pile", "foundation_pile"):
        return int(action.target)
    return -1


def _part_of_pile(action: Any) -> tuple[str, int]:
    """What tells the actions of one pile apart."""
    return (action.kind, action.source if action.kind == "foundation_pile" else action.slot)
