"""The network of piles with a network of cards beneath it, for games that are lost where planning begins.

Each card has a row of numbers; in each of a few rounds it hears from the cards next to it in its suit, from those that
it may be built with, and from those that lie on it and beneath it, wherever they are: in a pile, the waste or the
stock. What comes of that is added to what the network of piles finds of the table and of each pile. The additions
begin at nothing, so that training goes on from a network of piles (``take_over``) where that one ended.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.card_features import CARD_NUMBERS, CardReader
from agents.policies import PilePolicy, TableReader
from solitaire_env import GAMES
from solitaire_env.cards import CARDS_PER_DECK, RANKS_PER_SUIT, RED_SUITS, SUITS


class CardTableReader(TableReader):
    """Turns observations into what was found of the table and of each pile, by way of what was found of each card."""

    def __init__(
        self,
        observation_space: gym.Space[Any],
        game: str,
        width: int,
        pile_width: int,
        activation_fn: type[nn.Module],
        card_width: int,
        rounds: int,
    ) -> None:
        super().__init__(observation_space, game, width, pile_width, activation_fn)
        self._cards = CardReader(GAMES[game])
        self.card_in = nn.Linear(CARD_NUMBERS, card_width)
        self.rank = nn.Parameter(0.1 * torch.randn(RANKS_PER_SUIT, card_width))
        self.rounds = nn.ModuleList([CardRound(card_width, width) for _ in range(rounds)])
        ranks = RANKS_PER_SUIT * card_width
        self.cards_to_table = _two_layers(ranks + 2 * card_width + width, width, width)
        self.cards_to_pile = _two_layers(3 * card_width + pile_width + width, 2 * pile_width, pile_width)

    def forward(self, observations: Tensor) -> Tensor:
        """Returns ``(n, width + piles * pile_width)``."""
        table, piles = self.look_apart(*self.read(observations))
        read = self._cards.read(observations.detach().cpu().numpy().astype(np.uint8))
        neighbours, ends = (torch.from_numpy(part).to(table.device) for part in (read.neighbours, read.ends))
        cards: Tensor = self.card_in(torch.from_numpy(read.numbers).to(table)) + self.rank.repeat(len(SUITS), 1)
        for each in self.rounds:
            cards = each(cards, neighbours, table)
        ranks = cards.reshape(len(cards), len(SUITS), RANKS_PER_SUIT, -1).mean(dim=1).flatten(1)
        table = table + self.cards_to_table(torch.cat([ranks, cards.mean(dim=1), cards.amax(dim=1), table], dim=1))
        of_all = table[:, None].expand(-1, piles.shape[1], -1)
        piles = piles + self.cards_to_pile(torch.cat([_rows_of(cards, ends), piles, of_all], dim=2))
        return torch.cat([table, piles.flatten(1)], dim=1)


class CardRound(nn.Module):
    """Every card hears from its neighbours, and of the table."""

    def __init__(self, width: int, table_width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.near = nn.Linear(5 * width, width)
        self.stacks = nn.Linear(4 * width, width, bias=False)
        self.table = nn.Linear(table_width, width, bias=False)
        self.out = nn.Linear(width, width)
        red = [suit in RED_SUITS for suit in SUITS]
        self._other_colour = [[i for i, is_red in enumerate(red) if is_red != red[suit]] for suit in range(len(SUITS))]

    def forward(self, cards: Tensor, neighbours: Tensor, table: Tensor) -> Tensor:
        """Returns the rows of the cards ``(n, 52, width)`` after a round; ``table`` is ``(n, table_width)``."""
        heard = self.norm(cards)
        suits = heard.reshape(len(cards), len(SUITS), RANKS_PER_SUIT, -1)
        other = torch.stack([suits[:, of_other].sum(dim=1) for of_other in self._other_colour], dim=1)
        near = torch.cat(
            [suits, _shifted(suits, 1), _shifted(suits, -1), _shifted(other, 1), _shifted(other, -1)], dim=3
        )
        told = self.near(near).flatten(1, 2) + self.stacks(_rows_of(heard, neighbours)) + self.table(table)[:, None]
        new: Tensor = cards + self.out(torch.relu(told))
        return new


def _shifted(suits: Tensor, ranks: int) -> Tensor:
    """Puts in the place of each card the row of the one so many ranks higher; beyond ace and king there are zeros."""
    beyond = torch.zeros_like(suits[:, :, :1])
    return torch.cat([suits[:, :, 1:], beyond] if ranks > 0 else [beyond, suits[:, :, :-1]], dim=2)


def _rows_of(cards: Tensor, chosen: Tensor) -> Tensor:
    """Returns the rows of chosen cards ``(n, m, k)`` side by side, ``(n, m, k * width)``; of no card they are zeros."""
    n, _, width = cards.shape
    rows = torch.cat([cards, cards.new_zeros(n, 1, width)], dim=1).flatten(0, 1)
    first = (CARDS_PER_DECK + 1) * torch.arange(n, device=cards.device)[:, None, None]
    return rows.index_select(0, (chosen + first).flatten()).reshape(n, chosen.shape[1], -1)


def _two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


class CardPolicy(PilePolicy):
    """``PilePolicy`` with a network of cards beneath it."""

    reader_class = CardTableReader

    def __init__(
        self,
        observation_space: gym.Space[Any],
        action_space: gym.Space[Any],
        lr_schedule: Schedule,
        *,
        card_width: int = 32,
        rounds: int = 3,
        **kwargs: Any,
    ) -> None:
        """Makes the networks.

        Args:
            observation_space: Of the environment.
            action_space: Of the environment.
            lr_schedule: Of the optimizer.
            card_width: Numbers passed on for each card.
            rounds: Times that cards hear from each other.
            kwargs: Of ``PilePolicy``.
        """
        self.reader_arguments = {"card_width": card_width, "rounds": rounds}
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        reader: Any = self.features_extractor
        for last in (reader.cards_to_table[-1], reader.cards_to_pile[-1]):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def take_over(self, weights: dict[str, Tensor]) -> None:
        """Takes the weights of a ``PilePolicy``: its answers are then the same.

        Raises:
            ValueError: They are those of another network.
        """
        missing, unknown = self.load_state_dict(weights, strict=False)
        if unknown or any(".card" not in name and ".rank" not in name and ".rounds" not in name for name in missing):
            raise ValueError("these are no weights of a network of piles of the same widths")
