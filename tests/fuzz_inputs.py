"""What the fuzzing hands in: any rules, things of any type, and positions' texts that somebody has been at."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from hypothesis import strategies as st

from solitaire_env import Rules
from solitaire_env.rules import CHOICES, MAX_PILES

junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=4),
    st.lists(st.integers(-2, 40), max_size=4).filter(lambda x: len(x) != 2),  # two might serve the two vector envs
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.builds(object),
    st.sampled_from(
        [np.int8(-1), np.uint8(255), np.float32(1), np.bool_(True), np.zeros(3), np.array(2), np.array([])]
    ),
)
"""What nobody should hand in, and sometimes what one may."""


def _counts(most: int) -> st.SearchStrategy[int]:
    """Whole numbers up to ``most``, the small ones more often."""
    return st.one_of(st.integers(0, min(most, 3)), st.integers(0, most))


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    """Any rules that are allowed."""
    decks = draw(st.integers(1, 2))
    fields: dict[str, Any] = {name: draw(st.sampled_from(values)) for name, values in CHOICES.items()}
    left = 52 * decks - (4 * decks if fields["foundations"] == "dealt" else 0)
    heights = []
    for _ in range(draw(st.integers(1, MAX_PILES))):
        heights.append(min(draw(_counts(9)), left))
        left -= heights[-1]
    reserve = min(draw(_counts(20)), left)
    left -= reserve
    if draw(st.booleans()) and draw(st.booleans()):  # no stock
        heights[0] += left
        left = 0
    if (fields["refill"] == "reserve" and not reserve) or (fields["refill"] != "none" and not left):
        fields["refill"] = "none"
    return Rules(
        **fields,
        decks=decks,
        pile_heights=tuple(heights),
        reserve=reserve,
        stock_to_space=bool(left) and fields["spaces"] == "any" and draw(st.booleans()),
        cards_per_deal=draw(st.integers(1, 4)),
        redeals=draw(st.sampled_from([0, 1, 2, 100, None])) if left else 0,
        foundation_returns=draw(st.booleans()),
    )


def move_cards(text: str, data: st.DataObject) -> str:
    """Takes some cards from one place to another, which is often another position of the same game."""
    parts = re.split(r"([=/ ])", text)
    places = [i for i, part in enumerate(parts) if part == "-" or (len(part) % 2 == 0 and part.isupper())]
    if not places:
        return text
    source, target = (data.draw(st.sampled_from(places)) for _ in range(2))
    count = data.draw(st.integers(1, 12))
    cards = "" if parts[source] == "-" else parts[source]
    parts[source] = cards[: -2 * count] or "-"
    parts[target] = parts[target].strip("-") + cards[-2 * count :] or "-"
    return "".join(parts)


def exchange_cards(text: str, data: st.DataObject) -> str:
    """Lets two cards change places, all copies of them."""
    cards = sorted(set(re.findall("[A2-9TJQK][SHDC]", text)))
    if not cards:
        return text
    one, two = (data.draw(st.sampled_from(cards)) for _ in range(2))
    return text.replace(one, "!!").replace(two, one).replace("!!", two)


def garble(text: str, data: st.DataObject) -> str:
    """Replaces up to four letters by up to three others."""
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 4))
    new = data.draw(st.one_of(st.text(max_size=3), st.text("AKSH-/= 019?", max_size=3)))
    return text[:at] + new + text[at + length :]
