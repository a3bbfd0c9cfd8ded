"""The games and option sets on which the kernel is held against the reference model."""

from __future__ import annotations

from typing import Any

from solitaire_env import GAMES, Rules

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "coyote": ("coyote", {}),
    "coyote-reserve-13": ("coyote", {"reserve": 13, "refill": "reserve"}),
    "coyote-any-suffix-returns": ("coyote", {"moves": "any_suffix", "foundation_returns": True}),
    "coyote-unlimited": ("coyote", {"redeals": None, "moves": "single"}),
    "swiss": ("swiss", {}),
    "swiss-ring": ("swiss", {"corner": "ring"}),
    "swiss-ace-high": ("swiss", {"corner": "ace_high", "foundation_returns": False}),
    "swiss-no-corner": ("swiss", {"corner": "none", "spaces": "any"}),
    "swiss-top-or-run": ("swiss", {"moves": "top_or_run", "spaces": "any", "redeals": 2}),
    "swiss-top-or-pile": ("swiss", {"moves": "top_or_pile", "cards_per_deal": 5}),
    "courtyard": ("courtyard", {}),
    "courtyard-spaces": ("courtyard", {"spaces": "any"}),
    "courtyard-waste-then-stock": ("courtyard", {"refill": "waste_then_stock", "spaces": "any"}),
    # A redeal fills the stock again while there are spaces: a whole pile into one is then no null move.
    "courtyard-redeals": ("courtyard", {"spaces": "any", "redeals": 2, "cards_per_deal": 4}),
    "courtyard-corner": (
        "courtyard",
        {"corner": "both", "spaces": "ace", "foundation_returns": True, "pile_heights": [6] * 12},
    ),
    "variegated": ("variegated_canfield", {}),
    "variegated-whole-piles": ("variegated_canfield", {"moves": "top_or_pile", "stock_to_space": False}),
    "variegated-unlimited-returns": ("variegated_canfield", {"redeals": None, "foundation_returns": True}),
    "no-stock": (
        "swiss",
        {"pile_heights": [7, 7, 7, 7, 6, 6, 6], "reserve": 6, "spaces": "any", "base_rank": "A", "corner": "none"},
    ),
}
"""By name: the game, and the rule fields overridden."""


def variant_rules(name: str) -> Rules:
    """The rules of a variant."""
    game, overrides = VARIANTS[name]
    return GAMES[game].replace(**overrides)
