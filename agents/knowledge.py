"""What a player can work out from an observation: the position, and what is in the stock, though not in order."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import NamedTuple

from numpy.typing import ArrayLike

from solitaire_env import Rules
from solitaire_env.cards import CARDS_PER_DECK, card_text
from solitaire_env.observation import Level, decode
from solitaire_env.position import UNKNOWN, Position


class Knowledge(NamedTuple):
    """What an observation tells.

    Attributes:
        position: The position; unseen cards lie in the stock in an order that says nothing.
        hidden: Whether there are such cards, more than one: of a single one the place is known.
        level: The level of the observation.
    """

    position: Position
    hidden: bool
    level: Level


def read_observation(rules: Rules, observation: ArrayLike) -> Knowledge:
    """Returns what a player can work out from an observation.

    Args:
        rules: The rules of the game.
        observation: An observation of the levels ``"recall"`` or ``"open"``, of shape ``(m,)``.

    Raises:
        ValueError: Cards outside the stock are unknown, as in observations of the level ``"table"``.
    """
    position = decode(rules, observation)
    if UNKNOWN in position.waste:
        raise ValueError("the observation does not show the waste: the search needs those of the level 'recall'")
    unseen = iter(_missing_cards(rules, position))
    stock = tuple(next(unseen) if card == UNKNOWN else card for card in position.stock)
    shows_all = bool(stock) and not position.stock_seen and UNKNOWN not in position.stock
    return Knowledge(
        position=dataclasses.replace(position, stock=stock),
        hidden=position.stock.count(UNKNOWN) > 1,
        level="open" if shows_all else "recall",
    )


def _missing_cards(rules: Rules, position: Position) -> list[str]:
    """Returns the cards of the deck that are nowhere to be seen, in the order of their codes."""
    seen = Counter(position.stock + position.waste + position.reserve)
    for pile in position.foundations + position.tableau:
        seen.update(pile)
    texts = [card_text(code) for code in range(CARDS_PER_DECK)]
    return [text for text in texts for _ in range(rules.decks - seen[text])]
