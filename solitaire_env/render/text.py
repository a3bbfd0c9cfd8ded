"""A board as text for a terminal: suit symbols, red cards in red."""

from __future__ import annotations

from collections.abc import Sequence

from solitaire_env.cards import SUIT_SYMBOLS, card_code, card_suit, is_red
from solitaire_env.position import UNKNOWN, Position
from solitaire_env.rules import Rules

_RED, _PLAIN = "\x1b[31m", "\x1b[0m"
_EMPTY = " ··"
_LABEL = 12
_WASTE_SHOWN = 12


def board_text(rules: Rules, position: Position, *, colour: bool = True) -> str:
    """Returns a position as a player sees it, in several lines.

    The stock is shown by its size, the waste by its size and its last cards; a pile's top card is the lowest of its
    column.

    Args:
        rules: The rules of the game.
        position: The position.
        colour: Writes red cards in red, by ANSI escape codes.
    """

    def card(text: str) -> str:
        if text == UNKNOWN:
            return f"{text:>3}"
        code = card_code(text)
        shown = f"{text[0].replace('T', '10'):>2}{SUIT_SYMBOLS[card_suit(code)]}"
        return f"{_RED}{shown}{_PLAIN}" if colour and is_red(code) else shown

    def row(cards: Sequence[str]) -> str:
        return " ".join(map(card, cards)) or _EMPTY

    tops = [card(pile[-1]) if pile else _EMPTY for pile in position.foundations]
    redeals = (
        "unlimited redeals" if position.redeals_left is None else f"{_counted(position.redeals_left, 'redeal')} left"
    )
    lines = [f"{'foundations':{_LABEL}}{' '.join(tops)}"]
    if rules.reserve:
        lines.append(f"{'reserve':{_LABEL}}{row(position.reserve)}")
    if rules.stock_size:
        lines.append(f"{'stock':{_LABEL}}{_counted(len(position.stock), 'card')}, {redeals}")
        more = "... " if len(position.waste) > _WASTE_SHOWN else ""
        lines.append(
            f"{'waste':{_LABEL}}{more}{row(position.waste[-_WASTE_SHOWN:])}  ({_counted(len(position.waste), 'card')})"
        )
    lines.append("")
    lines.append(" ".join(f"{index:>3}" for index in range(len(position.tableau))))
    for height in range(max(1, *map(len, position.tableau))):
        cells = (card(p[height]) if height < len(p) else (_EMPTY if height == 0 else "   ") for p in position.tableau)
        lines.append(" ".join(cells).rstrip())
    return "\n".join(lines)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
