"""What an action does in one position: from an action index to the cards that move, in numbers and in words."""

from __future__ import annotations

from solitaire_env.actions import ActionTable, Move
from solitaire_env.fitting import first_space
from solitaire_env.kernel import moved_cards
from solitaire_env.layout import SIZES, STOCK, State, compile_rules
from solitaire_env.position import Position
from solitaire_env.rules import Rules


def concrete_move(rules: Rules, table: ActionTable, state: State, index: int) -> Move:
    """Returns what a legal action does in a position.

    Args:
        rules: The rules of the game.
        table: Its actions.
        state: The position, as a state row.
        index: The action.
    """
    spec = compile_rules(rules)
    kind, source, target, _ = table.decode(index)
    count = 1
    if kind == "deal":
        kind, count = ("deal" if state[SIZES + STOCK] else "redeal"), 0
    elif kind in ("pile_pile", "pile_space"):
        count = int(moved_cards(spec, state, index))
    if kind in ("pile_space", "stock_space"):
        target = int(first_space(spec, state))
    return Move(kind, source, target, count)


def describe_move(table: ActionTable, position: Position, index: int, move: Move) -> str:
    """Returns a legal action in words, with the cards that it moves in the position."""
    if move.kind == "deal":
        return "deal from the stock"
    if move.kind == "redeal":
        return "turn the waste over"
    place = move.kind.partition("_")[0]
    if place == "stock":
        return table.describe(index)
    tops = {"waste": position.waste, "reserve": position.reserve}
    if place not in tops:
        tops[place] = (position.tableau if place == "pile" else position.foundations)[move.source]
    return f"{table.describe(index, slot_named=False)}: {' '.join(tops[place][-move.count :])}"
