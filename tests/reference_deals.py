"""The documented way from a deal number to a shuffled deck, written again in plain Python (G1)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.reference_model import Options, full_deck

_WORD = 2**64


def splitmix64(seed: int) -> Iterator[int]:
    """An endless stream of 64-bit words, as a generator."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % _WORD
        word = state
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % _WORD
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB % _WORD
        yield word ^ (word >> 31)


def deck_order(options: Options, deal: int) -> list[str]:
    """The shuffled deck of a numbered deal, without the cards that start on the foundations."""
    deck = full_deck(options)
    if options.foundations == "dealt":
        deck = [card for card in deck if card[0] != options.base_rank]
    words = splitmix64(deal)
    for last in range(len(deck) - 1, 0, -1):
        choices = last + 1
        highest_fair = (_WORD - 1) // choices * choices
        word = next(words)
        while word >= highest_fair:
            word = next(words)
        other = word % choices
        deck[last], deck[other] = deck[other], deck[last]
    return deck
