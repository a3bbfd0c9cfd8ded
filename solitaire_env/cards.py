"""One card: its code, rank, suit, colour and text.

A card is written rank then suit (``"TD"`` is the ten of diamonds) and coded as ``suit * 13 + rank``, 0 to 51.
The two copies that a two-deck game holds of a card have the same code: they are interchangeable everywhere.
"""

from __future__ import annotations

RANKS = "A23456789TJQK"
SUITS = "SHDC"
SUIT_SYMBOLS = "♠♥♦♣"
RED_SUITS = "HD"
RANKS_PER_SUIT = len(RANKS)
CARDS_PER_DECK = len(RANKS) * len(SUITS)

_CODES = {rank + suit: s * 13 + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
_TEXTS = tuple(_CODES)


def card_code(text: str) -> int:
    """Returns the code (0 to 51) of a card written like ``"TD"``.

    Raises:
        ValueError: The text names no card.
    """
    try:
        return _CODES[text]
    except (KeyError, TypeError):
        raise ValueError(
            f"unknown card {text!r}: a card is one of {RANKS} followed by one of {SUITS}, such as 'TD'"
        ) from None


def card_text(code: int) -> str:
    """Returns the text (``"TD"``) of a card code from 0 to 51."""
    return _TEXTS[code]


def card_rank(code: int) -> int:
    """Returns the rank of a card code, 0 for the ace to 12 for the king."""
    return code % RANKS_PER_SUIT


def card_suit(code: int) -> int:
    """Returns the suit of a card code, an index into ``SUITS``."""
    return code // RANKS_PER_SUIT


def is_red(code: int) -> bool:
    """Tells whether a card code is a heart or a diamond."""
    return SUITS[card_suit(code)] in RED_SUITS
