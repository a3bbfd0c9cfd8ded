"""Rules that cannot be are refused, and the message names the field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solitaire_env import COYOTE, GAMES, SWISS, Rules
from solitaire_env.rules import override


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"decks": 3}, "decks"),
        ({"decks": True}, "decks"),
        ({"decks": "1"}, "decks"),
        ({"pile_heights": []}, "pile_heights"),
        ({"pile_heights": [1] * 17}, "pile_heights"),
        ({"pile_heights": [1, -1]}, "pile_heights"),
        ({"pile_heights": "1234"}, "pile_heights"),
        ({"pile_heights": [30, 30]}, "pile_heights"),
        ({"reserve": 49}, "reserve"),
        ({"reserve": 1.5}, "reserve"),
        ({"foundations": "full"}, "foundations"),
        ({"base_rank": "1"}, "base_rank"),
        ({"base_rank": 1}, "base_rank"),
        ({"build": "colour"}, "build"),
        ({"corner": True}, "corner"),
        ({"moves": "all"}, "moves"),
        ({"spaces": "king"}, "spaces"),
        ({"refill": "waste"}, "refill"),
        ({"refill": "reserve", "reserve": 0}, "refill"),
        ({"refill": "stock", "pile_heights": [12, 12, 12, 11]}, "refill"),
        ({"stock_to_space": 1}, "stock_to_space"),
        ({"stock_to_space": True, "spaces": "none"}, "stock_to_space"),
        ({"stock_to_space": True, "pile_heights": [12, 12, 12, 11], "redeals": 0}, "stock_to_space"),
        ({"cards_per_deal": 0}, "cards_per_deal"),
        ({"redeals": -1}, "redeals"),
        ({"redeals": 101}, "redeals"),
        ({"redeals": "unlimited"}, "redeals"),
        ({"redeals": 1, "pile_heights": [12, 12, 12, 11]}, "redeals"),
        ({"foundation_returns": "no"}, "foundation_returns"),
        ({"speed": 1}, "speed"),
    ],
)
def test_impossible_rules_name_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        COYOTE.replace(**changes)


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_rules_round_trip_as_json(rules: Rules) -> None:
    assert Rules(**json.loads(json.dumps(rules.to_dict()))) == rules
    assert hash(rules) == hash(rules.replace())


def test_overrides_take_json_values() -> None:
    assert override(SWISS, None) is SWISS
    rules = override(SWISS, json.loads('{"pile_heights": [2, 2, 2], "redeals": null}'))
    assert rules.pile_heights == (2, 2, 2)
    assert rules.redeals is None
    assert rules.stock_size == 46


def test_sizes() -> None:
    """C1, S1, Y1, V1: what the deal leaves for the stock."""
    assert [rules.stock_size for rules in GAMES.values()] == [43, 27, 92, 78]
    assert [rules.deck_size for rules in GAMES.values()] == [52, 52, 104, 104]
    assert [rules.n_piles for rules in GAMES.values()] == [4, 9, 12, 5]
